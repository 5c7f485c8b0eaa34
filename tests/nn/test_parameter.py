"""Parameter and Buffer, on rushlight and on PyTorch alike."""

import copy
import pickle


def test_it_shares_memory_and_requires_grad(torch):
    t = torch.zeros(2)
    p = torch.nn.Parameter(t)
    t[0] = 5
    assert p.tolist() == [5.0, 0.0] and p.requires_grad and p.is_leaf and isinstance(p, torch.Tensor)
    assert not torch.nn.Parameter(t, requires_grad=False).requires_grad
    assert torch.nn.Parameter().shape == (0,)
    assert torch.nn.Parameter(torch.zeros(1, dtype=torch.int64), requires_grad=False).dtype == torch.int64


def test_results_are_plain_tensors(torch):
    p = torch.nn.Parameter(torch.ones(2))
    assert type(p * 2) is torch.Tensor and type(p.detach()) is torch.Tensor and type(p[0]) is torch.Tensor
    assert isinstance(p, torch.nn.Parameter) and not isinstance(p * 2, torch.nn.Parameter)
    (p * p).sum().backward()
    assert p.grad.tolist() == [2.0, 2.0] and type(p.grad) is torch.Tensor


def test_repr(torch):
    assert (
        repr(torch.nn.Parameter(torch.zeros(1))) == "Parameter containing:\ntensor([0.], requires_grad=True)"
    )


def test_copies(torch):
    p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    p.note = "kept"
    for twin in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert isinstance(twin, torch.nn.Parameter) and twin.tolist() == [1.0, 1.0] and not twin.requires_grad
        assert twin.data_ptr() != p.data_ptr()
    assert pickle.loads(pickle.dumps(p)).note == "kept"
    memo = {}
    assert copy.deepcopy([p, p], memo)[0] is copy.deepcopy([p, p], memo)[1]


def test_buffer(torch):
    b = torch.nn.Buffer(torch.zeros(2), persistent=False)
    assert isinstance(b, torch.nn.Buffer) and b.persistent is False and not b.requires_grad
    assert not isinstance(torch.zeros(1), torch.nn.Buffer) and torch.nn.Buffer().shape == (0,)


def test_a_non_leaf_is_no_parameter_of_a_module(torch, fails):
    net = torch.nn.Module()
    with fails(TypeError, "cannot assign 'torch.FloatTensor' object to parameter 'p'"):
        net.register_parameter("p", torch.nn.Parameter(torch.zeros(1)) * 2)


def test_a_custom_tensor_type_keeps_its_type(torch):
    class Tagged(torch.Tensor):
        pass

    t = torch.zeros(2).as_subclass(Tagged)
    p = torch.nn.Parameter(t)
    assert type(p) is Tagged and isinstance(p, torch.nn.Parameter) and p.requires_grad
    net = torch.nn.Module()
    net.p = p
    assert list(net._parameters) == ["p"]
