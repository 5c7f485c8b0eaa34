"""Convolutions of dtypes that differ: PyTorch has a sentence for the bias, and others for the weight."""
import pytest


@pytest.mark.parametrize("layer, shape", [("Conv1d", (1, 3, 8)), ("Conv2d", (1, 3, 8, 8)), ("Conv2d", (3, 8, 8)),
                                          ("Conv3d", (1, 3, 4, 4, 4))])
@pytest.mark.parametrize("dtype, name", [("float64", "double"), ("float16", "c10::Half"), ("int64", "long int"),
                                         ("uint8", "unsigned char"), ("complex64", "c10::complex<float>")])
def test_input_and_bias(torch, fails, layer, shape, dtype, name):
    with fails(RuntimeError, f"Input type ({name}) and bias type (float) should be the same"):
        getattr(torch.nn, layer)(3, 4, 3)(torch.ones(shape, dtype=getattr(torch, dtype)))


@pytest.mark.parametrize("function, weight", [("conv2d", (4, 3, 3, 3)), ("conv_transpose2d", (3, 4, 3, 3))])
@pytest.mark.parametrize("dtype, says", [
    ("float64", "expected scalar type Double but found Float"),
    ("int64", "expected scalar type Long but found Float"),
    ("float16", "Input type (torch.HalfTensor) and weight type (torch.FloatTensor) should be the same or input should "
                "be a MKLDNN tensor and weight is a dense tensor"),
    ("bfloat16", "Input type (CPUBFloat16Type) and weight type (torch.FloatTensor) should be the same or input should "
                 "be a MKLDNN tensor and weight is a dense tensor"),
    ("complex64", "Input type (CPUComplexFloatType) and weight type (torch.FloatTensor) should be the same"),
])
def test_input_and_weight(torch, fails, function, weight, dtype, says):
    if dtype == "float16" and torch.__name__ == "torch" and not torch.ops.mkldnn._is_mkldnn_fp16_supported():
        says = "expected scalar type Half but found Float"  # what PyTorch asks first depends on the processor
    with fails(RuntimeError, says):
        getattr(torch.nn.functional, function)(torch.ones(1, 3, 8, 8, dtype=getattr(torch, dtype)), torch.ones(weight))


def test_what_is_asked_first(torch, fails):
    F, ones = torch.nn.functional, torch.ones
    with fails(RuntimeError, "Input type (double) and bias type (float) should be the same"):
        F.conv2d(ones(1, 3, 2, 2).double(), ones(4, 2, 3, 3), ones(5))
    with fails(RuntimeError, "expected scalar type Double but found Float"):
        F.conv2d(ones(1, 3, 8, 8).double(), ones(4, 3, 3, 3), ones(4), padding="same")
    with fails(RuntimeError, "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [8, 8]"):
        F.conv2d(ones(8, 8), ones(4, 3))
    with fails(RuntimeError, "Expected 4D (unbatched) or 5D (batched) input to conv3d, but got input of size: [1, 3, 8]"):
        F.conv3d(ones(1, 3, 8), ones(4, 1, 1))
