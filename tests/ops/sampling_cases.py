"""Calls of every sampling function, for comparing an engine with recordings of PyTorch: {name: function of the engine}."""
import numpy as np

SIZES = (1, 2, 5, 15, 16, 17, 31, 100, 257, 1000)
FLOATS = ("float32", "float64", "float16", "bfloat16")
IN_PLACE = {
    "uniform_": [(), (-1, 2)], "normal_": [(), (1, 3)], "exponential_": [(), (2.5,)], "cauchy_": [(), (1, 2)],
    "geometric_": [(0.3,)], "log_normal_": [(), (0, 0.5)], "bernoulli_": [(), (0.3,)], "random_": [(), (10,), (-5, 10)],
}


def cases():
    found = {}
    for dtype in FLOATS:
        for n in SIZES:
            for name in ("rand", "randn"):
                found[f"{name} {dtype} {n}"] = lambda lib, name=name, dtype=dtype, n=n: getattr(lib, name)(n, dtype=getattr(lib, dtype))
            for name, arguments in IN_PLACE.items():
                for args in arguments:
                    found[f"{name}{args} {dtype} {n}"] = lambda lib, name=name, dtype=dtype, n=n, args=args: getattr(
                        lib.zeros(n, dtype=getattr(lib, dtype)), name)(*args)
    for dtype in ("complex64", "complex128"):
        for n in SIZES:
            found[f"randn {dtype} {n}"] = lambda lib, dtype=dtype, n=n: lib.randn(n, dtype=getattr(lib, dtype))
            found[f"rand {dtype} {n}"] = lambda lib, dtype=dtype, n=n: lib.rand(n, dtype=getattr(lib, dtype))
    for dtype in ("int64", "int32", "int16", "uint8", "int8", "bool"):
        for n in SIZES:
            for name, arguments in (("random_", [()]), ("bernoulli_", [(), (0.3,)])):
                for args in arguments:
                    found[f"{name}{args} {dtype} {n}"] = lambda lib, name=name, dtype=dtype, n=n, args=args: getattr(
                        lib.zeros(n, dtype=getattr(lib, dtype)), name)(*args)
            found[f"randint {dtype} {n}"] = lambda lib, dtype=dtype, n=n: lib.randint(0, 2, (n,), dtype=getattr(lib, dtype))
    for n in SIZES:
        p = (np.arange(n) % 7 / 7 + 0.05).astype("float32")
        F = "nn.functional"
        found.update({
            f"randperm {n}": lambda lib, n=n: lib.randperm(n),
            f"randint wide {n}": lambda lib, n=n: lib.randint(-10 ** 12, 10 ** 12, (n,)),
            f"rand_like {n}": lambda lib, n=n: lib.rand_like(lib.zeros(n, 2).t()),
            f"randn_like {n}": lambda lib, n=n: lib.randn_like(lib.zeros(n)),
            f"randint_like {n}": lambda lib, n=n: lib.randint_like(lib.zeros(n), 3, 9),
            f"bernoulli {n}": lambda lib, p=p: lib.bernoulli(lib.from_numpy(p.copy())),
            f"bernoulli p {n}": lambda lib, n=n: lib.bernoulli(lib.zeros(n), 0.7),
            f"poisson {n}": lambda lib, p=p: lib.poisson(lib.from_numpy(p * 20)),
            f"binomial {n}": lambda lib, p=p: lib.binomial(lib.full((p.size,), 30.0), lib.from_numpy(p.copy())),
            f"normal tensors {n}": lambda lib, p=p: lib.normal(lib.from_numpy(p.copy()), lib.from_numpy(p + 1)),
            f"normal mean {n}": lambda lib, p=p: lib.normal(lib.from_numpy(p.copy()), 2.0),
            f"normal std {n}": lambda lib, p=p: lib.normal(1.0, lib.from_numpy(p.copy())),
            f"normal size {n}": lambda lib, n=n: lib.normal(1.0, 2.0, (n,)),
            f"multinomial {n}": lambda lib, p=p, n=n: lib.multinomial(lib.from_numpy(p.copy()), max(1, n // 2)),
            f"multinomial replacement {n}": lambda lib, p=p: lib.multinomial(lib.from_numpy(p.copy()), 20, replacement=True),
            f"permuted uniform_ {n}": lambda lib, n=n: lib.zeros(n, 3).t().uniform_(),
            f"permuted normal_ {n}": lambda lib, n=n: lib.zeros(n, 3).t().normal_(),
            f"dropout {n}": lambda lib, n=n: lib.nn.functional.dropout(lib.ones(n), 0.3),
            f"alpha_dropout {n}": lambda lib, n=n: lib.nn.functional.alpha_dropout(lib.ones(n), 0.3, training=True),
            f"dropout1d {n}": lambda lib, n=n: lib.nn.functional.dropout1d(lib.ones(2, n, 3), 0.5),
            f"dropout2d {n}": lambda lib, n=n: lib.nn.functional.dropout2d(lib.ones(2, n, 3, 2), 0.5),
            f"feature_alpha_dropout {n}": lambda lib, n=n: lib.nn.functional.feature_alpha_dropout(lib.ones(2, n, 3), 0.5, training=True),
            f"rrelu {n}": lambda lib, n=n: lib.nn.functional.rrelu(-lib.ones(n), training=True),
            f"gumbel_softmax {n}": lambda lib, n=n: lib.nn.functional.gumbel_softmax(lib.zeros(n), hard=True, dim=0),
            f"state after {n} {F}": lambda lib, n=n: (lib.randn(n), lib.rand(n), lib.get_rng_state())[-1],
        })
    return found


def fingerprint(t):
    """dtype, shape and the bytes of a result, shortened to a digest."""
    import hashlib

    dtype = str(t.dtype).rpartition(".")[2]
    array = np.ascontiguousarray((t.float() if dtype == "bfloat16" else t).detach().numpy())
    return f"{dtype} {list(t.shape)} {hashlib.sha256(array.tobytes()).hexdigest()[:16]}"


def record(lib, seed):
    made = {}
    for name, call in cases().items():
        lib.manual_seed(seed)
        made[name] = fingerprint(call(lib))
    return made
