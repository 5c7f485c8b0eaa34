"""Samples of sorting, selection, searching and counting."""
from tests.ops.sample import Sample, T

RANKED = [Sample(T((2, 5))), Sample(T((2, 5)), 0), Sample(T((2, 5)), 1, True)]

SAMPLES = {
    "sort": [Sample(T((2, 5))), Sample(T((2, 5)), 0, True), Sample(T((2, 5)), stable=True), Sample(T(()))],
    "argsort": [Sample(T((2, 5))), Sample(T((2, 5)), 0, True)],
    "msort": [Sample(T((4, 2)))],
    "topk": [Sample(T((2, 5)), 3), Sample(T((5, 2)), 2, 0, False)],
    "kthvalue": [Sample(T((2, 5)), 2), Sample(T((2, 5)), 1, 0, True)],
    "median": RANKED,
    "nanmedian": RANKED,
    "mode": RANKED,
    "quantile": [Sample(T((2, 5)), 0.3),
                 Sample(T((2, 5)), T((3,), low=0, high=1, requires_grad=False), 1, True),
                 Sample(T((2, 5)), 0.6, 0, interpolation="nearest")],
    "nanquantile": [Sample(T((2, 5)), 0.3), Sample(T((2, 5)), 0.6, 1, interpolation="lower")],
    "searchsorted": [Sample(T((4,), low=-1, high=-1), T((2, 3), seed=1)),
                     Sample(T((1,)), T((2, 3), seed=1), right=True, out_int32=True)],
    "bucketize": [Sample(T((2, 3)), T((1,), seed=1))],
    "isin": [Sample(T((2, 3), "int64"), T((4,), "int64", seed=1)),
             Sample(T((2, 3), "int64"), 1, invert=True)],
    "unique": [Sample(T((2, 5), "int64")),
               Sample(T((2, 5), "int64"), return_inverse=True, return_counts=True)],
    "unique_consecutive": [Sample(T((2, 5), "int64")), Sample(T((8,), "int64"), return_counts=True)],
    "histc": [Sample(T((2, 5)), 4), Sample(T((2, 5)), 3, -1, 1)],
    "histogram": [Sample(T((2, 5), requires_grad=False), 4),
                  Sample(T((2, 5), requires_grad=False), 3, range=(-1.0, 1.0), density=True)],
    "histogramdd": [Sample(T((5, 2), requires_grad=False), 3),
                    Sample(T((5, 2), requires_grad=False), [2, 3])],
    "bincount": [Sample(T((6,), "int64", low=0, high=4)),
                 Sample(T((6,), "int64", low=0, high=4), T((6,), seed=1, requires_grad=False))],
}
