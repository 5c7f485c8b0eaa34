"""Samples of the operators that draw from tensors; the numbers themselves are compared bit for bit in ``test_sampling.py``."""
from tests.ops.sample import Sample, T

RATES = T((2, 3), low=0.1, high=5)
PROBABILITIES = T((2, 3), low=0.1, high=0.9)
CHANCES = T((2, 3), low=0.1, high=0.9, requires_grad=False)      # where PyTorch has no derivative
COUNTS = T((2, 3), low=1, high=9, requires_grad=False)

SAMPLES = {
    "bernoulli": [Sample(PROBABILITIES), Sample(CHANCES, 0.3)],
    "poisson": [Sample(RATES)],
    "binomial": [Sample(COUNTS, CHANCES)],
    "multinomial": [Sample(T((4,), low=0.1, high=1, requires_grad=False), 2),
                    Sample(T((2, 4), low=0.1, high=1, requires_grad=False), 6, True)],
}
