"""Samples of interpolation in all modes and of sampling at the places of a grid."""
from tests.ops.sample import Sample, T

LINE, PLANE, VOLUME = T((1, 2, 4)), T((1, 2, 3, 4)), T((1, 1, 2, 3, 2))
GRID, GRID3 = T((1, 2, 3, 2), low=-1.4, high=1.4, seed=3), T((1, 2, 1, 2, 3), low=-1.3, high=1.3, seed=4)

SAMPLES = {
    "interpolate": [
        Sample(LINE, 7),
        Sample(PLANE, scale_factor=1.6),
        Sample(VOLUME, 3),
        Sample(PLANE, 5, mode="nearest-exact"),
        Sample(LINE, 6, mode="linear"),
        Sample(LINE, 3, mode="linear", align_corners=True),
        Sample(PLANE, (5, 3), mode="bilinear"),
        Sample(PLANE, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True),
        Sample(PLANE, scale_factor=(1.3, 0.8), mode="bilinear"),
        Sample(PLANE, (2, 2), mode="bilinear", antialias=True),
        Sample(PLANE, (4, 6), mode="bicubic"),
        Sample(PLANE, (4, 6), mode="bicubic", align_corners=True),
        Sample(PLANE, (2, 3), mode="bicubic", antialias=True),
        Sample(PLANE, (2, 3), mode="lanczos", antialias=True),
        Sample(VOLUME, (3, 2, 4), mode="trilinear"),
        Sample(PLANE, (2, 3), mode="area"),
        Sample(T((1, 1, 3, 4), "uint8", low=0, high=255), (5, 2), mode="bilinear"),
    ],
    "grid_sample": [
        Sample(PLANE, GRID, mode=mode, padding_mode=padding, align_corners=align)
        for mode in ("bilinear", "nearest", "bicubic")
        for padding, align in (("zeros", False), ("border", True), ("reflection", False))
    ] + [
        Sample(VOLUME, GRID3, padding_mode="reflection", align_corners=True),
        Sample(VOLUME, GRID3, mode="nearest", align_corners=False),
        Sample(VOLUME, GRID3, align_corners=False),
    ],
    "grid_sampler": [Sample(PLANE, GRID, 0, 1, False)],
    "grid_sampler_2d": [Sample(PLANE, GRID, 2, 0, True)],
    "grid_sampler_3d": [Sample(VOLUME, GRID3, 0, 0, False)],
}
