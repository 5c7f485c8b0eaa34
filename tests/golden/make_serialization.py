"""Record files that the real PyTorch writes: `python tests/golden/make_serialization.py`, where torch is installed.

One archive, `serialization/recorded.zip`, holds for each kind of object in `tests/serialization/objects.py` the file in
the zip format (`NAME.pt`) and in the old one (`NAME.old`), and a few that have no kind.
"""

import importlib.util
import io
import pathlib
import warnings
import zipfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
STAMP = (2024, 1, 1, 0, 0, 0)


def objects():
    spec = importlib.util.spec_from_file_location("objects", HERE.parent / "serialization" / "objects.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(obj, **how):
    file = io.BytesIO()
    torch.save(obj, file, **how)
    return file.getvalue()


def script():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = io.BytesIO()
        torch.jit.save(torch.jit.script(torch.nn.ReLU()), file)
    return file.getvalue()


def main():
    warnings.simplefilter("ignore")
    files = {}
    for name, (make, _) in objects().KINDS.items():
        files[f"{name}.pt"] = written(make(torch))
        try:
            files[f"{name}.old"] = written(make(torch), _use_new_zipfile_serialization=False)
        except RuntimeError as error:
            print(f"{name} has no old form: {error}")
    files["conj.pt"] = written(torch.tensor([1 + 2j, 3 - 4j]).conj())
    files["float8.pt"] = written(torch.ones(2).to(torch.float8_e4m3fn))
    files["sparse.pt"] = written(torch.eye(2).to_sparse())
    files["meta.pt"] = written(torch.empty(2, device="meta"))
    files["quantized.pt"] = written(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8))
    files["script.pt"] = script()
    torch.serialization.set_crc32_options(False)
    files["no_crc.pt"] = written(torch.arange(5.0))
    torch.serialization.set_crc32_options(True)
    folder = HERE / "serialization"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / "recorded.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, STAMP), data, zipfile.ZIP_DEFLATED)
    print(f"{len(files)} files from torch {torch.__version__}")


if __name__ == "__main__":
    main()
