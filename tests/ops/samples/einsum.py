"""Samples of einsum: sums, diagonals, transposes, contractions of two and three operands, ellipses, both
forms.
"""
from tests.ops.sample import Sample, T

M, N, K, SQUARE, V, W = T((2, 3)), T((3, 4), seed=1), T((4, 2), seed=2), T((3, 3)), T((3,)), T((2,), seed=1)
STACK, TALL = T((2, 2, 3)), T((2, 3, 2), seed=1)

SAMPLES = {
    "einsum": [Sample("ij->", M), Sample("ij->j", M), Sample("ji", M), Sample("ii", SQUARE),
               Sample("ii->i", SQUARE),
               Sample("ij,jk->ik", M, N), Sample("ij,jk", M, N), Sample("i,j->ij", V, W),
               Sample("i,i->", V, V),
               Sample("bij,bjk->bik", STACK, TALL), Sample("bij,bjk->ki", STACK, TALL),
               Sample("ij,jk,ki->", M, N, K),
               Sample("ij,jk,kl->il", M, N, K), Sample("...ij,...jk->...ik", STACK, N),
               Sample("...i,...i->...", STACK, M),
               Sample("ij,kj->ik", M, T((1, 3))), Sample("ij,ij,ij->i", M, M, T((2, 3), seed=4)),
               Sample(M, [0, 1], N, [1, 2], [0, 2]), Sample(STACK, [..., 0, 1], [..., 1]),
               Sample("ij,jk->ki", T((0, 3), requires_grad=False), N),
               Sample("i,ij,j->", W, M, V), Sample("Aa,ab->Ab", M, N), Sample("...ij->...", STACK)],
}
