"""``linear``: what it says of dtypes that differ, and the names of its nodes."""
import pytest

F32 = "float32"


def called(torch, input, weight, bias=None):
    def made(given):
        shape, dtype = given
        return torch.ones(shape, dtype=getattr(torch, dtype))
    return torch.nn.functional.linear(made(input), made(weight), None if bias is None else made(bias))


@pytest.mark.parametrize("input, weight, bias, says", [
    (((2,), "int64"), ((3, 2), F32), ((3,), F32), "mat1 and mat2 must have the same dtype, but got Long and Float"),
    (((2,), "float64"), ((3, 2), F32), ((3,), F32), "mat1 and mat2 must have the same dtype, but got Double and Float"),
    (((1, 2), "float64"), ((3, 2), F32), ((3,), F32), "mat1 and mat2 must have the same dtype, but got Double and Float"),
    (((4, 1, 2), "float16"), ((3, 2), F32), ((3,), F32), "mat1 and mat2 must have the same dtype, but got Half and Float"),
    (((4, 1, 2), F32), ((3, 2), F32), ((3,), "float64"), "self and mat2 must have the same dtype, but got Double and Float"),
    (((2,), "int64"), ((3, 2), F32), None, "expected m1 and m2 to have the same dtype, but got: long int != float"),
    (((4, 1, 2), "int16"), ((3, 2), F32), None, "expected m1 and m2 to have the same dtype, but got: short int != float"),
    (((2,), "float64"), ((2,), F32), None, "dot : expected both vectors to have same dtype, but found Double and Float"),
    (((1, 2), "float64"), ((2,), F32), None,
     "addmv input tensors must have the same dtype, but got Float, Double, and Float"),
    (((2, 3), "float64"), ((3, 2), F32), None, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    (((), "float64"), ((3, 2), F32), ((3,), F32),
     "both arguments to linear need to be at least 1D, but they are 0D and 2D"),
])
def test_dtypes_that_differ(torch, fails, input, weight, bias, says):
    with fails(RuntimeError, says):
        called(torch, input, weight, bias)


def test_products_name_the_types_of_c(torch, fails):
    with fails(RuntimeError, "expected m1 and m2 to have the same dtype, but got: float != long int"):
        torch.ones(2, 3) @ torch.ones(3, 2).long()
    with fails(RuntimeError, "expected m1 and m2 to have the same dtype, but got: unsigned char != short int"):
        torch.mm(torch.ones(2, 3).to(torch.uint8), torch.ones(3, 2).to(torch.int16))


@pytest.mark.parametrize("shape, bias, name", [
    ((5,), True, "ViewBackward0"),
    ((5,), False, "SqueezeBackward4"),
    ((2, 5), True, "AddmmBackward0"),
    ((2, 5), False, "MmBackward0"),
    ((1, 2, 5), True, "ViewBackward0"),
    ((1, 2, 5), False, "UnsafeViewBackward0"),
    ((1, 1, 2, 5), False, "UnsafeViewBackward0"),
])
def test_names_of_nodes(torch, shape, bias, name):
    assert torch.nn.Linear(5, 2, bias=bias)(torch.ones(shape)).grad_fn.name() == name


def test_names_of_nodes_in_rare_forms(torch):
    def name(x, w, b=None):
        return torch.nn.functional.linear(x, w.requires_grad_(), b).grad_fn.name()
    ones = torch.ones
    assert name(ones(2, 3, 5).transpose(0, 1), ones(2, 5), ones(2)) == "AddBackward0"
    assert name(ones(5), ones(2, 5), torch.tensor(1.0)) == "AddBackward0"
    assert name(ones(5), ones(5)) == "DotBackward0"
    assert name(ones(2, 5), ones(5)) == "MvBackward0"
    assert name(ones(2, 2, 5), ones(5)) == "UnsafeViewBackward0"
