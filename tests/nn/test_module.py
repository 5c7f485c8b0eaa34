"""Module: registration, attributes, the tree, conversions, copies; on rushlight and on PyTorch alike."""

import copy
import pickle

import pytest


class Net:
    """Makes a small module class for the engine at hand."""

    def __new__(cls, torch):
        class Small(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(2, 3)
                self.again = self.layer
                self.free = torch.nn.Parameter(torch.ones(2))
                self.register_buffer("seen", torch.zeros(1))
                self.register_buffer("scratch", torch.zeros(1), persistent=False)
                self.plain = torch.ones(1)

            def forward(self, x):
                return self.layer(x) * self.free.sum()

        return Small()


def test_names_of_everything(torch):
    net = Net(torch)
    assert [n for n, _ in net.named_parameters()] == ["free", "layer.weight", "layer.bias"]
    assert [n for n, _ in net.named_parameters(remove_duplicate=False)] == [
        "free",
        "layer.weight",
        "layer.bias",
        "again.weight",
        "again.bias",
    ]
    assert [n for n, _ in net.named_parameters(prefix="top", recurse=False)] == ["top.free"]
    assert [n for n, _ in net.named_buffers()] == ["seen", "scratch"]
    assert [n for n, _ in net.named_modules()] == ["", "layer"]
    assert [n for n, _ in net.named_modules(prefix="p", remove_duplicate=False)] == [
        "p",
        "p.layer",
        "p.again",
    ]
    assert [n for n, _ in net.named_children()] == ["layer"]
    assert list(net.state_dict()) == [
        "free",
        "seen",
        "layer.weight",
        "layer.bias",
        "again.weight",
        "again.bias",
    ]
    assert len(list(net.modules())) == 2 and len(list(net.children())) == 1
    assert len(list(net.parameters())) == 3 and len(list(net.buffers())) == 2


def test_assignment_sorts_by_type(torch, fails):
    net = Net(torch)
    net.thing = torch.nn.Parameter(torch.zeros(1))
    assert "thing" in net._parameters and "thing" not in net.__dict__
    net.thing = None
    assert net.thing is None and "thing" in net._parameters
    del net.thing
    net.thing = torch.nn.ReLU()
    assert "thing" in net._modules
    net.thing = None
    assert net.thing is None
    del net.thing
    net.thing = torch.nn.Buffer(torch.zeros(1), persistent=False)
    assert "thing" in net._buffers and "thing" not in net.state_dict()
    net.thing = torch.ones(3)
    assert net._buffers["thing"].shape == (3,) and "thing" in net._non_persistent_buffers_set
    with fails(
        TypeError, "cannot assign 'int' as buffer 'thing' (torch.nn.Buffer, torch.Tensor or None expected)"
    ):
        net.thing = 3
    net.thing = torch.nn.Parameter(torch.zeros(1))
    assert "thing" not in net._buffers and "thing" not in net._non_persistent_buffers_set
    with fails(
        TypeError,
        "cannot assign 'torch.FloatTensor' as parameter 'thing' (torch.nn.Parameter or None expected)",
    ):
        net.thing = torch.zeros(1)
    with fails(TypeError, "cannot assign 'str' as child module 'layer' (torch.nn.Module or None expected)"):
        net.layer = "x"
    net.number = 3
    assert net.__dict__["number"] == 3
    del net.number
    with fails(AttributeError, "'Small' object has no attribute 'number'"):
        net.number
    with pytest.raises(AttributeError):
        del net.number


def test_before_init(torch, fails):
    class Early(torch.nn.Module):
        def __init__(self, what):
            self.attribute = what

    with fails(AttributeError, "cannot assign parameters before Module.__init__() call"):
        Early(torch.nn.Parameter(torch.zeros(1)))
    with fails(AttributeError, "cannot assign module before Module.__init__() call"):
        Early(torch.nn.ReLU())
    early = Early(3)
    with fails(AttributeError, "cannot assign buffer before Module.__init__() call"):
        early.register_buffer("b", None)
    with fails(AttributeError, "cannot assign parameter before Module.__init__() call"):
        early.register_parameter("p", None)


def test_registration_refuses(torch, fails):
    net = Net(torch)
    parameter = torch.nn.Parameter(torch.zeros(1))
    cases = [
        (net.register_buffer, (3, None), TypeError, "buffer name should be a string. Got int"),
        (net.register_buffer, ("a.b", None), KeyError, "'buffer name can\\'t contain \".\"'"),
        (net.register_buffer, ("", None), KeyError, "'buffer name can\\'t be empty string \"\"'"),
        (net.register_buffer, ("free", None), KeyError, "\"attribute 'free' already exists\""),
        (
            net.register_buffer,
            ("b", 3),
            TypeError,
            "cannot assign 'int' object to buffer 'b' (torch Tensor or None required)",
        ),
        (net.register_parameter, (3, None), TypeError, "parameter name should be a string. Got int"),
        (net.register_parameter, ("a.b", None), KeyError, "'parameter name can\\'t contain \".\"'"),
        (net.register_parameter, ("", None), KeyError, "'parameter name can\\'t be empty string \"\"'"),
        (net.register_parameter, ("plain", parameter), KeyError, "\"attribute 'plain' already exists\""),
        (
            net.register_parameter,
            ("p", torch.zeros(1)),
            TypeError,
            "cannot assign 'torch.FloatTensor' object to parameter 'p' (torch.nn.Parameter or None required)",
        ),
        (net.add_module, ("m", 3), TypeError, "int is not a Module subclass"),
        (net.add_module, (3, torch.nn.ReLU()), TypeError, "module name should be a string. Got int"),
        (net.add_module, ("a.b", None), KeyError, "'module name can\\'t contain \".\", got: a.b'"),
        (net.add_module, ("", None), KeyError, "'module name can\\'t be empty string \"\"'"),
        (net.register_module, ("forward", None), KeyError, "\"attribute 'forward' already exists\""),
    ]
    for call, arguments, kind, text in cases:
        with fails(kind, text):
            call(*arguments)
    with fails(TypeError, "Linear.__init__() missing 2 required positional arguments"):
        torch.nn.Linear()
    with fails(TypeError, "Module.__init__() takes 1 positional argument but 2 were given"):
        torch.nn.Module(1)
    with fails(TypeError, "Module.__init__() got an unexpected keyword argument 'a'"):
        torch.nn.Module(a=1)
    with fails(NotImplementedError, 'Module [Module] is missing the required "forward" function'):
        torch.nn.Module()(1)


def test_paths(torch, fails):
    net = torch.nn.Sequential(Net(torch))
    assert net.get_submodule("") is net and net.get_submodule("0.layer") is net[0].layer
    assert net.get_parameter("0.layer.bias") is net[0].layer.bias
    assert net.get_buffer("0.seen") is net[0].seen
    with fails(AttributeError, "Small has no attribute `lyer`"):
        net.get_submodule("0.lyer")
    with fails(AttributeError, "`plain` is not an nn.Module"):
        net.get_submodule("0.plain")
    with fails(AttributeError, "`plain` is not an nn.Parameter"):
        net.get_parameter("0.plain")
    with fails(AttributeError, "`free` is not a buffer"):
        net.get_buffer("0.free")
    net.set_submodule("0.layer", torch.nn.ReLU())
    assert isinstance(net[0].layer, torch.nn.ReLU)
    net.set_submodule("0.fresh", torch.nn.ReLU())
    with fails(AttributeError, "Small has no attribute `other`"):
        net.set_submodule("0.other", torch.nn.ReLU(), strict=True)
    with fails(ValueError, "Cannot set the submodule without a target name!"):
        net.set_submodule("", torch.nn.ReLU())


def test_modes_and_gradients_of_the_tree(torch, fails):
    net = Net(torch)
    assert net.training and net.eval() is net and not net.layer.training
    net.train()
    assert net.layer.training
    with fails(ValueError, "training mode is expected to be boolean"):
        net.train(1)
    assert net.requires_grad_(False) is net and not any(p.requires_grad for p in net.parameters())
    net.requires_grad_()
    net(torch.ones(1, 2)).sum().backward()
    grad = net.free.grad
    net.zero_grad(set_to_none=False)
    assert net.free.grad is grad and grad.tolist() == [0.0, 0.0]
    net.zero_grad()
    assert net.free.grad is None
    visited = []
    net.apply(lambda m: visited.append(type(m).__name__))
    assert visited == ["Linear", "Small"]


def test_conversions_keep_the_parameters(torch, fails):
    net = Net(torch)
    net(torch.ones(1, 2)).sum().backward()
    weight = net.layer.weight
    net.register_buffer("count", torch.zeros(1, dtype=torch.int64))
    assert net.double() is net
    assert net.layer.weight is weight and weight.dtype == torch.float64 and weight.grad.dtype == torch.float64
    assert net.seen.dtype == torch.float64 and net.count.dtype == torch.int64
    for name, dtype in (("half", torch.float16), ("bfloat16", torch.bfloat16), ("float", torch.float32)):
        assert getattr(net, name)().free.dtype == dtype
    assert net.to(torch.float64).free.dtype == torch.float64
    assert net.to("cpu", torch.float32).free.dtype == torch.float32
    assert net.to(torch.zeros(1, dtype=torch.float64)).free.dtype == torch.float64
    assert net.to(device="cpu", dtype=torch.float32).free.dtype == torch.float32
    assert net.cpu() is net and net.type(torch.float64).count.dtype == torch.float64
    assert net.to_empty(device="cpu").free.shape == (2,)
    with fails(
        TypeError,
        "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64",
    ):
        net.to(torch.int64)


def test_there_is_no_gpu(torch):
    if torch.cuda.is_available():
        pytest.skip("this machine has one")
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        Net(torch).cuda()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        Net(torch).to("cuda")


def test_copies(torch):
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    twin = copy.deepcopy(net)
    assert torch.equal(twin[0].weight, net[0].weight) and twin[0].weight is not net[0].weight
    assert isinstance(twin[0].weight, torch.nn.Parameter)
    shallow = copy.copy(net)
    assert shallow[0] is net[0]
    back = pickle.loads(pickle.dumps(net))
    assert torch.equal(back[0].weight, net[0].weight) and back[0].weight.requires_grad
    assert torch.equal(back(torch.ones(1, 2)), net(torch.ones(1, 2)))


def test_an_old_pickle_gets_the_tables_it_lacks(torch):
    net = torch.nn.ReLU()
    state = net.__getstate__()
    for name in ("_forward_hooks_with_kwargs", "_state_dict_pre_hooks", "_non_persistent_buffers_set"):
        del state[name]
    fresh = torch.nn.ReLU.__new__(torch.nn.ReLU)
    fresh.__setstate__(state)
    assert fresh(torch.ones(1)).item() == 1 and list(fresh.state_dict()) == []


def test_dir_and_repr(torch):
    net = Net(torch)
    assert {"layer", "free", "seen", "plain", "forward", "state_dict"} <= set(dir(net))
    assert repr(net) == (
        "Small(\n"
        "  (layer): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (again): Linear(in_features=2, out_features=3, bias=True)\n"
        ")"
    )

    class Worded(torch.nn.Module):
        def extra_repr(self):
            return "one\ntwo"

    assert repr(Worded()) == "Worded(\n  one\n  two\n)"
    assert repr(torch.nn.Module()) == "Module()"


def test_cooperative_init(torch):
    class Named:
        def __init__(self, name):
            self.name = name

    class Both(torch.nn.Module, Named):
        call_super_init = True

        def __init__(self, name):
            super().__init__(name)

    assert Both("n").name == "n"


def test_a_subclass_may_also_be_a_dict(torch):
    class Odd(torch.nn.Module, dict):
        pass

    odd = Odd()
    odd["a"] = 1
    assert odd["a"] == 1


def test_registration_hooks(torch):
    from_module = torch.nn.modules.module
    seen = []
    handles = [
        from_module.register_module_parameter_registration_hook(lambda m, n, p: seen.append(("p", n))),
        from_module.register_module_buffer_registration_hook(lambda m, n, b: seen.append(("b", n))),
        from_module.register_module_module_registration_hook(lambda m, n, c: seen.append(("m", n))),
    ]
    try:
        net = torch.nn.Module()
        net.p = torch.nn.Parameter(torch.zeros(1))
        net.register_buffer("b", torch.zeros(1))
        net.child = torch.nn.ReLU()
        net.add_module("other", torch.nn.ReLU())
    finally:
        for handle in handles:
            handle.remove()
    torch.nn.Linear(1, 1)
    assert seen == [("p", "p"), ("b", "b"), ("m", "child"), ("m", "other")]


def test_weights_replaced_by_plain_tensors(torch):
    layer = torch.nn.Linear(2, 1)
    del layer.weight
    layer.weight = torch.ones(1, 2)
    layer.bias.data.zero_()
    assert layer(torch.ones(1, 2)).item() == 2


def test_compile_says_what_is_so(rushlight, fails):
    with fails(RuntimeError, "rushlight has no compiler"):
        rushlight.nn.ReLU().compile()
