"""The text of tensors, against recordings of PyTorch's and, where torch is installed, PyTorch itself."""
from __future__ import annotations

import gzip
import importlib.util
import json
import sys
import time
import tracemalloc
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from rushlight import dtypes
from rushlight.printing import PRINT_OPTS, get_printoptions, printoptions, set_printoptions, tensor_text

FOLDER = Path(__file__).parent / "golden" / "printing"


def _load_recipe():
    spec = importlib.util.spec_from_file_location("printing_recipe", FOLDER / "printing_recipe.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module         # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


RECIPE = _load_recipe()
CASES = RECIPE.cases()
RECORD = json.loads(gzip.decompress((FOLDER / "texts.json.gz").read_bytes()))

GRAD_FN = {"clone": "CloneBackward0", "mul": "MulBackward0", "function": "AFunctionWithALongNameBackward"}
CLASS = {"subclass": "MyTensor", "parameter subclass": "MyParameter", "flagged subclass": "MyTensor"}


DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


@pytest.fixture(autouse=True)
def _restored():
    options, default = get_printoptions(), dtypes.get_default_dtype()
    yield
    set_printoptions(**options)
    dtypes.set_default_dtype(default)


def show(array, **facts):
    facts.setdefault("dtype", dtypes.of(np.asarray(array).dtype))
    return tensor_text(np.asarray(array), **facts)


def text_of(case):
    dtypes.set_default_dtype(dtypes.BY_NAME[case.default])
    with printoptions(**case.options):
        text = tensor_text(
            case.array, dtype=dtypes.BY_NAME[case.dtype], requires_grad=bool(case.history),
            grad_fn_name=GRAD_FN.get(case.history), class_name=CLASS.get(case.wrapper, "tensor"),
            is_parameter="parameter" in case.wrapper or "flagged" in case.wrapper)
    return "Parameter containing:\n" + text if case.wrapper.startswith("parameter") else text


# --- the recording ------------------------------------------------------------------------------------------

def test_the_recipe_still_makes_the_recorded_tensors():
    assert len(CASES) == len(RECORD["texts"]) >= 400
    assert len({case.name for case in CASES}) == len(CASES)
    assert RECIPE.digest(CASES) == RECORD["digest"]


@pytest.mark.parametrize("i", range(len(CASES)), ids=lambda i: CASES[i].name)
def test_recorded(i):
    assert text_of(CASES[i]) == RECORD["texts"][i]


# --- what the recording cannot say --------------------------------------------------------------------------

def test_the_edges_of_a_huge_tensor_are_all_that_is_touched():
    huge = np.broadcast_to(np.arange(1000.0), (1000, 1000, 1000, 1000))
    tracemalloc.start()
    text = show(huge)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert text.startswith("tensor([[[[") and text.count("...") == 6 ** 3 + 6 ** 2 + 6 + 1
    assert peak < 2_000_000


def test_a_small_repr_is_quick():
    array = np.linspace(-1, 1, 10, dtype=np.float32)
    best = min(_seconds(lambda: tensor_text(array, dtype=dtypes.float32)) for _ in range(200))
    assert best < 100e-6            # some 10 us where it was written; PyTorch takes 130


def _seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def test_the_device_is_named_unless_it_is_the_cpu_and_comes_first():
    array = np.zeros(2)
    assert show(array, device="cuda:0") == "tensor([0., 0.], device='cuda:0', dtype=torch.float64)"


def test_contents_stand_in_for_the_elements():
    assert show(np.zeros((2, 2)), contents="...") == "tensor(..., dtype=torch.float64)"
    assert show(np.zeros((2, 0)), contents="?") == "tensor(?, size=(2, 0), dtype=torch.float64)"


def test_negative_edgeitems_fail_for_matrices_with_a_way_out():
    with printoptions(threshold=1, edgeitems=-1), pytest.raises(RuntimeError) as caught:
        show(np.zeros((3, 3)))
    first, second = str(caught.value).split("\n")
    assert first == "stack expects a non-empty TensorList"
    assert "edgeitems" in second


@pytest.mark.parametrize(("precision", "sentence"), [(-1, "Format specifier missing precision"),
                                                     (4.0, "Invalid format specifier")])
def test_a_precision_that_python_cannot_format_with(precision, sentence):
    with printoptions(precision=precision):
        assert show(np.arange(3)) == "tensor([0, 1, 2])"
        with pytest.raises(ValueError, match=sentence):
            show(np.array([0.5]))


def test_every_call_resets_sci_mode_and_nothing_else():
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(linewidth=60)
    assert get_printoptions() == DEFAULTS | {"precision": 2, "linewidth": 60}
    set_printoptions(profile="nobody's")
    assert PRINT_OPTS.precision == 2
    set_printoptions(profile="default")
    assert get_printoptions() == DEFAULTS


def test_printoptions_puts_back_what_was_even_after_an_error():
    set_printoptions(precision=3, sci_mode=False)
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(profile="full", sci_mode=True):
        assert PRINT_OPTS.threshold == float("inf")
        raise KeyError
    assert get_printoptions() == before
    with pytest.raises(TypeError), printoptions(nonsense=1):
        pass
    assert get_printoptions() == before


# --- PyTorch itself -----------------------------------------------------------------------------------------

def test_any_tensor_prints_as_in_pytorch():
    torch = pytest.importorskip("torch")
    hypothesis = pytest.importorskip("hypothesis")
    st = pytest.importorskip("hypothesis.strategies")
    hnp = pytest.importorskip("hypothesis.extra.numpy")

    def arrays(name):
        shape = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7)
        if name != "bfloat16":
            return hnp.arrays(RECIPE.NUMPY[name], shape)
        return hnp.arrays(np.uint16, shape).map(lambda bits: bits.view(ml_dtypes.bfloat16))

    def whole_floats(name):
        shape = hnp.array_shapes(min_dims=1, max_dims=3, max_side=7)
        whole = hnp.arrays(np.int16, shape, elements=st.integers(-1200, 1200))
        return whole.map(lambda a: a.astype(RECIPE.NUMPY[name]))

    def decimal_floats(name):
        shape = hnp.array_shapes(min_dims=1, max_dims=2, max_side=12)
        elements = st.builds(lambda digits, point: digits / 10 ** point,
                             st.integers(-9999, 9999), st.integers(0, 5))
        return hnp.arrays(np.float64, shape, elements=elements).map(lambda a: a.astype(RECIPE.NUMPY[name]))

    def with_name(names, strategy):
        return st.sampled_from(names).flatmap(lambda name: st.tuples(st.just(name), strategy(name)))

    inexact = RECIPE.FLOATS + RECIPE.COMPLEX
    named = st.one_of(with_name(sorted(RECIPE.NUMPY), arrays), with_name(inexact, whole_floats),
                      with_name(inexact, decimal_floats))
    options = st.fixed_dictionaries({}, optional={
        "precision": st.integers(0, 12), "threshold": st.integers(0, 60), "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(1, 130), "profile": st.sampled_from(["default", "short", "full"]),
        "sci_mode": st.sampled_from([None, True, False])})

    @hypothesis.settings(max_examples=400, deadline=None, derandomize=True, database=None,
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(named, options, st.booleans())
    def agrees(named, options, wants_grad):
        name, array = named
        array = np.array(array, order="C")
        wants_grad = wants_grad and name in inexact
        bits = array.view(np.int16) if name == "bfloat16" else array
        theirs = torch.from_numpy(bits)
        theirs = theirs.view(torch.bfloat16) if name == "bfloat16" else theirs
        theirs.requires_grad_(wants_grad)
        with printoptions(**options), torch._tensor_str.printoptions(**options):
            assert tensor_text(array, dtype=dtypes.BY_NAME[name], requires_grad=wants_grad) == repr(theirs)

    agrees()


def test_the_recording_is_what_this_pytorch_prints():
    torch = pytest.importorskip("torch")
    if torch.__version__.split("+")[0] != RECORD["torch"]:
        pytest.skip(f"the recording is of torch {RECORD['torch']}")
    spec = importlib.util.spec_from_file_location("make_printing", FOLDER.parent / "make_printing.py")
    maker = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        spec.loader.exec_module(maker)
    finally:
        sys.path[:] = before
    for case, text in zip(CASES[::9], RECORD["texts"][::9], strict=True):
        assert maker.text(case) == text, case.name
