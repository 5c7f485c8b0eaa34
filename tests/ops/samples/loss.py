"""Samples of the losses and distances."""
from tests.ops.sample import Sample, T

A, B, ROW = T((2, 3)), T((2, 3), seed=1), T((3,), seed=2)
INSIDE, SHARES = T((2, 3), low=0.1, high=0.9), T((2, 3), low=0.1, high=0.9, seed=1)
CLASSES = T((2,), "int64", low=0, high=3, requires_grad=False)
PLANES, PLACES = T((2, 3, 2)), T((2, 2), "int64", low=0, high=3, requires_grad=False)
WEIGHT = T((3,), low=0.5, high=2, seed=2, requires_grad=False)
FIXED = T((2, 3), low=0.1, high=0.9, seed=4, requires_grad=False)
PAIRS = [Sample(A, B), Sample(A, B, reduction="sum"), Sample(A, B, reduction="none")]
INDEXED = [Sample(A, CLASSES), Sample(A, CLASSES, WEIGHT), Sample(A, CLASSES, reduction="none"),
           Sample(PLANES, PLACES, reduction="sum"), Sample(A, CLASSES, ignore_index=1)]

SAMPLES = {
    "mse_loss": PAIRS,
    "l1_loss": PAIRS,
    "smooth_l1_loss": [*PAIRS, Sample(A, B, beta=0.4)],
    "huber_loss": [*PAIRS, Sample(A, B, delta=0.4)],
    "soft_margin_loss": [Sample(A, FIXED), Sample(A, FIXED, reduction="none")],
    "cross_entropy": [*INDEXED, Sample(A, CLASSES, WEIGHT, label_smoothing=0.1), Sample(A, SHARES),
                      Sample(T((3,)), T((), "int64", low=0, high=3, requires_grad=False))],
    "nll_loss": INDEXED,
    "binary_cross_entropy": [Sample(INSIDE, SHARES), Sample(INSIDE, FIXED, WEIGHT, reduction="none")],
    "kl_div": [Sample(A, SHARES), Sample(A, B, log_target=True)],
    "multilabel_soft_margin_loss": [Sample(A, FIXED), Sample(A, FIXED, WEIGHT, reduction="none")],
    "gaussian_nll_loss": [Sample(A, B, SHARES), Sample(A, B, SHARES, full=True, reduction="sum")],
    "multi_margin_loss": [Sample(A, CLASSES), Sample(A, CLASSES, p=2, weight=WEIGHT, reduction="none")],
    "triplet_margin_with_distance_loss": [Sample(A, B, T((2, 3), seed=5))],
    "cosine_similarity": [Sample(A, B), Sample(A, ROW, dim=-1)],
    "pairwise_distance": [Sample(A, B), Sample(A, ROW, p=3.0)],
}
