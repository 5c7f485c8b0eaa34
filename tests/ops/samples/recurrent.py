"""Samples of recurrent networks, their cells, attention of several heads and norms of slices."""
from tests.ops.sample import Sample, T

X, H, C = T((2, 3)), T((2, 2), seed=1), T((2, 2), seed=2)


def weights(rows, inputs=3, hidden=2, bias=True, seed=3):
    """(w_ih, w_hh, b_ih, b_hh) of a cell."""
    made = [T((rows, inputs), seed=seed), T((rows, hidden), seed=seed + 1)]
    return made + ([T((rows,), seed=seed + 2), T((rows,), seed=seed + 3)] if bias else [])


def network(rows, state, layers=1, directions=1, bias=True, projection=0):
    """Samples of a network over (T, B, I) and over packed rows."""
    width = projection or 2
    params = []
    for k in range(layers * directions):
        params += weights(rows, 3 if k < directions else width * directions, width, bias, 10 * k + 3)
        params += [T((projection, 2), seed=10 * k + 9)] if projection else []
    first = T((layers * directions, 2, width), seed=90)
    hx = first if state == 1 else [first, T((layers * directions, 2, 2), seed=91)]
    options = (params, bias, layers, 0.0, False, directions == 2)
    sizes = T((3,), "int64", low=2, high=3, requires_grad=False)
    return [Sample(T((3, 2, 3)), hx, *options, False), Sample(T((2, 3, 3)), hx, *options, True),
            Sample(T((6, 3)), sizes, hx, *options)]


SAMPLES = {
    "rnn_tanh_cell": [Sample(X, H, *weights(2)), Sample(X, H, *weights(2, bias=False))],
    "rnn_relu_cell": [Sample(X, H, *weights(2)), Sample(X, H, *weights(2, bias=False))],
    "lstm_cell": [Sample(X, [H, C], *weights(8)), Sample(X, [H, C], *weights(8, bias=False))],
    "gru_cell": [Sample(X, H, *weights(6)), Sample(X, H, *weights(6, bias=False))],
    "rnn_tanh": network(2, 1),
    "rnn_relu": network(2, 1, directions=2),
    "lstm": [*network(8, 2), *network(8, 2, layers=2, directions=2, bias=False), *network(8, 2, projection=1)],
    "gru": [*network(6, 1), *network(6, 1, layers=2, directions=2)],
    "norm_except_dim": [Sample(T((2, 3)), 2, 0), Sample(T((2, 3)), 2, 1), Sample(T((2, 3, 2)), 2, 1), Sample(T((2, 3)), 2, -1)],
    "ctc_loss": [
        Sample(T((4, 2, 3), requires_grad=False), T((2, 2), "int64", low=1, high=3, requires_grad=False), [4, 3], [2, 1]),
    ],
    "multi_head_attention_forward": [
        Sample(T((3, 2, 4)), T((2, 2, 4), seed=1), T((2, 2, 4), seed=2), 4, 2, T((12, 4), seed=3), T((12,), seed=4), None, None,
               False, 0.0, T((4, 4), seed=5), T((4,), seed=6)),
        Sample(T((3, 2, 4)), T((2, 2, 4), seed=1), T((2, 2, 4), seed=2), 4, 2, T((12, 4), seed=3), T((12,), seed=4),
               T((1, 1, 4), seed=7), T((1, 1, 4), seed=8), True, 0.0, T((4, 4), seed=5), None, need_weights=False),
    ],
}
