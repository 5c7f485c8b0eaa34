"""einsum of operands with different dtypes: a product of matrices refuses them, a multiplication promotes them."""


def test_products_without_a_sum_promote(torch):
    made = torch.einsum("i,j->ij", torch.arange(3), torch.ones(2))
    assert made.dtype == torch.float32 and made.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert torch.einsum("i,i->i", torch.ones(2), torch.ones(2).double()).dtype == torch.float64
    made = torch.einsum("i,j,k->ijk", torch.arange(3), torch.ones(2), torch.ones(2).double())
    assert made.dtype == torch.float64 and made.shape == (3, 2, 2)
    assert torch.einsum("ij,jk->ik", torch.ones(2, 1), torch.ones(1, 2).double()).dtype == torch.float64


def test_products_of_matrices_do_not(torch, fails):
    with fails(RuntimeError, "expected scalar type Float but found Double"):
        torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 2).double())
