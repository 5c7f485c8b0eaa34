"""What all functions that make tensors share: flags are True or False, keywords are known, sizes can be counted."""

import numpy as np
import pytest

FLAGS = {
    "ones(2, requires_grad=1)": "ones(): argument 'requires_grad' must be bool, not int",
    "empty(2, requires_grad='a')": "empty(): argument 'requires_grad' must be bool, not str",
    "zeros(2, requires_grad=np.bool_(True))": "zeros(): argument 'requires_grad' must be bool, not numpy.bool",
    "tensor([1.], requires_grad=1)": "tensor(): argument 'requires_grad' must be bool, not int",
    "tensor([1.], requires_grad=None)": "tensor(): argument 'requires_grad' must be bool, not NoneType",
    "full((2,), 1., requires_grad=1)": "full(): argument 'requires_grad' must be bool, not int",
    "ones_like(torch.ones(2), requires_grad=1)": "ones_like(): argument 'requires_grad' must be bool, not int",
    "ones(2).new_zeros(2, requires_grad=1)": "new_zeros(): argument 'requires_grad' must be bool, not int",
    "ones(2).requires_grad_('a')": "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not str",
    "nn.Parameter(torch.ones(2), requires_grad=1)": "_make_subclass(): argument 'require_grad' (position 3) must be bool, not int",
    "set_grad_enabled(1)": "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not int",
    "ones(2).unique(1)": "_unique2(): argument 'sorted' must be bool, not int",
    "unique_consecutive(torch.ones(2), 1)": "unique_consecutive(): argument 'return_inverse' must be bool, not int",
}


@pytest.mark.parametrize("call", FLAGS)
def test_flags_are_bools(call, torch, fails):
    with fails(TypeError, FLAGS[call]):
        eval("torch." + call, {"torch": torch, "np": np})


def test_requires_grad_is_assigned_a_bool(torch, fails):
    x = torch.ones(2, requires_grad=True)
    for value in (3, None, "a", np.bool_(False), torch.tensor(True)):
        with fails(RuntimeError, "requires_grad must be a bool"):
            x.requires_grad = value
    assert x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad and not torch.ones(2, requires_grad=None).requires_grad


KEYWORDS = {
    "flip(0, foo=1)": "flip() got an unexpected keyword argument 'foo'",
    "flip(0, dims=1)": "flip() got multiple values for argument 'dims'",
    "permute(0, 1, foo=1)": "permute() got an unexpected keyword argument 'foo'",
    "reshape(4, foo=1)": "reshape() got an unexpected keyword argument 'foo'",
    "repeat(4, 4, foo=1)": "repeat() got an unexpected keyword argument 'foo'",
    "tile(2, foo=1)": "tile() got an unexpected keyword argument 'foo'",
}


@pytest.mark.parametrize("call", KEYWORDS)
def test_keywords_are_known(call, torch, fails):
    with fails(TypeError, KEYWORDS[call]):
        eval("x." + call, {"x": torch.ones(2, 2)})


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn"])
def test_sizes_that_no_memory_holds(name, torch, fails):
    with fails(RuntimeError, "Storage size calculation overflowed with sizes=[1000000000000, 1000000000000]"):
        getattr(torch, name)(10**12, 10**12)
    with fails(TypeError, f"{name}(): argument 'size' failed to unpack the object at pos 1 with error \"Overflow when unpacking long long"):
        getattr(torch, name)(10**20)


def test_other_errors_are_not_numpy_s(torch, fails):
    with fails(TypeError, "add(): argument 'alpha' must be Number, not str"):
        torch.add(torch.ones(2), torch.ones(2), alpha="a")
    with fails(RuntimeError, "Index tensor must have the same number of dimensions as src tensor"):
        torch.zeros(2).scatter(0, torch.tensor([0]), torch.ones(3, 4))
    with fails(AttributeError, "'float' object has no attribute 'size'"):
        torch.nn.functional.mse_loss(torch.ones(3), 1.0)
    with fails(AttributeError, "'float' object has no attribute 'size'"):
        torch.nn.functional.l1_loss(torch.ones(3), 1.0)
    x = torch.ones(2, requires_grad=True)
    with fails(ValueError, "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input"):
        torch.autograd.grad(x.sum(), x, is_grads_batched=True)
