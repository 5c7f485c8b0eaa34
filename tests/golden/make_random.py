"""Records what real PyTorch draws, for tests/kernels/test_random.py. Run it where PyTorch is installed:

python tests/golden/make_random.py

Each case is one seeded stream that is drawn from at every size in turn, so that the recording also pins how
much each call reads and what it leaves in the generator. Kept are the bytes of all values and a digest of the
final state without its cached normal (whose last bit is the C library's).
"""

import hashlib
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).with_name("random")
SIZES = (0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 40, 100)
SEED = 20240229

FLOATS = ("float16", "bfloat16", "float32", "float64")
WIDE = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")


def weights(n):
    """Positive numbers that every machine computes alike."""
    return (np.arange(n) * 37 % 101 + 1) / 64.0


def _t(torch, n, dtype, scale=1.0):
    return torch.from_numpy(weights(n) * scale).to(dtype)


# name -> dtypes, and what PyTorch calls for (torch, n, dtype)
CASES = {
    "rand": (FLOATS + COMPLEX, lambda torch, n, d: torch.rand(n, dtype=d)),
    "uniform": (FLOATS + COMPLEX, lambda torch, n, d: torch.empty(n, dtype=d).uniform_(-1.3, 1.8)),
    "randn": (FLOATS + COMPLEX, lambda torch, n, d: torch.randn(n, dtype=d)),
    "normal": (FLOATS + COMPLEX, lambda torch, n, d: torch.empty(n, dtype=d).normal_(1.7, 0.31)),
    "normal_std": (FLOATS, lambda torch, n, d: torch.empty(n, dtype=d).normal_(0, 0.02)),
    "normal_mean": (FLOATS, lambda torch, n, d: torch.empty(n, dtype=d).normal_(2.2, 1)),
    "normal_permuted": (FLOATS, lambda torch, n, d: torch.empty(n, 3, dtype=d).t().normal_(0.5, 1.3).t()),
    "log_normal": (FLOATS, lambda torch, n, d: torch.empty(n, dtype=d).log_normal_(0.2, 0.7)),
    "normal_tensors": (FLOATS, lambda torch, n, d: torch.normal(_t(torch, n, d, 0.1), _t(torch, n, d))),
    "normal_number_tensor": (FLOATS, lambda torch, n, d: torch.normal(0.37, _t(torch, n, d))),
    "normal_tensor_number": (FLOATS, lambda torch, n, d: torch.normal(_t(torch, n, d, 0.1), 1.3)),
    "exponential": (FLOATS, lambda torch, n, d: torch.empty(n, dtype=d).exponential_(1.3)),
    "cauchy": (FLOATS, lambda torch, n, d: torch.empty(n, dtype=d).cauchy_(0.3, 1.3)),
    "geometric": (FLOATS + INTEGERS[1:], lambda torch, n, d: torch.empty(n, dtype=d).geometric_(0.3)),
    "random": (FLOATS + INTEGERS, lambda torch, n, d: torch.empty(n, dtype=d).random_()),
    "randint": (FLOATS + INTEGERS[1:], lambda torch, n, d: torch.randint(3, 100, (n,), dtype=d)),
    "random_from": (FLOATS + INTEGERS[2:], lambda torch, n, d: torch.empty(n, dtype=d).random_(-7, None)),
    "random_28": (("int32", "int64"), lambda torch, n, d: torch.empty(n, dtype=d).random_(5, 5 + 2**28)),
    "random_27": (("int32", "int64"), lambda torch, n, d: torch.empty(n, dtype=d).random_(5, 4 + 2**28)),
    "random_62": (("int64",), lambda torch, n, d: torch.empty(n, dtype=d).random_(-(2**62), 2**62)),
    "random_64": (
        ("int64", "float64", "float32", "bfloat16"),
        lambda torch, n, d: torch.empty(n, dtype=d).random_(-(2**63), None),
    ),
    "bernoulli": (FLOATS + INTEGERS, lambda torch, n, d: torch.empty(n, dtype=d).bernoulli_(0.3)),
    "bernoulli_tensor": (FLOATS, lambda torch, n, d: torch.bernoulli(_t(torch, n, d, 0.5))),
    "dropout": (FLOATS, lambda torch, n, d: torch.dropout(torch.ones(n, dtype=d), 0.1, True)),
    "alpha_dropout": (FLOATS, lambda torch, n, d: torch.alpha_dropout(torch.zeros(n, dtype=d), 0.7, True)),
    "randperm": (FLOATS + INTEGERS[1:], lambda torch, n, d: torch.randperm(n, dtype=d)),
    "multinomial": (FLOATS, lambda torch, n, d: torch.multinomial(_t(torch, n + 1, d), n // 2 + 1)),
    "multinomial_replaced": (FLOATS, lambda torch, n, d: torch.multinomial(_t(torch, n + 1, d), n + 2, True)),
    "poisson": (FLOATS, lambda torch, n, d: torch.poisson(_t(torch, n, d, 20.0))),
    "binomial": (WIDE, lambda torch, n, d: torch.binomial(_t(torch, n, d, 64.0), _t(torch, n, d, 0.6))),
    "standard_gamma": (WIDE, lambda torch, n, d: torch._standard_gamma(_t(torch, n, d, 3.0))),
    "dirichlet": (WIDE, lambda torch, n, d: torch._sample_dirichlet(_t(torch, 3 * n + 3, d).view(3, n + 1))),
    "rrelu": (WIDE, lambda torch, n, d: _rrelu(torch, n, d)),
}


def _rrelu(torch, n, dtype):
    noise = torch.empty(n, dtype=dtype)
    torch._C._nn.rrelu_with_noise(_t(torch, n, dtype) - 0.8, noise, 0.1, 0.35, True)
    return noise


def digest(state):
    """A digest of a saved state up to its cached normal."""
    return hashlib.sha256(np.asarray(state)[:5016].tobytes()).hexdigest()[:16]


def raw(torch, tensor):
    """The bytes of a tensor, in C order."""
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def main():
    import torch

    FOLDER.mkdir(exist_ok=True)
    streams, digests = {}, []
    for name, (dtypes, draw) in CASES.items():
        for dtype in dtypes:
            torch.manual_seed(SEED)
            stream = b"".join(raw(torch, draw(torch, n, getattr(torch, dtype))) for n in SIZES)
            streams[f"{name}-{dtype}"] = np.frombuffer(stream, np.uint8)
            digests.append(f"{name}-{dtype} {digest(torch.get_rng_state().numpy())}")
    np.savez_compressed(FOLDER / "streams.npz", **streams)
    (FOLDER / "states.txt").write_text(f"# PyTorch {torch.__version__}\n" + "\n".join(digests) + "\n")
    generator = torch.Generator().manual_seed(2**63 + 5)
    torch.randn(3, generator=generator)
    torch.rand(5, generator=generator)
    np.save(FOLDER / "state.npy", generator.get_state().numpy())


if __name__ == "__main__":
    main()
