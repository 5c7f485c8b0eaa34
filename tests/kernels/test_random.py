"""The random kernels against a recording of PyTorch, against PyTorch where installed, and on their own."""

import importlib.util
import pathlib
import pickle
import threading
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.kernels import random as R
from rushlight.kernels import random_discrete as D
from rushlight.kernels import random_fused as F
from rushlight.kernels import random_normal as N
from rushlight.kernels import random_order as O
from rushlight.kernels import random_rejection as J

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
_SPEC = importlib.util.spec_from_file_location("make_random", GOLDEN / "make_random.py")
record = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(record)


def np_dtype(name):
    return R.BFLOAT16 if name == "bfloat16" else np.dtype(name)


def _w(n, d, scale=1.0):
    values = record.weights(n) * scale
    return values.astype(d)


def _alpha(engine, n, d):
    factor, addend = D.alpha_dropout_noise(engine, n, d, 0.7)
    assert factor.dtype == addend.dtype == d
    return addend


def _permuted_normal(engine, n, d):
    return N.normal(engine, (n, 3), d, 0.5, 1.3, contiguous=n < 2)


# name -> the same call on an Engine
KERNELS = {
    "rand": lambda e, n, d: R.uniform(e, n, d),
    "uniform": lambda e, n, d: R.uniform(e, n, d, -1.3, 1.8),
    "randn": lambda e, n, d: N.normal(e, n, d),
    "normal": lambda e, n, d: N.normal(e, n, d, 1.7, 0.31),
    "normal_std": lambda e, n, d: N.normal(e, n, d, 0, 0.02),
    "normal_mean": lambda e, n, d: N.normal(e, n, d, 2.2, 1),
    "normal_permuted": _permuted_normal,
    "log_normal": lambda e, n, d: N.log_normal(e, n, d, 0.2, 0.7),
    "normal_tensors": lambda e, n, d: N.normal_tensors(e, _w(n, d, 0.1), _w(n, d), d),
    "normal_number_tensor": lambda e, n, d: N.normal_tensors(e, 0.37, _w(n, d), d),
    "normal_tensor_number": lambda e, n, d: N.normal_tensors(e, _w(n, d, 0.1), 1.3, d),
    "exponential": lambda e, n, d: R.exponential(e, n, d, 1.3),
    "cauchy": lambda e, n, d: R.cauchy(e, n, d, 0.3, 1.3),
    "geometric": lambda e, n, d: D.geometric(e, n, d, 0.3),
    "random": lambda e, n, d: D.random(e, n, d),
    "randint": lambda e, n, d: D.random_from_to(e, n, d, 3, 100),
    "random_from": lambda e, n, d: D.random_from_to(e, n, d, -7, None),
    "random_28": lambda e, n, d: D.random_from_to(e, n, d, 5, 5 + 2**28),
    "random_27": lambda e, n, d: D.random_from_to(e, n, d, 5, 4 + 2**28),
    "random_62": lambda e, n, d: D.random_from_to(e, n, d, -(2**62), 2**62),
    "random_64": lambda e, n, d: D.random_from_to(e, n, d, -(2**63), None),
    "bernoulli": lambda e, n, d: D.bernoulli(e, n, d, 0.3),
    "bernoulli_tensor": lambda e, n, d: D.bernoulli_tensor(e, _w(n, d, 0.5), d),
    "dropout": lambda e, n, d: D.dropout_noise(e, n, d, 0.1),
    "alpha_dropout": _alpha,
    "randperm": lambda e, n, d: D.randperm(e, n, d),
    "multinomial": lambda e, n, d: D.multinomial(e, _w(n + 1, d), n // 2 + 1),
    "multinomial_replaced": lambda e, n, d: D.multinomial(e, _w(n + 1, d), n + 2, True),
    "poisson": lambda e, n, d: J.poisson(e, _w(n, d, 20.0)),
    "binomial": lambda e, n, d: J.binomial(e, _w(n, d, 64.0), _w(n, d, 0.6)),
    "standard_gamma": lambda e, n, d: J.standard_gamma(e, _w(n, d, 3.0)),
    "dirichlet": lambda e, n, d: J.dirichlet(e, _w(3 * n + 3, d).reshape(3, n + 1)),
    "rrelu": lambda e, n, d: R.rrelu_noise(e, _w(n, d) - d.type(0.8), 0.1, 0.35),
}
STREAMS = [(name, dtype) for name, (dtypes, _) in record.CASES.items() for dtype in dtypes]
# their float64 results show the last bit of the C library's functions, which differs between libraries
LIBM = {
    "randn",
    "normal",
    "normal_std",
    "normal_mean",
    "normal_permuted",
    "log_normal",
    "normal_tensors",
    "normal_number_tensor",
    "normal_tensor_number",
    "exponential",
    "cauchy",
    "standard_gamma",
    "dirichlet",
}


def raw(array):
    return np.ascontiguousarray(array).tobytes()


# -- against the recording ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def streams():
    with np.load(GOLDEN / "random" / "streams.npz") as file:
        return {name: file[name] for name in file.files}


@pytest.fixture(scope="module")
def states():
    lines = (GOLDEN / "random" / "states.txt").read_text().splitlines()[1:]
    return dict(line.split() for line in lines)


@pytest.mark.parametrize(("name", "dtype"), STREAMS)
def test_stream_is_pytorchs(name, dtype, streams, states):
    engine = R.Engine(record.SEED)
    d = np_dtype(dtype)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "to - 1 is out of bounds", UserWarning)
        drawn = b"".join(raw(KERNELS[name](engine, n, d)) for n in record.SIZES)
    assert record.digest(engine.get_state()) == states[f"{name}-{dtype}"]
    want = streams[f"{name}-{dtype}"].tobytes()
    if drawn != want and name in LIBM and d.itemsize >= 8:
        real = np.float64 if dtype in ("float64", "complex128") else np.float32
        np.testing.assert_allclose(np.frombuffer(drawn, real), np.frombuffer(want, real), rtol=1e-14)
    else:
        assert drawn == want


