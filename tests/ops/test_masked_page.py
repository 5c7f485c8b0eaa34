"""The functions of ``torch.masked``: what a mask is, what stands where nothing counts, dtypes, gradients, refusals; and what is absent."""
import inspect

import pytest

import rushlight as rl

inf, nan = float("inf"), float("nan")
REDUCTIONS = "sum prod amax amin argmax argmin mean median logsumexp norm var std".split()
ALONG = "cumsum cumprod softmax log_softmax softmin normalize".split()
NAMES = [*REDUCTIONS, *ALONG, "logaddexp"]
ABSENT = ["MaskedTensor", "masked_tensor", "as_masked_tensor", "is_masked_tensor"]
DTYPES = "float64 float16 bfloat16 int64 int32 uint8 bool complex64".split()


def call(lib, name, x, dim=1, **options):
    """A function of the page along one dimension, whatever else it wants."""
    function = getattr(lib.masked, name)
    if name == "logaddexp":
        mask = options.pop("mask", None)
        return function(x, x, input_mask=mask, other_mask=mask, **options)
    return function(x, 2, dim, **options) if name in ("norm", "normalize") else function(x, dim, **options)


def rows(lib, dtype="float64", requires_grad=False):
    """A matrix and a mask that lets through two, one and none of its rows' elements."""
    x = lib.tensor([[1., 5., 3.], [2., 7., 4.], [9., 8., 6.]], dtype=getattr(lib, dtype), requires_grad=requires_grad)
    return x, lib.tensor([[True, False, True], [False, False, True], [False, False, False]])


def same(found, wanted, tolerance=1e-6):
    """Equal numbers in nested lists, NaN included."""
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            same(a, b, tolerance)
    else:
        assert found == pytest.approx(wanted, rel=tolerance, abs=tolerance, nan_ok=True)


# ---------------------------------------------------------------- values

VALUES = {
    "sum": [4, 4, 0], "prod": [3, 4, 1], "amax": [3, 4, -inf], "amin": [1, 4, inf], "argmax": [2, 2, 0], "argmin": [0, 2, 0],
    "mean": [2, 4, nan], "median": [1, 4, nan], "logsumexp": [3.126928, 4, -inf], "norm": [3.162278, 4, 0], "var": [2, nan, nan],
    "std": [1.414214, nan, nan],
    "cumsum": [[1, 1, 4], [0, 0, 4], [0, 0, 0]], "cumprod": [[1, 1, 3], [1, 1, 4], [1, 1, 1]],
    "softmax": [[0.119203, 0, 0.880797], [0, 0, 1], [nan] * 3], "softmin": [[0.880797, 0, 0.119203], [0, 0, 1], [nan] * 3],
    "log_softmax": [[-2.126928, -inf, -0.126928], [-inf, -inf, 0], [nan] * 3],
    "normalize": [[0.316228, 0, 0.948683], [0, 0, 1], [0, 0, 0]],
    "logaddexp": [[1.693147, -inf, 3.693147], [-inf, -inf, 4.693147], [-inf] * 3],
}


