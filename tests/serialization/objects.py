"""The kinds of object that files are tested with, and a description by which two engines' objects are compared.

``KINDS`` maps a name to ``(make, safe)``: ``make(torch)`` builds the object with either engine, ``safe`` says whether
``weights_only=True`` reads it.
"""

import collections
import math

import numpy as np

KINDS = {}


def kind(safe=True, name=None):
    """Enter a maker into the table."""

    def enter(make):
        KINDS[name or make.__name__] = make, safe
        return make

    return enter


DTYPES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128").split()


def _of_dtype(name):
    return lambda t: t.tensor([0, 1, 5, 117]).to(getattr(t, name))


for _name in DTYPES:
    kind(name=_name)(_of_dtype(_name))


@kind()
def scalar(t):
    return t.tensor(3.5)


@kind()
def empty(t):
    return [t.empty(0), t.empty(0, 3), t.empty(2, 0, dtype=t.int32)]


@kind()
def special_values(t):
    return t.tensor([math.nan, math.inf, -math.inf, -0.0, 1e-45, 3.4e38])


@kind()
def transposed(t):
    return t.arange(6.0).reshape(2, 3).t()


@kind()
def sliced(t):
    return t.arange(40).reshape(5, 8)[1:4:2, 2::3]


@kind()
def expanded(t):
    return t.tensor([[1.0], [2.0]]).expand(2, 3)


@kind()
def overlapping(t):
    return t.arange(5.0).as_strided((3, 3), (1, 1))


@kind()
def shared_views(t):
    x = t.arange(12.0)
    return [x, x[3:], x.view(3, 4)[:, 1], x[:0]]


@kind()
def one_tensor_twice(t):
    x = t.ones(2)
    return {"a": x, "b": x, "c": [x, (x,)]}


@kind()
def views_of_what_is_gone(t):
    return t.arange(100, dtype=t.int16)[90:95]


@kind()
def channels_last(t):
    return t.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=t.channels_last)


@kind()
def requires_grad(t):
    return t.tensor([1.0, 2.0], requires_grad=True)


@kind()
def result(t):
    return t.tensor([1.0, 2.0], requires_grad=True) * 2


@kind()
def complex_matrix(t):
    return t.tensor([[1 + 2j, 3 - 1j]], dtype=t.complex64).t()


@kind()
def attributes_on_a_tensor(t):
    x = t.ones(2)
    x.note = "kept"
    return x


@kind()
def parameter(t):
    return t.nn.Parameter(t.arange(3.0))


@kind()
def frozen_parameter(t):
    return t.nn.Parameter(t.arange(3), requires_grad=False)


@kind()
def parameter_with_attributes(t):
    p = t.nn.Parameter(t.arange(3.0))
    p.sharded = [1, 2]
    return p


@kind()
def buffer(t):
    return t.nn.Buffer(t.arange(3.0), persistent=False)


@kind()
def untyped_storage(t):
    return t.arange(3, dtype=t.int16).untyped_storage()


@kind()
def tensor_and_its_storage(t):
    x = t.arange(3, dtype=t.uint8)
    return [x, x.untyped_storage()]


@kind()
def size(t):
    return [t.Size([2, 3]), t.Size([]), t.ones(2, 3).shape]


@kind()
def dtypes(t):
    return [getattr(t, name) for name in DTYPES]


@kind()
def devices(t):
    return [t.device("cpu"), t.device("cuda", 1), t.device("meta")]


@kind()
def layout(t):
    return t.strided


@kind()
def rng_state(t):
    t.manual_seed(5)
    t.rand(3)
    return t.get_rng_state()


@kind(safe=False)
def generator(t):
    g = t.Generator().manual_seed(7)
    t.rand(3, generator=g)
    return g


@kind()
def plain_values(t):
    return [None, True, False, 0, 255, 256, -1, 2**31, 2**63, -(2**200), 1.5, math.inf, 1 + 2j, "", "ünïcødé\n", b"\0\xff"]


