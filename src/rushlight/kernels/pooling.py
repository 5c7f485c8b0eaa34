"""2-d pooling on arrays of shape (N, C, H, W).

The windows are walked by their places: place (i, j) of all windows together is one slice of the padded input,
so a 2 by 2 pooling is four slices and three comparisons, however many windows there are.
"""
import numpy as np

__all__ = [
    "pooled_size",
    "max_pool",
    "scatter",
    "gather",
    "avg_divisors",
    "sum_pool",
    "sum_pool_gradient",
    "adaptive_matrix",
    "adaptive_max",
]


def pooled_size(n, k, stride, padding, dilation, ceil_mode):
    """The number of windows; with ``ceil_mode`` a last one may hang over the edge, but must begin inside."""
    reach = n + 2 * padding - dilation * (k - 1) - 1
    count = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= n + padding:
        count -= 1
    return count


def lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _framed(x, out, kernel, stride, padding, dilation, fill):
    """``x`` padded so that every window of the output lies inside."""
    n, c, h, w = x.shape
    need = [max((o - 1) * s + d * (k - 1) + 1, m + p) for o, s, d, k, m, p in
            zip(out, stride, dilation, kernel, (h, w), padding)]
    if padding == (0, 0) and need == [h, w]:
        return x
    made = np.full((n, c, *need), fill, x.dtype)
    made[:, :, padding[0]:padding[0] + h, padding[1]:padding[1] + w] = x
    return made


def _place(x, i, j, out, stride, dilation):
    """Element (i, j) of every window."""
    a, b = i * dilation[0], j * dilation[1]
    return x[:, :, a:a + stride[0] * (out[0] - 1) + 1:stride[0], b:b + stride[1] * (out[1] - 1) + 1:stride[1]]


def max_pool(x, out, kernel, stride, padding, dilation):
    """(maxima, their places in the H * W plane). NaN counts as greatest; the first of equals is taken."""
    height, width = x.shape[2:]
    framed = _framed(x, out, kernel, stride, padding, dilation, lowest(x.dtype))
    rows = (np.arange(out[0]) * stride[0] - padding[0])[:, None]
    columns = np.arange(out[1]) * stride[1] - padding[1]
    # The first place of a window may be padding: places start at the first one inside.
    first_row = rows + dilation[0] * np.maximum(0, -(rows // dilation[0]))
    first_column = columns + dilation[1] * np.maximum(0, -(columns // dilation[1]))
    places = np.empty(x.shape[:2] + tuple(out), np.int64)
    places[...] = np.minimum(first_row, height - 1) * width + np.minimum(first_column, width - 1)
    best = np.full(places.shape, lowest(x.dtype), x.dtype)
    floating = x.dtype.kind == "f"
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            candidate = _place(framed, i, j, out, stride, dilation)
            better = candidate > best
            if floating:
                better |= np.isnan(candidate)
            np.copyto(best, candidate, where=better)
            np.copyto(places, (rows + i * dilation[0]) * width + (columns + j * dilation[1]), where=better)
    return best, places


def scatter(g, places, shape):
    """Each element of ``g`` added to its place in a plane of zeros."""
    n, c, h, w = shape
    made = np.zeros(n * c * h * w, g.dtype)
    if made.size and g.size:
        planes = np.arange(n * c).reshape(n, c, 1, 1) * (h * w)
        np.add.at(made, (places + planes).ravel(), g.ravel())
    return made.reshape(shape)


def gather(x, places):
    """The elements of ``x`` at ``places`` of its planes."""
    n, c = x.shape[:2]
    return np.take_along_axis(x.reshape(n, c, -1), places.reshape(n, c, -1), 2).reshape(places.shape)


def _extent(n, out, k, stride, padding, include_pad):
    """How many elements each window counts along one dimension."""
    begin = np.arange(out) * stride - padding
    end = np.minimum(begin + k, n + padding)
    if not include_pad:
        begin, end = np.maximum(begin, 0), np.minimum(end, n)
    return end - begin


def avg_divisors(size, out, kernel, stride, padding, include_pad, override, dtype):
    """What each window's sum is divided by."""
    if override:
        return dtype.type(override)
    rows, columns = (
        _extent(n, o, k, s, p, include_pad) for n, o, k, s, p in zip(size, out, kernel, stride, padding)
    )
    return (rows[:, None] * columns).astype(dtype)


def sum_pool(x, out, kernel, stride, padding):
    """The sum of each window."""
    framed = _framed(x, out, kernel, stride, padding, (1, 1), 0)
    made = np.zeros(x.shape[:2] + tuple(out), x.dtype)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            made += _place(framed, i, j, out, stride, (1, 1))
    return made


def sum_pool_gradient(g, shape, kernel, stride, padding):
    """Each element of ``g`` added to all elements of its window."""
    out = g.shape[2:]
    framed = np.zeros(shape[:2] + tuple(max((o - 1) * s + k, n + 2 * p) for o, s, k, n, p in
                                        zip(out, stride, kernel, shape[2:], padding)), g.dtype)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            _place(framed, i, j, out, stride, (1, 1))[...] += g
    return np.ascontiguousarray(
        framed[:, :, padding[0] : padding[0] + shape[2], padding[1] : padding[1] + shape[3]]
    )


def bounds(n, out):
    """Where adaptive windows begin and end."""
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def adaptive_matrix(n, out, dtype):
    """(out, n): row i averages window i. An adaptive average pooling is a product with one of these on each
    side."""
    made = np.zeros((out, n), dtype)
    for i, (begin, end) in enumerate(bounds(n, out)):
        made[i, begin:end] = 1 / (end - begin)
    return made


def adaptive_max(x, out):
    """(maxima, their places in the plane) of adaptive windows."""
    n, c, h, w = x.shape
    best, places = np.empty((n, c, *out), x.dtype), np.empty((n, c, *out), np.int64)
    for i, (top, bottom) in enumerate(bounds(h, out[0])):
        for j, (left, right) in enumerate(bounds(w, out[1])):
            window = x[:, :, top:bottom, left:right].reshape(n, c, -1)
            at = window.argmax(2)
            places[:, :, i, j] = (top + at // (right - left)) * w + left + at % (right - left)
    if places.size:
        best[...] = gather(x, places)
    return best, places
