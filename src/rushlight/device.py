"""Devices: there is one, the CPU. Asking for another gives the error of a CPU build of PyTorch."""
import re

__all__ = ["device", "check"]

_TYPES = ("cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
          "privateuseone")


class device:
    """Names a device: ``device("cpu")``, ``device("cuda", 1)``, ``device("cuda:1")``. Only "cpu" can hold a tensor."""

    __slots__ = ("type", "index")
    type: str
    index: int | None

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            raise RuntimeError("Cannot access accelerator device when none is available.\nrushlight runs on the CPU.")
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}"
                            "\nPass 'cpu'.")
        kind, colon, number = type.partition(":")
        if kind not in _TYPES.split(", "):
            raise RuntimeError(f"Expected one of {_TYPES} device type at start of device string: {kind}"
                               "\nrushlight has tensors on 'cpu' only.")
        if colon:
            if not re.fullmatch(r"0|[1-9]\d*", number):
                raise RuntimeError(f"Invalid device string: '{type}'\nWrite a number after the colon.")
            index = int(number)
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", index)

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable\nMake a new device.")

    def __repr__(self):
        return f"device(type='{self.type}'" + (f", index={self.index})" if self.index is not None else ")")

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, (self.type, self.index)

    def __enter__(self):
        check(self)
        return self

    def __exit__(self, *_):
        return None


CPU = device("cpu")


def check(wanted):
    """Raise what a CPU build of PyTorch raises unless ``wanted`` is None or the CPU."""
    if wanted is None or wanted is CPU or wanted == "cpu":
        return
    wanted = device(wanted)
    if wanted.type == "cpu":
        return
    if wanted.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled\nrushlight runs on the CPU: pass device='cpu'.")
    if wanted.type == "meta":
        raise NotImplementedError("rushlight has no meta device\nThe nearest is a tensor on the CPU from torch.empty.")
    raise RuntimeError(f"PyTorch is not linked with support for {wanted.type} devices"
                       "\nrushlight runs on the CPU: pass device='cpu'.")