def test_the_state_is_pytorchs():
    saved = np.load(GOLDEN / "random" / "state.npy")
    engine = R.Engine(2**63 + 5)
    N.normal(engine, 3, "float32")
    R.uniform(engine, 5, "float32")
    state = engine.get_state()
    assert (state[:5016] == saved[:5016]).all() and (state[5040:] == saved[5040:]).all()
    assert state[5024:5032].view("f8") == pytest.approx(saved[5024:5032].view("f8"), rel=1e-14)
    other = R.Engine()
    other.set_state(saved)
    assert raw(other.get_state()) == raw(saved)
    assert other.initial_seed() == 2**63 + 5


# -- against PyTorch itself ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_torch():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = pytest.importorskip("torch")
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        pytest.skip("PyTorch draws other normals on processors without AVX2")
    return torch


def agree(torch, engine, theirs, ours):
    """Both draw the same bytes and end in the same state."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is out of bounds", UserWarning)
        want, got = theirs(), ours()
    assert record.raw(torch, want) == raw(got)
    assert raw(torch.get_rng_state().numpy()) == raw(engine.get_state())


def both(torch, engine, name, dtype, n):
    draw = record.CASES[name][1]
    theirs = getattr(torch, dtype)
    agree(torch, engine, lambda: draw(torch, n, theirs), lambda: KERNELS[name](engine, n, np_dtype(dtype)))


@pytest.mark.parametrize("seed", [0, 2**40 + 7])
def test_interleaved_with_pytorch(real_torch, seed):
    """All distributions and dtypes in turn on one stream: what one leaves behind shows in the next."""
    real_torch.manual_seed(seed)
    engine = R.Engine(seed)
    for n in (*range(0, 41, 3), 16, 17, 100, 1000, 1001):
        for name, dtype in STREAMS:
            if name == "randperm" and n > 128 and dtype in ("uint8", "int8"):
                continue
            if name == "bernoulli_tensor" and n > 100:
                continue  # the recording's weights exceed 1 there
            both(real_torch, engine, name, dtype, n)


@pytest.mark.parametrize(
    "name",
    [
        "rand",
        "uniform",
        "randn",
        "normal",
        "randint",
        "random",
        "bernoulli",
        "dropout",
        "exponential",
        "randperm",
    ],
)
def test_large_with_pytorch(real_torch, name):
    real_torch.manual_seed(3)
    engine = R.Engine(3)
    for dtype in record.CASES[name][0]:
        if name == "randperm" and dtype not in ("int32", "int64", "float32"):
            continue
        both(real_torch, engine, name, dtype, 65537)


RANGES = [
    (0, 2),
    (-5, 7),
    (-(2**40), None),
    (5, None),
    (0, 2**32),
    (-(2**63), 2**63 - 1),
    (0, 65504),
    (0, 70000),
    (70000, 80000),
    (255, 257),
    (256, 258),
    (2049, 4099),
    (2**24 - 1, 2**24 + 5),
    (2**24 + 1, 2**24 + 2),
    (2**63 - 2, 2**63 - 1),
    (5, 5),
    (0, 256),
    (-(2**63), None),
]


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_ranges_and_their_errors_with_pytorch(real_torch, low, high):
    engine = R.Engine(1)
    real_torch.manual_seed(1)
    for dtype in (*record.FLOATS, *record.INTEGERS, "uint16", "uint32", "uint64", "complex64"):

        def theirs():
            return real_torch.empty(9, dtype=getattr(real_torch, dtype)).random_(low, high)  # noqa: B023

        def ours():
            return D.random_from_to(engine, 9, np_dtype(dtype), low, high)  # noqa: B023

        same_outcome(real_torch, engine, theirs, ours)


def same_outcome(torch, engine, theirs, ours):
    """The same bytes and warnings, or the same exception with the same first line; then the same state."""
    outcomes = []
    for call in (theirs, ours):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = call()
                value = record.raw(torch, result) if isinstance(result, torch.Tensor) else raw(result)
            except Exception as error:
                value = type(error), str(error).splitlines()[0]
        outcomes.append((value, [str(item.message).split(" (Triggered")[0] for item in caught]))
    assert outcomes[0] == outcomes[1]
    assert raw(torch.get_rng_state().numpy()) == raw(engine.get_state())


F4 = np.dtype("float32")
NAN, INF = float("nan"), float("inf")


def _f(value, n=4):
    return np.full(n, value, F4)


# what PyTorch is called with (t is torch, x makes a float32 tensor), and the kernel
OUTCOMES = {
    "uniform order": (lambda t, x: x(0).uniform_(1, 0), lambda e: R.uniform(e, 4, F4, 1, 0)),
    "uniform bound": (lambda t, x: x(0).uniform_(0, 1e39), lambda e: R.uniform(e, 4, F4, 0, 1e39)),
    "uniform span": (lambda t, x: x(0).uniform_(-3e38, 3e38), lambda e: R.uniform(e, 4, F4, -3e38, 3e38)),
    "uniform nan": (lambda t, x: x(0).uniform_(NAN, 1), lambda e: R.uniform(e, 4, F4, NAN, 1)),
    "uniform point": (lambda t, x: x(0).uniform_(2, 2), lambda e: R.uniform(e, 4, F4, 2, 2)),
    "uniform int": (lambda t, x: x(0).int().uniform_(), lambda e: R.uniform(e, 4, np.int32)),
    "normal std": (lambda t, x: x(0).normal_(0, -1), lambda e: N.normal(e, 4, F4, 0, -1)),
    "normal nan": (lambda t, x: x(0).normal_(0, NAN), lambda e: N.normal(e, 4, F4, 0, NAN)),
    "normal int": (lambda t, x: x(0).int().normal_(), lambda e: N.normal(e, 4, np.int32)),
    "normal huge": (lambda t, x: x(0, 20).normal_(1e38, 1e300), lambda e: N.normal(e, 20, F4, 1e38, 1e300)),
    "normal far": (lambda t, x: x(0, 20).normal_(1e38, 1e38), lambda e: N.normal(e, 20, F4, 1e38, 1e38)),
    "normal tiny": (lambda t, x: x(0, 40).normal_(1e-40, 1e-39), lambda e: N.normal(e, 40, F4, 1e-40, 1e-39)),
    "normal zero": (lambda t, x: x(0, 40).normal_(0, 0), lambda e: N.normal(e, 40, F4, 0, 0)),
    "normal half": (lambda t, x: x(0, 20).half().normal_(3, 1e5), lambda e: N.normal(e, 20, "f2", 3, 1e5)),
    "normal deviations": (
        lambda t, x: t.normal(x(0), x(-1)),
        lambda e: N.normal_tensors(e, _f(0), _f(-1), F4),
    ),
    "log_normal std": (lambda t, x: x(0).log_normal_(0, 0), lambda e: N.log_normal(e, 4, F4, 0, 0)),
    "log_normal inf": (lambda t, x: x(0).log_normal_(1000, 1), lambda e: N.log_normal(e, 4, F4, 1000, 1)),
    "exponential rate": (lambda t, x: x(0).exponential_(0), lambda e: R.exponential(e, 4, F4, 0)),
    "exponential inf": (lambda t, x: x(0).exponential_(INF), lambda e: R.exponential(e, 4, F4, INF)),
    "exponential int": (lambda t, x: x(0).int().exponential_(), lambda e: R.exponential(e, 4, np.int32)),
    "cauchy scale": (lambda t, x: x(0).cauchy_(0, 0), lambda e: R.cauchy(e, 4, F4, 0, 0)),
    "cauchy int": (lambda t, x: x(0).int().cauchy_(), lambda e: R.cauchy(e, 4, np.int32)),
    "geometric p": (lambda t, x: x(0).geometric_(0), lambda e: D.geometric(e, 4, F4, 0)),
    "geometric wraps": (
        lambda t, x: x(0).byte().geometric_(1e-3),
        lambda e: D.geometric(e, 4, np.uint8, 1e-3),
    ),
    "geometric big": (
        lambda t, x: x(0).int().geometric_(1e-12),
        lambda e: D.geometric(e, 4, np.int32, 1e-12),
    ),
    "bernoulli p": (lambda t, x: x(0).bernoulli_(1.5), lambda e: D.bernoulli(e, 4, F4, 1.5)),
    "bernoulli nan": (lambda t, x: x(0).bernoulli_(NAN), lambda e: D.bernoulli(e, 4, F4, NAN)),
    "bernoulli tensor": (lambda t, x: t.bernoulli(x(2)), lambda e: D.bernoulli_tensor(e, _f(2), F4)),
    "bernoulli ends": (lambda t, x: x(0, 99).bernoulli_(1.0), lambda e: D.bernoulli(e, 99, F4, 1.0)),
    "dropout p": (lambda t, x: t.dropout(x(1), 1.5, True), lambda e: D.dropout_noise(e, 4, F4, 1.5)),
    "dropout all": (lambda t, x: t.dropout(x(1), 1.0, True), lambda e: D.dropout_noise(e, 4, F4, 1.0)),
    "feature dropout": (lambda t, x: t.feature_dropout(x(1), 0.5, True), lambda e: D.feature_shape((4,))),
    "randperm negative": (lambda t, x: t.randperm(-1), lambda e: D.randperm(e, -1)),
    "randperm half": (lambda t, x: t.randperm(2050, dtype=t.half), lambda e: D.randperm(e, 2050, "f2")),
    "randperm byte": (lambda t, x: t.randperm(300, dtype=t.uint8), lambda e: D.randperm(e, 300, "u1")),
    "randperm float": (
        lambda t, x: t.randperm(2**24 + 2, dtype=t.float),
        lambda e: D.randperm(e, 2**24 + 2, F4),
    ),
    "poisson": (lambda t, x: t.poisson(x(-1)), lambda e: J.poisson(e, _f(-1))),
    "poisson big": (lambda t, x: t.poisson(x(1e10)), lambda e: J.poisson(e, _f(1e10))),
    "multinomial zero": (lambda t, x: t.multinomial(x(0), 1), lambda e: D.multinomial(e, _f(0), 1)),
    "multinomial negative": (
        lambda t, x: t.multinomial(x(-1), 1, True),
        lambda e: D.multinomial(e, _f(-1), 1, True),
    ),
    "multinomial row": (
        lambda t, x: t.multinomial(x(-1), 2, True),
        lambda e: D.multinomial(e, _f(-1), 2, True),
    ),
    "multinomial inf": (
        lambda t, x: t.multinomial(x(INF), 2, True),
        lambda e: D.multinomial(e, _f(INF), 2, True),
    ),
    "multinomial many": (lambda t, x: t.multinomial(x(1), 5), lambda e: D.multinomial(e, _f(1), 5)),
    "multinomial none": (lambda t, x: t.multinomial(x(1), 0), lambda e: D.multinomial(e, _f(1), 0)),
    "multinomial dims": (
        lambda t, x: t.multinomial(t.ones(2, 2, 2), 1),
        lambda e: D.multinomial(e, np.ones((2, 2, 2), F4), 1),
    ),
    "multinomial ties": (
        lambda t, x: t.multinomial(t.eye(100), 60),
        lambda e: D.multinomial(e, np.eye(100, dtype=F4), 60),
    ),
    "multinomial heap": (
        lambda t, x: t.multinomial(t.eye(999), 9),
        lambda e: D.multinomial(e, np.eye(999, dtype=F4), 9),
    ),
    "multinomial half": (
        lambda t, x: t.multinomial(t.ones(999).half(), 900),
        lambda e: D.multinomial(e, np.ones(999, "f2"), 900),
    ),
    "gamma negative": (lambda t, x: t._standard_gamma(x(-1)), lambda e: J.standard_gamma(e, _f(-1))),
    "gamma small": (lambda t, x: t._standard_gamma(x(1e-30)), lambda e: J.standard_gamma(e, _f(1e-30))),
    "gamma nan": (lambda t, x: t._standard_gamma(x(NAN)), lambda e: J.standard_gamma(e, _f(NAN))),
    "binomial nan": (lambda t, x: t.binomial(x(5), x(NAN)), lambda e: J.binomial(e, _f(5), _f(NAN))),
    "binomial large": (lambda t, x: t.binomial(x(3e9), x(0.7)), lambda e: J.binomial(e, _f(3e9), _f(0.7))),
    "binomial outside": (lambda t, x: t.binomial(x(5), x(2)), lambda e: J.binomial(e, _f(5), _f(2))),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_corners_and_errors_with_pytorch(real_torch, name):
    theirs, ours = OUTCOMES[name]
    engine = R.Engine(5)
    real_torch.manual_seed(5)
    make = lambda value, n=4: real_torch.full((n,), float(value))  # noqa: E731
    if name == "feature dropout":
        with pytest.raises(RuntimeError, match="Feature dropout requires at least 2 dimensions in the input"):
            theirs(real_torch, make)
        with pytest.raises(RuntimeError, match="Feature dropout requires at least 2 dimensions in the input"):
            ours(engine)
        return
    same_outcome(real_torch, engine, lambda: theirs(real_torch, make), lambda: ours(engine))


def layouts(torch):
    base = torch.rand(3, 4, 5)
    return [
        base,
        base.transpose(0, 1),
        base.permute(2, 0, 1),
        base[:, ::2].transpose(1, 2),
        base[:, :, 1:4].permute(1, 2, 0),
        base[:1].expand(4, 4, 5),
        torch.rand(5).expand(4, 5),
        base[0].t(),
        base[:, 0, 0],
        torch.rand(1, 5).t(),
        torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.rand(7, 1, 3).permute(2, 1, 0),
    ]


@pytest.mark.parametrize("index", range(12))
def test_layouts_with_pytorch(real_torch, index):
    torch = real_torch
    x = layouts(torch)[index]
    array, d = x.numpy(), np.dtype("float32")
    like = torch.empty_like(x).is_contiguous()
    engine = R.Engine(1)
    torch.manual_seed(1)
    out_of_place = [
        (lambda: torch.rand_like(x), lambda: R.drawn_like(array, lambda s: R.uniform(engine, s, d))),
        (
            lambda: torch.randn_like(x),
            lambda: R.drawn_like(array, lambda s: N.normal(engine, s, d, contiguous=like)),
        ),
        (
            lambda: torch.dropout(x, 0.3, True),
            lambda: array * R.drawn_like(array, lambda s: D.dropout_noise(engine, s, d, 0.3)),
        ),
        (lambda: torch.bernoulli(x), lambda: D.bernoulli_tensor(engine, array, d)),
        (lambda: torch.bernoulli(x, 0.3), lambda: D.bernoulli(engine, array.shape, d, 0.3)),
        (lambda: torch.poisson(x), lambda: J.poisson(engine, array)),
        (lambda: torch._standard_gamma(x), lambda: J.standard_gamma(engine, array)),
    ]
    if x.dim() <= 2:
        out_of_place.append((lambda: torch.multinomial(x, 1), lambda: D.multinomial(engine, array, 1)))
        out_of_place.append(
            (lambda: torch.multinomial(x, 2, True), lambda: D.multinomial(engine, array, 2, True))
        )
    for theirs, ours in out_of_place:
        agree(torch, engine, theirs, ours)
    if 0 in x.stride():
        return
    in_place = [
        (lambda t: t.uniform_(), lambda s: R.uniform(engine, s, d)),
        (lambda t: t.normal_(), lambda s: N.normal(engine, s, d, contiguous=x.is_contiguous())),
        (lambda t: t.bernoulli_(0.3), lambda s: D.bernoulli(engine, s, d, 0.3)),
        (lambda t: t.exponential_(), lambda s: R.exponential(engine, s, d)),
        (lambda t: t.random_(), lambda s: D.random(engine, s, d)),
    ]
    for theirs, ours in in_place:
        one, two = (torch.zeros(1000).as_strided(x.shape, x.stride()) for _ in range(2))
        theirs(one)
        view = R.memory_order(two.numpy())
        view[...] = ours(view.shape)
        assert torch.equal(one, two)


# -- the engine ---------------------------------------------------------------------------------------------


def test_seeds():
    assert R.Engine().initial_seed() == 67280421310721
    assert R.Engine(-1).initial_seed() == 2**64 - 1
    assert R.Engine(-(2**63)).initial_seed() == 2**63
    for seed in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match="^Overflow when unpacking long long\n"):
            R.Engine(seed)
    # only 32 bits of a seed start the stream
    assert raw(R.Engine(7).random32(9)) == raw(R.Engine(7 + 2**32).random32(9))
    engine = R.Engine(0)
    chosen = engine.seed()
    assert engine.initial_seed() == chosen and raw(R.Engine(chosen).random32(5)) == raw(engine.random32(5))


def test_words():
    # the first outputs of init_genrand(5489), the reference implementation's default seed
    assert R.Engine(5489).random32(3).tolist() == [3499211612, 581869302, 3890346734]
    words = R.Engine(5489).random32(2000).astype(np.uint64)
    assert (R.Engine(5489).random64(1000) == words[0::2] * 2**32 + words[1::2]).all()


@pytest.mark.parametrize("drawn", [0, 1, 623, 624, 625, 1248, 5000])
def test_a_saved_state_goes_on(drawn):
    engine = R.Engine(11)
    engine.random32(drawn)
    state = engine.get_state()
    assert state.dtype == np.uint8 and state.shape == (5056,)
    for other in (R.Engine(), engine.clone(), pickle.loads(pickle.dumps(engine))):
        other.set_state(state)
        assert raw(other.get_state()) == raw(state)
        assert raw(other.random32(700)) == raw(R.Engine(11).random32(drawn + 700)[drawn:])
    assert raw(engine.get_state()) == raw(state)


def test_the_cached_normal_belongs_to_the_state():
    engine = R.Engine(0)
    N.normal(engine, 1, "float64")
    assert engine.next_double_normal_sample is not None
    copy = engine.clone()
    assert raw(N.normal(copy, 3, "float32")) == raw(N.normal(engine, 3, "float32"))
    assert engine.manual_seed(0).next_double_normal_sample is None


def test_bad_states_change_nothing():
    engine = R.Engine(3)
    engine.random32(5)
    good = engine.get_state()
    unseeded, spent, torn = good.copy(), good.copy(), good.copy()
    unseeded[12:16] = 0
    spent[8:12] = 0
    torn[16] += 1
    for state, error, message in [
        ([1], TypeError, "expected a torch.ByteTensor, but got list\n"),
        (np.zeros(5056), TypeError, "RNG state must be a torch.ByteTensor\n"),
        (
            np.zeros(5, np.uint8),
            RuntimeError,
            "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5\n",
        ),
        (np.zeros(5056, np.uint8), RuntimeError, "Invalid mt19937 state\n"),
        (unseeded, RuntimeError, "Invalid mt19937 state\n"),
        (spent, RuntimeError, "Invalid mt19937 state\n"),
        (torn, RuntimeError, "Invalid mt19937 state\n"),
    ]:
        with pytest.raises(error) as caught:
            engine.set_state(state)
        assert str(caught.value).startswith(message)
        assert raw(engine.get_state()) == raw(good)


def test_threads_take_turns():
    engine = R.Engine(0)
    drawn = []

    def draw():
        for _ in range(100):
            drawn.append(raw(D.bernoulli(engine, 500, np.float32, 0.3)))
            drawn.append(raw(N.normal(engine, 5, np.float32)))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # whatever the order of the calls was, each took its words as a whole
    assert int(engine._memory[624]) == int(_after(400 * 1000 + 4 * 1000)._memory[624])
    assert raw(engine._memory) == raw(_after(400 * 1000 + 4 * 1000)._memory)


def _after(words):
    engine = R.Engine(0)
    engine.random32(words)
    return engine


# -- the parts ----------------------------------------------------------------------------------------------


def _rounded_fraction(value, kind):
    """The nearest float of `kind` to a fraction, ties to even."""
    near = kind(float(value))
    candidates = [near, np.nextafter(near, kind(-np.inf)), np.nextafter(near, kind(np.inf))]
    return min(candidates, key=lambda c: (abs(Fraction(float(c)) - value), int(c.view(f"u{c.itemsize}")) & 1))


@settings(deadline=None)
@given(
    st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=8),
    st.floats(-3, 3, width=32),
    st.floats(-3, 3, width=32),
)
def test_fused32_rounds_once(values, b, c):
    for value, got in zip(values, F.fused32(np.array(values, np.float32), b, c), strict=True):
        want = _rounded_fraction(Fraction(value) * Fraction(b) + Fraction(c), np.float32)
        assert got == want


@settings(deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(1e-9, 3), st.floats(-3, 3))
def test_fused64_rounds_once(values, b, c):
    values = [value for value in values if abs(value) > 1e-100] or [0.1]
    for value, got in zip(values, F.fused64(np.array(values), b, c), strict=True):
        assert got == _rounded_fraction(Fraction(value) * Fraction(b) + Fraction(c), np.float64)


def test_fused32_at_the_middle_of_two_floats():
    # 1 + 2**-24 is halfway between two float32; 2**-60 more or less decides, and float64 alone cannot see it
    a = np.array([2.0**-60, -(2.0**-60)], np.float32)
    assert F.fused32(a * np.float32(2**36), 3 * 2.0**-36, 1.0).tolist() == [1.0, 1.0]
    total = F._to_odd(np.array([2.0**-24]) + 1.0, np.array([2.0**-60])).astype(np.float32)
    assert total.tolist() == [1.0 + 2.0**-23]


def test_logarithm_and_sine_round_as_fused_operations():
    """Over a part of the 2**24 uniforms, the float64 steps equal properly rounded fused ones."""
    one = np.float32(1)

    def fma(p, q, r):
        p, q, r = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (p, q, r)))
        return F._to_odd(p * q, r).astype(np.float32)

    u = (np.arange(1 << 16, dtype=np.float32) * 251 % (1 << 24)) * np.float32(2.0**-24)
    x = one - u
    bits = x.view(np.int32) - N._SQRT_HALF_BITS
    exponent = (bits >> 23).astype(np.float32)
    f = ((bits & 0x7FFFFF) + N._SQRT_HALF_BITS).view(np.float32) - one
    y = np.full_like(f, N._LOG[0])
    for coefficient in N._LOG[1:]:
        y = fma(y, f, coefficient)
    y = fma(y * f, f * f, exponent * N._LN2_LOW) - f * f * np.float32(0.5)
    assert (N._log32(x) == f + y + exponent * N._LN2_HIGH).all()
    assert np.abs(N._log32(x) - np.log(x.astype(np.float64))).max() < 1e-6

    angle = u * N._TWO_PI32
    sine, cosine = N._sincos32(angle)
    assert np.abs(sine - np.sin(angle.astype(np.float64))).max() < 2e-7
    assert np.abs(cosine - np.cos(angle.astype(np.float64))).max() < 2e-7


@pytest.mark.parametrize("n", [2, 3, 10, 257, 300, 1000])
def test_swaps_without_a_loop(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        steps = np.arange(n - 1)
        targets = steps + rng.integers(0, np.minimum(n - steps, rng.integers(1, n + 1)))
        items = list(range(n))
        for i, j in enumerate(targets.tolist()):
            items[i], items[j] = items[j], items[i]
        assert D._swap_all(targets, n).tolist() == items


def test_the_wide_permutation():
    engine = R.Engine(4)
    items = D._shuffle_inside_out(engine, 1000)
    assert sorted(items.tolist()) == list(range(1000))
    numbers, want = R.Engine(4).random64(1000).tolist(), []
    for i, number in enumerate(numbers):
        place = number % (i + 1)
        want.append(i)
        want[i], want[place] = want[place], i
    assert items.tolist() == want
    assert raw(engine.get_state()) == raw(_skipped(4, 2000).get_state())


def _skipped(seed, words):
    engine = R.Engine(seed)
    engine.random32(words)
    return engine


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=300), st.data())
def test_largest_is_a_selection(keys, data):
    k = data.draw(st.integers(1, len(keys)))
    chosen = O.largest(np.array(keys, np.float32), k).tolist()
    assert len(set(chosen)) == k
    assert [keys[i] for i in chosen] == sorted(keys, reverse=True)[:k]


def test_kernels_do_not_leak_warnings_or_draw_for_nothing():
    engine = R.Engine(0)
    before = raw(engine.get_state())
    for name, dtype in STREAMS:
        if not name.startswith(("multinomial", "dirichlet")):
            KERNELS[name](engine, 0, np_dtype(dtype))
    assert raw(engine.get_state()) == before
    with pytest.raises(RuntimeError, match="Lower bound should be less than or equal to the upper bound"):
        R.rrelu_noise(engine, _f(-1), 0.5, 0.1)
    with pytest.raises(
        RuntimeError, match="^result type Float can't be cast to the desired output type Long\n"
    ):
        D.dropout_noise(engine, 4, np.int64, 0.5)
    with pytest.raises(ValueError, match="binomial only supports floating-point dtypes for count, got: Long"):
        J.binomial(engine, np.arange(3), np.arange(3))
    assert raw(engine.get_state()) == before
