"""The unpickler behind ``weights_only=True``: a small machine that can only build data.

A pickle is a program for a stack machine, and Python's runs any function that a file names. This one knows the
opcodes that ``torch.save`` writes, looks names up in a list and nowhere else, and calls nothing but what stands
in that list: the functions that rebuild tensors, a handful of plain types, and what the user has added with
``add_safe_globals``. What it does not know, it refuses.

A file may also do harm with permitted means. So a plain type is called through a guard that looks at the
arguments (``bytearray(10**12)`` would be a request for memory), no length is believed beyond the bytes that are
there, and what becomes a key of a dictionary or a member of a set is walked first: nested tuples that share
their parts have a hash that takes for ever, and deep ones one that overflows the stack.
"""

from __future__ import annotations

import _compat_pickle
import pickle
import struct
import warnings
from _codecs import encode
from collections import Counter, OrderedDict
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from .. import dtypes
from ..device import device
from ..nn.parameter import Parameter
from ..ops.storage import TypedStorage, UntypedStorage
from ..tensor import Size, Tensor
from . import rebuild
from .names import REBUILDERS, outward

__all__ = [
    *("WeightsUnpickler", "add_safe_globals", "clear_safe_globals", "get_safe_globals", "safe_globals"),
    *("advice", "allowed", "UNSAFE_MESSAGE"),
]

UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. "
    "Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code "
    "execution. Do it only if you got the file from a trusted source."
)
_DOCS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
_BLOCKED = ("sys", "os", "posix", "nt")
_MOST_PARTS, _DEEPEST = 10_000, 100


# ---------------------------------------------------------------- what may be named


def _bytes_of(*args: Any) -> Any:
    """``_codecs.encode(text, "latin1")``, by which protocol 2 writes bytes."""
    if not args or len(args) > 2 or not all(type(a) is str for a in args) or args[1:] not in (("latin1",), ("latin-1",), ()):
        raise TypeError("bytes are written as _codecs.encode(text, 'latin1')")
    return args[0].encode(*(args[1:] or ("utf-8",)))


def _bytearray_of(*args: Any) -> bytearray:
    if not args:
        return bytearray()
    if len(args) == 2 and type(args[0]) is type(args[1]) is str and args[1] in ("latin-1", "latin1"):
        return bytearray(args[0], "latin-1")
    if len(args) == 1 and type(args[0]) in (bytes, bytearray, list):
        return bytearray(args[0])
    raise TypeError("a bytearray is made of bytes")


def _set_of(*args: Any) -> set[Any]:
    members = _items(args)
    for member in members:
        check_key(member)
    return set(members)


def _ordered_of(*args: Any) -> OrderedDict[Any, Any]:
    made: OrderedDict[Any, Any] = OrderedDict()
    for pair in _items(args):
        key, value = pair
        check_key(key)
        made[key] = value
    return made


def _counter_of(*args: Any) -> Counter[Any]:
    if args and (len(args) > 1 or type(args[0]) is not dict):
        raise TypeError("a Counter is made of a dict")
    return Counter(*args)


def _items(args: tuple[Any, ...]) -> Any:
    if len(args) > 1 or (args and type(args[0]) not in (list, tuple, set)):
        raise TypeError("it is made of one list")
    return args[0] if args else ()


def _plain(kind: type, *types: type) -> Callable[..., Any]:
    def make(*args: Any) -> Any:
        if not all(type(a) in types for a in args):
            raise TypeError(f"{kind.__name__} takes {', '.join(t.__name__ for t in types)}")
        return kind(*args)

    return make


def _size_of(*args: Any) -> Size:
    return Size([int(n) for n in _items(args)])


def _bare_tensor(*args: Any) -> Tensor:
    if args:
        raise TypeError("a bare torch.Tensor takes no arguments in a file")
    return Tensor()


