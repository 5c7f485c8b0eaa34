"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict; on rushlight and on PyTorch alike."""

from collections import OrderedDict

import pytest


def named(torch, *letters):
    """Modules that can be told apart by their repr."""
    return [torch.nn.Linear(1, ord(letter)) for letter in letters]


def letters(modules):
    return "".join(chr(m.out_features) for m in modules)


def test_sequential_as_a_list(torch, fails):
    net = torch.nn.Sequential(*named(torch, "a", "b", "c"))
    assert len(net) == 3 and letters(net) == "abc" and letters(net[1:]) == "bc" and net[-1] is net[2]
    assert isinstance(net[:2], torch.nn.Sequential)
    net[0] = named(torch, "x")[0]
    net.append(named(torch, "d")[0]).extend(named(torch, "e", "f"))
    assert letters(net) == "xbcdef" and list(net._modules) == list("012345")
    net.insert(1, named(torch, "y")[0])
    net.insert(-1, named(torch, "z")[0])
    assert letters(net) == "xybcdezf"
    del net[0]
    assert letters(net) == "ybcdezf" and list(net._modules) == list("0123456")
    del net[1:3]
    assert letters([net.pop(0)]) == "y" and letters(net) == "dezf"
    with fails(IndexError, "index 7 is out of range"):
        net[7]
    with fails(IndexError, "Index out of range: 9"):
        net.insert(9, torch.nn.ReLU())
    with fails(AssertionError, "module should be of type"):
        net.insert(0, 3)
    with fails(TypeError, "int is not a Module subclass"):
        torch.nn.Sequential(3)
    assert "0" not in dir(net)


def test_sequential_arithmetic(torch, fails):
    a, b = torch.nn.Sequential(*named(torch, "a")), torch.nn.Sequential(*named(torch, "b"))
    assert letters(a + b) == "ab" and letters(a * 3) == "aaa" and letters(2 * b) == "bb"
    a += b
    assert letters(a) == "ab"
    a *= 2
    assert letters(a) == "abab" and a[0] is a[2]
    with fails(
        ValueError, "add operator supports only objects of Sequential class, but <class 'int'> is given."
    ):
        a + 3
    with fails(TypeError, "unsupported operand type(s) for *: <class"):
        a * 1.5
    with fails(ValueError, "Non-positive multiplication factor 0 for <class"):
        a * 0


def test_sequential_of_names(torch):
    net = torch.nn.Sequential(OrderedDict(first=torch.nn.ReLU(), last=torch.nn.Tanh()))
    assert list(net.state_dict()) == [] and net.first is net[0]
    assert torch.equal(net(torch.tensor([-1.0, 0.0])), torch.zeros(2))
    assert list(net[1:]._modules) == ["last"]


def test_module_list(torch, fails):
    items = torch.nn.ModuleList(named(torch, "a", "b", "c"))
    assert letters(items) == "abc" and letters(items[1:]) == "bc" and items[-1] is items[2]
    items.append(named(torch, "d")[0]).extend(named(torch, "e"))
    items += named(torch, "f")
    items.insert(0, named(torch, "x")[0])
    assert letters(items) == "xabcdef" and letters(items + named(torch, "g")) == "xabcdefg"
    items[0] = named(torch, "y")[0]
    del items[1]
    del items[1:3]
    assert letters(items) == "ydef" and letters([items.pop(-1)]) == "f"
    assert repr(torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.ReLU(), torch.nn.Tanh()])) == (
        "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    )
    assert repr(torch.nn.ModuleList()) == "ModuleList()"
    with fails(TypeError, "ModuleList.extend should be called with an iterable, but got int"):
        items.extend(3)
    with fails(IndexError, "index 5 is out of range"):
        items[5]
    with fails(NotImplementedError, 'Module [ModuleList] is missing the required "forward" function'):
        items(1)


def test_module_dict(torch, fails):
    items = torch.nn.ModuleDict({"a": torch.nn.ReLU(), "b": torch.nn.Tanh()})
    items.update([("c", torch.nn.Sigmoid())])
    items.update(torch.nn.ModuleDict({"d": torch.nn.ReLU()}))
    assert list(items) == ["a", "b", "c", "d"] == list(items.keys()) and "a" in items and len(items) == 4
    assert isinstance(items.pop("b"), torch.nn.Tanh)
    del items["c"]
    assert [k for k, _ in items.items()] == ["a", "d"] and len(items.values()) == 2
    items.clear()
    assert len(items) == 0
    with fails(
        TypeError, "ModuleDict.update should be called with an iterable of key/value pairs, but got int"
    ):
        items.update(3)
    with fails(ValueError, "ModuleDict update sequence element #0 has length 3; 2 is required"):
        items.update(["abc"])
    with fails(TypeError, "ModuleDict update sequence element #0 should be Iterable; isint"):
        items.update([3])
    with pytest.raises(KeyError):
        items["z"]


def test_parameter_list(torch, fails):
    items = torch.nn.ParameterList([torch.zeros(1), torch.nn.Parameter(torch.ones(2, 3)), "text"])
    assert [n for n, _ in items.named_parameters()] == ["0", "1"] and len(items) == 3 and items[2] == "text"
    assert isinstance(items[0], torch.nn.Parameter) and len(items[:2]) == 2
    items.append(torch.zeros(2)).extend([torch.zeros(3)])
    items += [torch.zeros(4)]
    items[0] = torch.ones(5)
    assert [tuple(p.shape) for p in items.parameters()] == [(5,), (2, 3), (2,), (3,), (4,)]
    assert repr(items).splitlines()[1:3] == [
        "    (0): Parameter containing: [torch.float32 of size 5]",
        "    (1): Parameter containing: [torch.float32 of size 2x3]",
    ]
    assert repr(items).splitlines()[3] == "    (2): Object of type: str"
    with fails(TypeError, "ParameterList.extend should be called with an iterable, but got Tensor"):
        items.extend(torch.zeros(2))
    with fails(RuntimeError, "ParameterList should not be called."):
        items(1)


def test_parameter_dict(torch, fails):
    items = torch.nn.ParameterDict({"b": torch.zeros(2), "a": torch.ones(1)})
    assert list(items) == ["a", "b"] and [n for n, _ in items.named_parameters()] == ["a", "b"]
    items["c"] = torch.nn.Parameter(torch.zeros(3))
    items.update([("d", 5)])
    assert items.setdefault("e", torch.zeros(1)) is items["e"] and items.get("zz", 3) == 3
    assert list(reversed(items)) == ["e", "d", "c", "b", "a"] and items.popitem()[0] == "e"
    assert items.pop("d") == 5 and len(items) == 3 and "d" not in items
    assert list(items.copy().keys()) == ["a", "b", "c"] and list(items.fromkeys(["x"], 1).items()) == [
        ("x", 1)
    ]
    both = items | torch.nn.ParameterDict({"z": torch.zeros(1)})
    assert list(both) == ["a", "b", "c", "z"]
    items |= torch.nn.ParameterDict({"z": torch.zeros(1)})
    del items["z"]
    assert repr(items).splitlines()[1] == "    (a): Parameter containing: [torch.FloatTensor of size 1]"
    items.clear()
    assert len(items) == 0 and list(items.values()) == []
    with fails(
        TypeError,
        "Index given to ParameterDict cannot be used as a key as it is not a string (type is 'int').",
    ):
        items[3]
    with fails(RuntimeError, "ParameterDict should not be called."):
        items(1)
    with pytest.raises(KeyError):
        items.popitem()
