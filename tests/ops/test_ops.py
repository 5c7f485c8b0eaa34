"""What every operator owes, asked of every sample in ``samples/``: see CONTRIBUTING, "Adding an operator".

The value is compared with a recording of PyTorch (``golden/ops``) and, where it is installed, with PyTorch itself; gradients with
central differences and with PyTorch's; then the same call in place, with ``out=``, by the long way, and with other strides.
"""
import gzip
import json
import pathlib
import warnings

import numpy as np
import pytest
from tests.ops.sample import families, find, tensors_in

import rushlight
from rushlight.autograd import gradcheck, gradgradcheck, modes
from rushlight.ops import table

RANDOM = {"bernoulli", "multinomial", "poisson", "binomial"}      # central differences of noise mean nothing
CASES = [(family, name, i) for family, ops in families().items() for name, samples in ops.items() for i in range(len(samples))]
IDS = [f"{family}-{name}-{i}" for family, name, i in CASES]
SAMPLES = families()
CORNERS = ("fft", "linalg", "special", "signal.windows", "masked")   # pages that load when they are asked for, with functions of their own
RECORDED = pathlib.Path(__file__).parent.parent / "golden" / "ops" / "values.json.gz"


@pytest.fixture(scope="module")
def recorded():
    with gzip.open(RECORDED, "rt") as stream:
        return json.load(stream)


@pytest.fixture(params=CASES, ids=IDS)
def case(request):
    family, name, i = request.param
    return family, name, i, SAMPLES[family][name][i]


def run(lib, name, sample, **options):
    args, kwargs = sample.make(lib, **options)
    lib.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return find(lib, name)(*args, **kwargs), args, kwargs


def numbers(t):
    """A result as an array or number, without history."""
    if hasattr(t, "detach"):
        t = t.detach()
        if getattr(t, "_is_zerotensor", bool)():
            t = t.clone()
        if str(t.dtype).endswith("bfloat16"):
            t = t.float()
        t = t.resolve_conj().resolve_neg()
        return t.clone().numpy()
    return t


def outputs(lib, result):
    return [t for t in tensors_in(result, lib.Tensor)]


def assert_same(actual, expected, rtol=1e-7, atol=1e-9):
    """Equal values, dtypes, shapes and nesting."""
    if hasattr(expected, "detach"):
        assert str(actual.dtype).rpartition(".")[2] == str(expected.dtype).rpartition(".")[2]
        a, e = numbers(actual), numbers(expected)
        assert a.shape == e.shape
        if e.dtype in (np.float32, np.complex64):
            rtol, atol = max(rtol, 2e-6), max(atol, 1e-6)
        np.testing.assert_allclose(a, e, rtol, atol)
    elif isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected):
            assert_same(a, e, rtol, atol)
    elif isinstance(expected, float):
        assert actual == pytest.approx(expected, nan_ok=True)
    else:
        assert actual == expected


def test_value_is_the_recorded_one(case, recorded):
    family, name, i, sample = case
    result, _, _ = run(rushlight, name, sample)
    entry = recorded[f"{family}/{name}/{i}"]
    made = outputs(rushlight, result)
    assert len(made) == len(entry)
    for t, (dtype, shape, values) in zip(made, entry):
        assert str(t.dtype)[6:] == dtype and list(t.shape) == shape
        expected = np.array([complex(*v) if isinstance(v, list) else v for v in values])
        np.testing.assert_allclose(np.asarray(numbers(t)).reshape(-1), expected, 1e-6, 1e-8)


def test_value_and_gradients_are_those_of_torch(case):
    torch = pytest.importorskip("torch")
    _, name, _, sample = case
    mine, my_args, my_kwargs = run(rushlight, name, sample)
    theirs, their_args, their_kwargs = run(torch, name, sample)
    assert_same(mine, theirs)
    pairs = [(a, b) for a, b in zip(outputs(rushlight, mine), outputs(torch, theirs))]
    assert [a.requires_grad for a, _ in pairs] == [b.requires_grad for _, b in pairs]
    live = [(a, b) for a, b in pairs if b.requires_grad]
    if not live:
        return
    rng = np.random.default_rng(1)
    seeds = [(rng.standard_normal(tuple(b.shape)) * (1 + 0j if b.is_complex() else 1)).astype(str(b.dtype)[6:]) for _, b in live]
    inputs = [[t for t in tensors_in([a, k], lib.Tensor) if t.requires_grad]
              for lib, a, k in ((rushlight, my_args, my_kwargs), (torch, their_args, their_kwargs))]
    grads = [lib.autograd.grad([p[which] for p in live], inputs[which], [lib.from_numpy(np.asarray(s)) for s in seeds], allow_unused=True)
             for which, lib in enumerate((rushlight, torch))]
    for a, b in zip(*grads):
        if b is None:
            assert a is None or not numbers(a).any()
        else:
            assert a.dtype is not None and str(a.dtype) == str(b.dtype)
            np.testing.assert_allclose(numbers(a), numbers(b), 1e-6, 1e-8)


def differentiable(name, sample):
    args, kwargs = sample.make(rushlight)
    inputs = [t for t in tensors_in([args, kwargs], rushlight.Tensor) if t.requires_grad]
    result, _, _ = run(rushlight, name, sample)
    if not inputs or not any(t.requires_grad for t in outputs(rushlight, result)) or name in RANDOM:
        pytest.skip("no gradient to check")
    flat = list(tensors_in([args, kwargs], rushlight.Tensor))

    def function(*given):
        replaced = iter(given)

        def put(value):
            if isinstance(value, rushlight.Tensor):
                return next(replaced) if value.requires_grad else value
            if isinstance(value, (list, tuple)):
                return type(value)(put(v) for v in value)
            return value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # some names are deprecated
            made = find(rushlight, name)(*[put(a) for a in args], **{k: put(v) for k, v in kwargs.items()})
        return tuple(t for t in outputs(rushlight, made) if t.dtype.is_floating_point or t.dtype.is_complex)
    return function, tuple(t for t in flat if t.requires_grad)