def _from_type(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    if not any(func is f for f in _REBUILD) or type(args) is not tuple:
        raise pickle.UnpicklingError(f"Trying to call reduce for unrecognized function {_shown(func)}")
    if not isinstance(new_type, type) or not issubclass(new_type, Tensor):
        raise TypeError("a tensor is rebuilt as a class of tensors")
    return rebuild._rebuild_from_type_v2(func, new_type, args, state)


# A permitted name, what it stands for, and what a call of it runs: a guard that looks at the arguments first.
_GUARDED: dict[str, tuple[Any, Callable[..., Any]]] = {
    "collections.OrderedDict": (OrderedDict, _ordered_of),
    "collections.Counter": (Counter, _counter_of),
    "torch.nn.parameter.Parameter": (Parameter, Parameter),
    "torch.Size": (Size, _size_of),
    "torch.Tensor": (Tensor, _bare_tensor),
    "torch.device": (device, _plain(device, str, int, type(None))),
    "_codecs.encode": (encode, _bytes_of),
    "builtins.bytearray": (bytearray, _bytearray_of),
    "builtins.set": (set, _set_of),
    "builtins.complex": (complex, _plain(complex, float, int)),
    "torch._tensor._rebuild_from_type_v2": (rebuild._rebuild_from_type_v2, _from_type),
}
_REBUILD = [f for f in REBUILDERS.values() if f is not rebuild._rebuild_from_type_v2]
_CALLS: dict[int, Callable[..., Any]] = {id(f): f for f in _REBUILD}
_CALLS.update((id(thing), make) for thing, make in _GUARDED.values())
_ALLOWED: dict[str, Any] = {
    **{f"{module}.{name}": function for (module, name), function in REBUILDERS.items()},
    **{name: thing for name, (thing, _) in _GUARDED.items()},
    **{f"torch.{name}": kind for name, kind in rebuild.STORAGE_TYPES.items()},
    **{str(dtype): dtype for dtype in dtypes.ALL},
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.storage.TypedStorage": TypedStorage,
}
_user: list[Any] = []


def _path(thing: Any) -> str:
    module, name = outward(thing) or (thing.__module__, thing.__qualname__)
    return f"{module}.{name}"


def _user_table() -> dict[str, Any]:
    table = {}
    for entry in _user:
        if isinstance(entry, tuple):
            if len(entry) != 2:
                raise ValueError(
                    "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
                    f"{len(entry)}\nPass (function, 'module.name')."
                )
            if type(entry[1]) is not str:
                raise TypeError(
                    f"Expected second item in tuple to be str of callable full path, but got: {type(entry[1])}"
                    "\nPass (function, 'module.name')."
                )
            table[entry[1]] = entry[0]
        else:
            table[_path(entry)] = entry
    return table


def allowed() -> set[str]:
    """The full names that ``weights_only=True`` permits at this moment."""
    return {*_ALLOWED, *_user_table()}


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Permit more classes and functions to ``load(weights_only=True)``: files may then call them.

    Args:
        safe_globals: classes, functions, or pairs of one and the full name that files use for it.

    Example::

        >>> import collections
        >>> from rushlight import serialization
        >>> serialization.add_safe_globals([collections.deque])
        >>> serialization.get_safe_globals()
        [<class 'collections.deque'>]
        >>> serialization.clear_safe_globals()
    """
    _user.extend(entry for entry in safe_globals if entry not in _user)


def get_safe_globals() -> list[Any]:
    """What has been added with ``add_safe_globals``."""
    return list(_user)


def clear_safe_globals() -> None:
    """Take back all that has been added."""
    _user.clear()


class safe_globals:
    """Context manager: the given classes and functions are permitted inside.

    Args:
        safe_globals: as for ``add_safe_globals``.
    """

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = list(safe_globals)

    def __enter__(self) -> None:
        self.before = list(_user)
        add_safe_globals(self.safe_globals)

    def __exit__(self, *_: object) -> None:
        _user[:] = self.before


def advice(message: str) -> str:
    """The text of the error in which a refusal of the machine ends."""
    if " was not an allowed global by default." in message:
        text = (
            "Weights only load failed. This file can still be loaded, to do so you have two options, "
            f"\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. \n\t(1) {UNSAFE_MESSAGE}\n\t"
            "(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following "
            f"error message.\n\tWeightsUnpickler error: {message}"
        )
    else:
        text = f"Weights only load failed. {UNSAFE_MESSAGE}\n"
        if " is blocked." not in message:
            text += (
                "Please file an issue with the following so that we can make `weights_only=True` compatible with your "
                "use case: WeightsUnpickler error: "
            )
        text += "\n\n" + message
    return text + _DOCS


def _shown(thing: Any) -> str:
    """A function or class by its name; of anything else the type, since its text may be endless."""
    return repr(thing) if isinstance(thing, (type, FunctionType, BuiltinFunctionType)) else repr(type(thing))


def check_key(key: Any) -> None:
    """Refuse a key whose hash would take for ever or overflow the stack."""
    if type(key) is not tuple:
        return
    todo, seen = [(key, 0)], 0
    while todo:
        part, depth = todo.pop()
        seen += 1
        if seen > _MOST_PARTS or depth > _DEEPEST:
            raise pickle.UnpicklingError("A key is nested too deep, or has too many parts")
        if isinstance(part, tuple):
            todo += [(p, depth + 1) for p in part]


# ---------------------------------------------------------------- the machine


class WeightsUnpickler:
    """Reads one pickle from ``file`` (``read`` and ``readline``); ``persistent_load`` gives it the storages."""

    def __init__(self, file: Any, *, encoding: str = "ASCII", **_: Any) -> None:
        self._file, self._encoding = file, encoding
        self.persistent_load: Callable[[Any], Any] = _no_storages

    def load(self) -> Any:
        """The object. UnpicklingError for all that is not plain data."""
        self._memo: dict[int, Any] = {}
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._users = _user_table()
        at = 0
        while True:
            key = self._file.read(1)
            if not key:
                raise EOFError("Ran out of input\nThe pickle ends before its STOP.")
            at += 1
            if key == pickle.STOP:
                return self._guarded(self._stop, key, at)
            run = _OPCODES.get(key)
            if run is None:
                raise pickle.UnpicklingError(f"Unsupported operand {key[0]}")
            self._guarded(run, key, at)

    def _guarded(self, run: Callable[..., Any], key: bytes, at: int) -> Any:
        try:
            return run(self) if run != self._stop else run()
        except (LookupError, ValueError, TypeError, AttributeError, OverflowError, struct.error) as error:
            said = f"{type(error).__name__}: {error}"
            raise pickle.UnpicklingError(f"The pickle is malformed at its instruction {at} ({key!r}): {said}") from error

    def _stop(self) -> Any:
        return self._stack.pop()

    def _take(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) != count:
            raise EOFError(f"Ran out of input\nThe pickle ends {count - len(data)} bytes before a value does.")
        return bytes(data)

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _since_mark(self) -> list[Any]:
        items, self._stack = self._stack, self._marks.pop()
        return items

    # -- names and calls

    def _global(self) -> None:
        module, name = read_global(self._file)
        path = f"{module}.{name}"
        if module in _BLOCKED:
            raise pickle.UnpicklingError(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
        if path in self._users:
            self._stack.append(self._users[path])
        elif path in _ALLOWED:
            self._stack.append(_ALLOWED[path])
        else:
            path = path.removeprefix("builtins.")
            raise pickle.UnpicklingError(
                f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please use "
                f"`torch.serialization.add_safe_globals([{path}])` or the `torch.serialization.safe_globals([{path}])` "
                "context manager to allowlist this global if you trust this class/function."
            )

    def _is_users(self, thing: Any) -> bool:
        return any(thing is entry for entry in self._users.values())

    def _reduce(self) -> None:
        args, func = self._stack.pop(), self._stack[-1]
        self._stack[-1] = self._call(func, args, f"Trying to call reduce for unrecognized function {_shown(func)}")

    def _newobj(self) -> None:
        args, cls = self._stack.pop(), self._stack.pop()
        if self._is_users(cls) and isinstance(cls, type):
            self._stack.append(cls.__new__(cls, *args))
            return
        self._stack.append(
            self._call(
                cls,
                args,
                f"Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got {_shown(cls)}",
            )
        )

    def _call(self, func: Any, args: Any, refusal: str) -> Any:
        if type(args) is not tuple:
            raise TypeError("arguments are a tuple")
        if self._is_users(func):
            return func(*args)
        if id(func) in _CALLS:
            return _CALLS[id(func)](*args)
        raise pickle.UnpicklingError(refusal)

    def _build(self) -> None:
        state, made = self._stack.pop(), self._stack[-1]
        kind = type(made)
        if kind is Tensor:
            made.set_(*state)
        elif kind is OrderedDict:
            made.__dict__.update(state)
        elif kind is Parameter:
            made.__setstate__(state)
        elif self._is_users(kind):
            if hasattr(made, "__setstate__"):
                made.__setstate__(state)
                return
            slots = None
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            if state:
                made.__dict__.update(state)
            for name, value in (slots or {}).items():
                setattr(made, name, value)
        else:
            raise pickle.UnpicklingError(
                f"Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got {kind}"
            )

    def _persistent(self) -> None:
        pid = self._stack.pop()
        if type(pid) not in (tuple, int):
            raise pickle.UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and (type(pid[0]) not in (str, bytes) or pid[0] not in ("storage", b"storage")):
            raise pickle.UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        self._stack.append(self.persistent_load(pid))

    # -- containers

    def _append(self) -> None:
        self._extend([self._stack.pop()], "append to")

    def _appends(self) -> None:
        self._extend(self._since_mark(), "extend")

    def _extend(self, items: list[Any], what: str) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise pickle.UnpicklingError(f"Can only {what} lists, but got {type(target)}")
        target.extend(items)

    def _setitem(self) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._assign([key, value], "SETITEM")

    def _setitems(self) -> None:
        self._assign(self._since_mark(), "SETITEMS")

    def _assign(self, items: list[Any], opcode: str) -> None:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise pickle.UnpicklingError(
                f"Can only {opcode} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        if len(items) % 2:
            raise ValueError("a key without a value")
        for key, value in zip(items[::2], items[1::2]):
            check_key(key)
            target[key] = value

    def _mark(self) -> None:
        self._marks.append(self._stack)
        self._stack = []

    def _tuple(self) -> None:
        items = self._since_mark()
        self._stack.append(tuple(items))

    def _tuple_of(self, count: int) -> None:
        if len(self._stack) < count:
            raise IndexError("the stack holds too little for a tuple")
        self._stack[-count:] = [tuple(self._stack[-count:])]

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    # -- text, numbers, memo

    def _unicode(self) -> None:
        self._push(self._take(self._number("<I")).decode("utf-8", "surrogatepass"))

    def _short_string(self) -> None:
        data: Any = self._take(self._number("<B"))
        self._push(data if self._encoding == "bytes" else data.decode(self._encoding, "strict"))

    def _long(self) -> None:
        self._push(int.from_bytes(self._take(self._number("<B")), "little", signed=True))

    def _get(self, form: str) -> None:
        self._push(self._memo[self._number(form)])

    def _put(self, form: str) -> None:
        self._memo[self._number(form)] = self._stack[-1]

    def _proto(self) -> None:
        protocol = self._number("<B")
        if protocol != 2:
            warnings.warn(
                f"Detected pickle protocol {protocol} in the checkpoint, which was not the default pickle protocol used "
                "by `torch.load` (2). The weights_only Unpickler might not support all instructions implemented by this "
                "protocol, please file an issue for adding support if you encounter this.",
                stacklevel=2,
            )


def _no_storages(pid: Any) -> Any:
    raise pickle.UnpicklingError("unsupported persistent id encountered")


def read_global(file: Any) -> tuple[str, str]:
    """(module, name) of a GLOBAL instruction, Python 2's names translated."""
    words = []
    for _ in range(2):
        line = file.readline()
        if line[-1:] != b"\n":
            raise EOFError("Ran out of input\nThe pickle ends within a name.")
        words.append(line[:-1].decode("utf-8"))
    module, name = words
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


def _pushing(value: Callable[[], Any]) -> Callable[[WeightsUnpickler], None]:
    return lambda machine: machine._push(value())


_OPCODES: dict[bytes, Callable[[WeightsUnpickler], None]] = {
    pickle.GLOBAL: WeightsUnpickler._global,
    pickle.REDUCE: WeightsUnpickler._reduce,
    pickle.NEWOBJ: WeightsUnpickler._newobj,
    pickle.BUILD: WeightsUnpickler._build,
    pickle.BINPERSID: WeightsUnpickler._persistent,
    pickle.APPEND: WeightsUnpickler._append,
    pickle.APPENDS: WeightsUnpickler._appends,
    pickle.SETITEM: WeightsUnpickler._setitem,
    pickle.SETITEMS: WeightsUnpickler._setitems,
    pickle.MARK: WeightsUnpickler._mark,
    pickle.TUPLE: WeightsUnpickler._tuple,
    pickle.TUPLE1: lambda machine: machine._tuple_of(1),
    pickle.TUPLE2: lambda machine: machine._tuple_of(2),
    pickle.TUPLE3: lambda machine: machine._tuple_of(3),
    pickle.NONE: _pushing(lambda: None),
    pickle.NEWFALSE: _pushing(lambda: False),
    pickle.NEWTRUE: _pushing(lambda: True),
    pickle.EMPTY_TUPLE: _pushing(tuple),
    pickle.EMPTY_LIST: _pushing(list),
    pickle.EMPTY_DICT: _pushing(dict),
    pickle.EMPTY_SET: _pushing(set),
    pickle.BININT: lambda machine: machine._push(machine._number("<i")),
    pickle.BININT1: lambda machine: machine._push(machine._number("<B")),
    pickle.BININT2: lambda machine: machine._push(machine._number("<H")),
    pickle.BINFLOAT: lambda machine: machine._push(machine._number(">d")),
    pickle.BINUNICODE: WeightsUnpickler._unicode,
    pickle.SHORT_BINSTRING: WeightsUnpickler._short_string,
    pickle.LONG1: WeightsUnpickler._long,
    pickle.BINGET: lambda machine: machine._get("<B"),
    pickle.LONG_BINGET: lambda machine: machine._get("<I"),
    pickle.BINPUT: lambda machine: machine._put("<B"),
    pickle.LONG_BINPUT: lambda machine: machine._put("<I"),
    pickle.PROTO: WeightsUnpickler._proto,
}