@pytest.mark.parametrize("name", NAMES)
def test_only_what_the_mask_lets_through_counts(torch, name):
    x, mask = rows(torch)
    same(call(torch, name, x, mask=mask).tolist(), VALUES[name])
    same(call(torch, name, torch.where(mask, x, torch.tensor(1e9, dtype=x.dtype)), mask=mask).tolist(), VALUES[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_masked_out_may_be_missing(torch, name):
    x, mask = rows(torch)
    broken = torch.where(mask, x, torch.tensor(nan, dtype=x.dtype))
    same(call(torch, name, broken, mask=mask).tolist(), VALUES[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_broadcasts_and_may_be_numbers(torch, name):
    x, _ = rows(torch)
    full = torch.tensor([[True, False, True]] * 3)
    wanted = call(torch, name, x, mask=full).tolist()
    for mask in (full[0], full[:1], torch.tensor([2, 0, -1]), torch.tensor([[0.5, 0., nan]])):
        before = mask.clone()
        same(call(torch, name, x, mask=mask).tolist(), wanted)
        assert mask.dtype is before.dtype and mask.shape == before.shape


@pytest.mark.parametrize("name", NAMES)
def test_no_mask_lets_all_through(torch, name):
    x, mask = rows(torch)
    same(call(torch, name, x).tolist(), call(torch, name, x, mask=torch.ones_like(mask)).tolist())


@pytest.mark.parametrize("name", [n for n in REDUCTIONS if n != "median"])
def test_all_dimensions_by_default(torch, name):
    x, mask = rows(torch)
    wanted = call(torch, name, x[mask], 0).tolist() if name[:3] != "arg" else {"argmax": 5, "argmin": 0}[name]
    function = getattr(torch.masked, name)
    same(function(x, mask=mask).tolist(), wanted)
    if name[:3] != "arg":
        first = (2,) if name == "norm" else ()
        for dim in (None, (), (0, 1), (-1, 0)):
            same(function(x, *first, dim, mask=mask).tolist(), wanted)
        kept = function(x, keepdim=True, mask=mask)
        assert kept.shape == (1, 1)
        same(kept.item(), wanted)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_keepdim_keeps_a_dimension(torch, name):
    x, mask = rows(torch)
    found = call(torch, name, x, keepdim=True, mask=mask)
    assert found.shape == (3, 1)
    same(found.flatten().tolist(), VALUES[name])


@pytest.mark.parametrize("name", [*REDUCTIONS, *ALONG])
def test_scalars(torch, name):
    x, yes = torch.tensor(2.0), torch.tensor(True)
    same(call(torch, name, x, 0, mask=yes).tolist(), call(torch, name, x[None], 0).squeeze().tolist())


def test_without_dimensions_a_product_is_the_tensor_itself(torch):
    x = torch.tensor(2.0)
    assert torch.masked.prod(x) is x


def test_corrections(torch):
    x, mask = rows(torch)
    for correction, wanted in ((0, [1, 0, nan]), (1, [2, nan, nan]), (0.5, [2 / 1.5, 0, nan]), (2, [inf, nan, nan])):
        same(torch.masked.var(x, 1, correction=correction, mask=mask).tolist(), wanted)
    same(torch.masked.var(x, 1, False, mask=mask).tolist(), [1, 0, nan])
    same(torch.masked.std(x, 1, True, mask=mask).tolist(), VALUES["std"])


def test_normalize_divides_by_no_less_than_eps(torch):
    x, mask = rows(torch)
    same(torch.masked.normalize(x, 1, 1, eps=8., mask=mask).tolist(), [[0.125, 0, 0.375], [0, 0, 0.5], [0, 0, 0]])


def test_two_masks(torch):
    x, y = torch.tensor([0., 1., 2.]), torch.tensor([0., 2., 4.])
    first, second = torch.tensor([True, False, False]), torch.tensor([True, True, False])
    same(torch.masked.logaddexp(x, y, input_mask=first, other_mask=second).tolist(), [0.693147, 2, -inf])
    same(torch.masked.logaddexp(x, y, input_mask=first).tolist(), [0.693147, 2, 4])


# ---------------------------------------------------------------- dtypes

SUMS = {"bool": "int64", "uint8": "int64", "int32": "int64"}


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_small_whole_numbers_are_summed_in_int64(torch, name, dtype):
    x, mask = rows(torch, dtype)
    assert call(torch, name, x, mask=mask).dtype is getattr(torch, SUMS.get(dtype, dtype))
    if dtype != "complex64":
        assert call(torch, name, x, dtype=torch.float32, mask=mask).dtype is torch.float32


@pytest.mark.parametrize("name", "amax amin argmax argmin median cumsum cumprod logsumexp logaddexp".split())
@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "int32", "uint8"])
def test_the_input_s_dtype_comes_back(torch, name, dtype):
    x, _ = rows(torch, dtype)
    if name == "logaddexp" and dtype not in ("float64", "float16"):
        with pytest.raises(NotImplementedError):
            call(torch, name, x)
        return
    mask = torch.tensor([True, False, True])
    assert call(torch, name, x, mask=mask).dtype is x.dtype
    wanted = x.dtype if name == "median" and dtype[0] == "f" else torch.float32      # floating medians ignore dtype=
    assert call(torch, name, x, dtype=torch.float32, mask=mask).dtype is wanted


def test_borders_of_whole_numbers_are_neutral(torch):
    none = torch.zeros(1, dtype=torch.bool)
    for dtype in (torch.int8, torch.int32, torch.int64, torch.uint8):
        x, limits = torch.ones(2, dtype=dtype), torch.iinfo(dtype)
        assert torch.masked.amax(x, mask=none).item() == limits.min
        assert torch.masked.amin(x, mask=none).item() == limits.max


@pytest.mark.parametrize("name", ["var", "std", "mean", "norm"])
def test_what_whole_numbers_become(torch, name):
    x, mask = rows(torch, "int64")
    if name in ("var", "std"):
        assert call(torch, name, x, mask=mask).dtype is torch.float32
    else:
        with pytest.raises(ValueError if name == "mean" else RuntimeError):
            call(torch, name, x, mask=mask)
    if name == "norm":
        with pytest.raises(RuntimeError):
            call(torch, name, x, dtype=torch.float64, mask=mask)
    else:
        same(call(torch, name, x, dtype=torch.float64, mask=mask).tolist(), VALUES[name])


def test_complex_numbers(torch):
    x = torch.tensor([[3 + 4j, 1j, 1 - 1j], [2 + 0j, 5 + 5j, 1j]], dtype=torch.complex128)
    mask = torch.tensor([[True, False, True], [True, False, False]])
    same(torch.masked.mean(x, 1, mask=mask).tolist(), [2 + 1.5j, 2])
    assert torch.masked.norm(x, 2, 1, mask=mask).dtype is torch.float64
    assert torch.masked.var(x, 1, mask=mask[:, :1]).dtype is torch.complex128


# ---------------------------------------------------------------- gradients

GRADIENTS = {
    "sum": [[1, 0, 1], [0, 0, 1]], "prod": [[3, 0, 1], [0, 0, 1]], "amax": [[0, 0, 1], [0, 0, 1]], "amin": [[1, 0, 0], [0, 0, 1]],
    "mean": [[0.5, 0, 0.5], [0, 0, 1]], "median": [[1, 0, 0], [0, 0, 1]], "norm": [[0.316228, 0, 0.948683], [0, 0, 1]],
    "logsumexp": [[0.119203, 0, 0.880797], [0, 0, 1]],
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_leave_out_what_does_not_count(torch, name):
    x, mask = rows(torch, requires_grad=True)
    call(torch, name, x[:2], mask=mask[:2]).sum().backward()
    same(x.grad.tolist(), [*GRADIENTS[name], [0, 0, 0]])


def test_gradients_of_shares(torch):
    x, mask = rows(torch, requires_grad=True)
    torch.masked.log_softmax(x[:2], 1, mask=mask[:2])[0, 0].backward()
    same(x.grad.tolist(), [[0.880797, 0, -0.880797], [0, 0, 0], [0, 0, 0]])
    x.grad = None
    made = torch.masked.logaddexp(x[0], x[1], input_mask=mask[0], other_mask=mask[1])
    made[::2].sum().backward()
    same(x.grad.tolist(), [[1, 0, 0.268941], [0, 0, 0.731059], [0, 0, 0]])


def test_deviations_have_a_gradient_where_they_are_not_zero(torch):
    x, mask = rows(torch, requires_grad=True)
    torch.masked.std(x[:1], 1, mask=mask[:1]).backward()
    same(x.grad.tolist(), [[-0.707107, 0, 0.707107], [0, 0, 0], [0, 0, 0]])


def test_positions_and_masks_have_no_gradient(torch):
    x, mask = rows(torch, requires_grad=True)
    assert not torch.masked.argmax(x, 1, mask=mask).requires_grad
    weights = torch.ones(3, requires_grad=True)
    torch.masked.sum(x, 1, mask=weights).sum().backward()
    assert weights.grad is None


def test_nodes_are_those_of_the_operators(torch):
    x, mask = rows(torch, requires_grad=True)
    node = torch.masked.sum(x, 1, mask=mask).grad_fn
    assert node.name() == "SumBackward1" and node.next_functions[0][0].name() == "WhereBackward0"
    assert [torch.masked.mean(x, mask=mask).grad_fn.name(), torch.masked.std(x, mask=mask).grad_fn.name()] == \
        ["DivBackward0", "SqrtBackward0"]


# ---------------------------------------------------------------- refusals

@pytest.mark.parametrize("name", NAMES)
def test_a_mask_of_more_dimensions_is_refused(torch, fails, name):
    x, mask = rows(torch)
    with fails(IndexError, "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"):
        call(torch, name, x, mask=mask[None])
    with fails(RuntimeError, "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 1."):
        call(torch, name, x, mask=torch.ones(2, dtype=torch.bool))
    with fails(AttributeError, "'list' object has no attribute 'shape'"):
        call(torch, name, x, mask=[True, False, True])


@pytest.mark.parametrize("name", [*REDUCTIONS, *ALONG])
def test_dimensions_that_do_not_exist_are_refused(torch, fails, name):
    x, mask = rows(torch)
    with fails(IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"):
        call(torch, name, x, 2, mask=mask)
    if name[:3] != "arg":
        by_sum = name in ("mean", "var", "std")
        with fails(RuntimeError, f"{'dim 0' if by_sum else 'dim=0'} appears multiple times in the list of dims"):
            call(torch, name, x, (0, 0), mask=mask)


@pytest.mark.parametrize(("name", "said"), [("amax", "amax"), ("amin", "amin"), ("argmax", "argmax"), ("argmin", "argmin"),
                                            ("softmax", "amax"), ("log_softmax", "amax"), ("softmin", "amin"), ("logsumexp", "logsumexp"),
                                            ("logaddexp", "logaddexp")])
def test_what_has_no_neutral_number_cannot_be_masked(torch, fails, name, said):
    x, mask = rows(torch, "bool")
    with fails(NotImplementedError, f"identity of {said} on torch.bool input"):
        call(torch, name, x, mask=mask)
    if name != "logsumexp":
        with fails(TypeError, "torch.iinfo() requires an integer input type."):
            call(torch, name, x.to(torch.complex64), mask=mask)


def test_refusals_of_one_function_each(torch, fails):
    x, mask = rows(torch)
    whole = x.to(torch.int64)
    said = "mean(): Could not infer output dtype. {} dtype must be either a floating point or complex dtype. Got: torch.{}".format
    with fails(ValueError, said("Input", "int64")):
        torch.masked.mean(whole)
    with fails(ValueError, said("Optional", "int32")):
        torch.masked.mean(x, dtype=torch.int32)
    with fails(ValueError, "masked median expects no fully masked out rows if dtype is not floating point"):
        torch.masked.median(whole, 1, mask=mask)
    with fails(AssertionError, "input must be floating point, got torch.int64"):
        torch.masked.norm(whole, -inf, 1, mask=mask)
    with fails(AssertionError, "Only one of unbiased and correction may be given"):
        torch.masked.var(x, 1, True, correction=1)
    with fails(IndexError, "tuple index out of range"):
        torch.masked.cumsum(torch.tensor(1.0), None)
    with fails(AttributeError, "'numpy.ndarray' object has no attribute 'layout'"):
        torch.masked.amax(x.numpy(), 1)
    with fails(AttributeError, "'list' object has no attribute 'layout'"):
        torch.masked.sum([1.0])
    with pytest.raises((AttributeError, TypeError)):
        torch.masked.logaddexp(x, 2.0)


# ---------------------------------------------------------------- the page

def test_signatures(torch):
    for name in NAMES:
        mine, found = (list(inspect.signature(getattr(lib.masked, name)).parameters.values()) for lib in (rl, torch))
        assert [(p.name, p.kind, p.default) for p in mine] == [(p.name, p.kind, p.default) for p in found]


def test_names_and_what_is_absent(torch):
    assert set(torch.masked.__all__) - set(ABSENT) == set(NAMES) == set(rl.masked.__all__)


def test_functions_say_where_they_live(rushlight):
    for name in NAMES:
        function = getattr(rushlight.masked, name)
        assert (function.__module__, function.__qualname__, function.__name__) == ("rushlight.masked", name, name)


@pytest.mark.parametrize("name", ABSENT)
def test_masked_tensors_are_absent_and_say_so(rushlight, fails, name):
    line = f"rushlight lacks torch.masked.{name}: there are no masked tensors here: pass mask= to the functions of torch.masked"
    with fails(AttributeError, f"module 'rushlight.masked' has no attribute '{name}'\n{line}"):
        getattr(rushlight.masked, name)
    with pytest.raises(ImportError) as caught:
        exec(f"from rushlight.masked import {name}")
    assert str(caught.value).endswith(line)


def test_the_page_loads_when_it_is_asked_for(fresh_process):
    said = fresh_process("import sys, rushlight\nprint('rushlight.masked' in sys.modules, 'masked' in dir(rushlight))\n"
                         "rushlight.masked.sum\nprint('rushlight.masked' in sys.modules)")
    assert said.split() == ["False", "True", "True"]