@kind()
def nested(t):
    return {
        "list": [1, [2, [3, t.ones(1)]]],
        ("a", 1): (t.zeros(2), {"deep": {"deeper": t.arange(2)}}),
        3: {1, 2, 3},
        "bytes": [b"abc", bytearray(b"xyz")],
        4.5: (),
        None: ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
    }


@kind()
def itself(t):
    a = [t.ones(1)]
    a.append(a)
    return a


@kind()
def ordered_dict(t):
    return collections.OrderedDict([("z", t.ones(1)), ("a", 2)])


@kind()
def counter(t):
    return collections.Counter("abracadabra")


@kind()
def many_storages(t):
    return [t.full((i % 3,), float(i)) for i in range(300)]


@kind()
def long_names(t):
    return {f"{'layer.' * 20}{i}": t.tensor([i]) for i in range(30)}


def network(t):
    """A small net with parameters and buffers."""
    t.manual_seed(0)
    return t.nn.Sequential(
        collections.OrderedDict(
            conv=t.nn.Conv2d(1, 2, 3), norm=t.nn.BatchNorm2d(2), act=t.nn.ReLU(), flat=t.nn.Flatten(), out=t.nn.Linear(8, 3)
        )
    )


@kind()
def state_dict(t):
    return network(t).state_dict()


@kind()
def state_dict_of_tied_weights(t):
    t.manual_seed(0)
    m = t.nn.ModuleDict({"a": t.nn.Linear(2, 2), "b": t.nn.Linear(2, 2)})
    m["b"].weight = m["a"].weight
    return m.state_dict()


@kind(safe=False)
def module(t):
    t.manual_seed(0)
    return t.nn.Linear(3, 2)


@kind(safe=False)
def whole_network(t):
    return network(t).eval()


@kind(safe=False)
def tied_modules(t):
    t.manual_seed(0)
    m = t.nn.ModuleList([t.nn.Embedding(4, 2), t.nn.Linear(2, 4), t.nn.LayerNorm(2), t.nn.Dropout(0.3)])
    m[1].weight = m[0].weight
    return m


@kind(safe=False)
def losses(t):
    return [t.nn.MSELoss(), t.nn.CrossEntropyLoss(label_smoothing=0.1), t.nn.BCEWithLogitsLoss(pos_weight=t.ones(2))]


@kind()
def sgd_state(t):
    optimizer = t.optim.SGD([t.nn.Parameter(t.ones(2))], lr=0.5, nesterov=True, momentum=0.5)
    optimizer.param_groups[0]["initial_lr"] = 0.5
    return optimizer.state_dict()


@kind()
def momentum_state(t):
    optimizer = t.optim.SGD([t.nn.Parameter(t.ones(2))], lr=0.5, momentum=0.9)
    optimizer.param_groups[0]["params"][0].grad = t.ones(2)
    optimizer.step()
    return optimizer.state_dict()


@kind()
def adam_state(t):
    optimizer = t.optim.Adam([t.nn.Parameter(t.ones(2))], lr=0.5, amsgrad=True)
    optimizer.param_groups[0]["params"][0].grad = t.ones(2)
    optimizer.step()
    return optimizer.state_dict()


@kind()
def adamw_two_groups(t):
    groups = [{"params": [t.nn.Parameter(t.ones(2))]}, {"params": [t.nn.Parameter(t.ones(1))], "lr": 0.25}]
    optimizer = t.optim.AdamW(groups, lr=0.5)
    for group in optimizer.param_groups:
        group["params"][0].grad = t.ones_like(group["params"][0])
    optimizer.step()
    return optimizer.state_dict()


@kind(safe=False)
def whole_optimizer(t):
    optimizer = t.optim.SGD([t.nn.Parameter(t.ones(2))], lr=0.5, momentum=0.9)
    optimizer.param_groups[0]["params"][0].grad = t.ones(2)
    optimizer.step()
    return optimizer