def test_gradients_are_right(case):
    function, inputs = differentiable(case[1], case[3])
    rushlight.manual_seed(0)
    assert gradcheck(function, inputs, rtol=1e-3, atol=2e-5, check_undefined_grad=False)


def test_second_derivatives_are_right(case):
    function, inputs = differentiable(case[1], case[3])
    result = [t for t in function(*inputs) if t.requires_grad]
    grads = rushlight.autograd.grad(result, inputs, [rushlight.ones_like(r) for r in result], create_graph=True, allow_unused=True)
    if sum(t.numel() for t in inputs) > 40:
        pytest.skip("many numbers: first derivatives are checked")
    if not any(g is not None and g.requires_grad for g in grads):
        return
    assert gradgradcheck(function, inputs, rtol=1e-3, atol=2e-4, check_undefined_grad=False)


def test_long_way_gives_the_same(case):
    _, name, _, sample = case
    for dtype in (None, "float32"):
        short, _, _ = run(rushlight, name, sample, dtype=dtype)
        modes.enter_special()
        try:
            long, _, _ = run(rushlight, name, sample, dtype=dtype)
        finally:
            modes.leave_special()
        assert_same(short, long, rtol=0, atol=0)
        for a, b in zip(outputs(rushlight, short), outputs(rushlight, long)):
            assert a.requires_grad == b.requires_grad
            assert (a.grad_fn and a.grad_fn.name()) == (b.grad_fn and b.grad_fn.name())


def test_strides_do_not_matter(case):
    _, name, _, sample = case
    if name in ("as_strided", "view", "view_as_complex"):
        pytest.skip("strides are what it is about")
    expected, _, _ = run(rushlight, name, sample)
    actual, _, _ = run(rushlight, name, sample, strided=True)
    assert_same(actual, expected, rtol=1e-12, atol=1e-12)


def test_in_place_gives_the_same_and_counts_one_write(case):
    _, name, _, sample = case
    twin = getattr(rushlight.Tensor, name + "_", None)
    if twin is None or name in RANDOM:
        pytest.skip("no in-place form, or one with other arguments")
    args, kwargs = sample.make(rushlight, grad=False)
    if not args or not isinstance(args[0], rushlight.Tensor):
        pytest.skip("its first argument is no tensor")
    rushlight.manual_seed(0)
    expected = find(rushlight, name)(*args, **kwargs)
    target = args[0].clone()
    rushlight.manual_seed(0)
    if expected.shape != target.shape and not hasattr(twin, "__view__"):
        if name in ("squeeze", "unsqueeze", "transpose", "t", "swapaxes", "swapdims"):
            pytest.skip("changes the shape in place")
        with pytest.raises(RuntimeError):
            twin(target, *args[1:], **kwargs)
        return
    if not rushlight.can_cast(expected.dtype, target.dtype):
        with pytest.raises(RuntimeError):
            twin(target, *args[1:], **kwargs)
        return
    before = target._version
    assert twin(target, *args[1:], **kwargs) is target
    assert target._version == before + 1
    assert_same(target, expected.to(target.dtype), rtol=1e-12, atol=1e-12)


def test_out_receives_the_result(case):
    _, name, _, sample = case
    op = table.OPS.get(name.replace(".", "_"))
    if op is None or not op.out or op.view or op.multiple:
        pytest.skip("no out= form")
    args, kwargs = sample.make(rushlight, grad=False)
    rushlight.manual_seed(0)
    expected = find(rushlight, name)(*args, **kwargs)
    out = rushlight.empty(0, dtype=expected.dtype)
    rushlight.manual_seed(0)
    assert find(rushlight, name)(*args, **kwargs, out=out) is out
    assert_same(out, expected, rtol=0, atol=0)


def test_single_precision_stays_single(case):
    _, name, _, sample = case
    if not any(t.dtype is rushlight.float64 for t in tensors_in(list(sample.make(rushlight)), rushlight.Tensor)):
        pytest.skip("no floating input")
    result, args, kwargs = run(rushlight, name, sample, dtype="float32")
    for t in outputs(rushlight, result):
        assert t.dtype is not rushlight.float64 or "float64" in repr(sample) or "complex128" in repr(sample) or name == "float_power"
    live = [t for t in outputs(rushlight, result) if t.requires_grad]
    inputs = [t for t in tensors_in([args, kwargs], rushlight.Tensor) if t.requires_grad]
    if live:
        grads = rushlight.autograd.grad(live, inputs, [rushlight.ones_like(t) for t in live], allow_unused=True)
        assert all(g is None or g.dtype is t.dtype for g, t in zip(grads, inputs))


def test_an_array_is_no_tensor(case):
    _, name, _, sample = case
    args, kwargs = sample.make(rushlight, grad=False)
    if not args or not isinstance(args[0], rushlight.Tensor):
        pytest.skip("its first argument is no tensor")
    with pytest.raises((TypeError, AttributeError)):
        find(rushlight, name)(args[0].numpy(), *args[1:], **kwargs)


def test_every_public_operator_has_samples():
    sampled = {name for ops in SAMPLES.values() for name in ops}
    public = {op.name for op in table.OPS.values() if not op.name.startswith("_") and (op.method or op.function)}
    public |= {f"{space}.{name}" for space in CORNERS for name, f in table.namespaces[space].items()
               if f.__module__ == f"rushlight.{space}"}
    assert sorted(public - sampled) == []