@kind()
def checkpoint(t):
    net = network(t)
    optimizer = t.optim.Adam(net.parameters(), lr=0.125)
    return {
        "epoch": 7,
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": t.manual_seed(3).get_state(),
        "history": [0.5, 0.25],
        "best": t.tensor(0.25),
    }


@kind(safe=False)
def numpy_arrays(t):
    return [np.arange(3.0), np.array([[1, 2]], np.int16), np.array("text"), np.zeros((0, 2), bool)]


@kind(safe=False)
def numpy_scalars(t):
    return {"f": np.float64(1.5), "i": np.int32(-3), "b": np.bool_(True), "dtype": np.dtype("float32")}


@kind(safe=False)
def functions_and_classes(t):
    return [t.nn.functional.relu, t.nn.Linear, t.nn.Parameter, t.Tensor, t.Size, t.device, len, collections.deque]


# ---------------------------------------------------------------- comparing


def describe(obj, torch):
    """Nested tuples that say all that a file has to keep: equal for equal objects of either engine."""
    return _describe(obj, torch, {}, {})


def _describe(obj, torch, storages, seen):
    again = lambda x: _describe(x, torch, storages, seen)  # noqa: E731
    if isinstance(obj, (list, dict)):
        if id(obj) in seen:
            return ("seen", seen[id(obj)][0])
        seen[id(obj)] = len(seen), obj  # kept, so that no other object gets its id
    if isinstance(obj, torch.Tensor):
        return _tensor(obj, torch, storages, again)
    if isinstance(obj, torch.UntypedStorage):
        return ("storage", obj.tolist(), _place(obj, storages))
    if type(obj).__name__ == "TypedStorage":
        return again(obj._untyped_storage if hasattr(obj, "_untyped_storage") else obj.untyped())
    if isinstance(obj, torch.nn.Module):
        state = {k: v for k, v in obj.__dict__.items() if k not in ("_parameters", "_buffers", "_modules")}
        parts = [again(dict(getattr(obj, p))) for p in ("_parameters", "_buffers", "_modules")]
        return (type(obj).__name__, sorted((k, str(again(v))) for k, v in state.items()), *parts)
    if hasattr(obj, "param_groups"):
        return (type(obj).__name__, again(obj.state_dict()), again([g["params"] for g in obj.param_groups]))
    if isinstance(obj, torch.Generator):
        return ("generator", obj.initial_seed(), again(obj.get_state()))
    if isinstance(obj, np.ndarray):
        return ("array", str(obj.dtype), obj.shape, obj.tolist())
    if isinstance(obj, dict):
        extra = [(k, again(v)) for k, v in vars(obj).items()] if hasattr(obj, "__dict__") else []
        return (type(obj).__name__, [(again(k), again(v)) for k, v in obj.items()], extra)
    if isinstance(obj, (set, frozenset)):
        return (type(obj).__name__, sorted(obj))
    if isinstance(obj, (list, tuple)):
        return (type(obj).__name__, [again(x) for x in obj])
    if isinstance(obj, type) or callable(obj):
        return ("named", obj.__name__)
    return (type(obj).__name__, repr(obj))


def _tensor(x, torch, storages, again):
    storage = x.untyped_storage()
    values = repr(x.detach().resolve_conj().tolist())
    where = (tuple(x.shape), x.stride() if x.numel() else None, x.storage_offset() if x.numel() else None)
    kind = "Parameter" if isinstance(x, torch.nn.Parameter) else "Tensor"
    state = sorted((k, again(v)) for k, v in x.__dict__.items())
    size = storage.nbytes() if x.numel() else None
    return (kind, type(x).__name__, str(x.dtype), where, values, x.requires_grad, state, size, _place(storage, storages))


def _place(storage, storages):
    return storages.setdefault(storage.data_ptr(), len(storages)) if storage.nbytes() else None
