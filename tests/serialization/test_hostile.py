"""Files that want more than to be read: the default refuses them, runs nothing, and reserves no memory for them."""

import fractions
import io
import os
import pickle
import pickletools
import re
import struct
import sys
import warnings
import zipfile
import zlib

import pytest

from rushlight.serialization import archive

RAN = []


def detonate(*_):
    """What no file may call."""
    RAN.append(True)


class Bomb:
    """Calls a function when it is unpickled."""

    def __init__(self, function, *args):
        self.what = function, args

    def __reduce__(self):
        return self.what


def packed(text, **records):
    """An archive around a pickle, with all checksums right."""
    file = io.BytesIO()
    writer = archive.Writer(file.write, "archive")
    writer.record("data.pkl", text)
    writer.record("byteorder", b"little")
    for name, data in records.items():
        writer.record(name.replace("__", "/"), data)
    writer.close()
    return file.getvalue()


def op(*parts):
    return b"\x80\2" + b"".join(parts) + b"."


def glob(name):
    module, _, last = name.rpartition(".")
    return f"c{module}\n{last}\n".encode()


def text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(n):
    return pickle.dumps(n, 2)[2:-1]


def storage(numel, key="0", kind="torch.FloatStorage", where="cpu"):
    return b"(" + text("storage") + glob(kind) + text(key) + text(where) + number(numel) + b"tQ"


def tensor(numel, offset, size, stride, grad=b"\x89", hooks=b"N", tail=b""):
    values = b"".join(map(number, (offset, size, stride)))
    return glob("torch._utils._rebuild_tensor_v2") + b"(" + storage(numel) + values + grad + hooks + tail + b"tR"


EIGHT = {"data__0": bytes(8)}

CALLS = {
    "a function of ours": pickle.dumps(Bomb(detonate), 2),
    "system": pickle.dumps(Bomb(os.system, "true"), 2),
    "eval": op(glob("builtins.eval"), text("1"), b"\x85R"),
    "eval of Python 2": op(glob("__builtin__.eval"), text("1"), b"\x85R"),
    "getattr": op(glob("builtins.getattr"), glob("torch.Tensor"), text("__init_subclass__"), b"\x86R"),
    "a dotted name": op(b"ccollections\nOrderedDict.__init_subclass__\n", b")R"),
    "load itself": op(glob("torch.load"), text("x"), b"\x85R"),
    "a module": op(glob("torch.nn.modules.linear.Linear"), b")\x81}b"),
    "partial": op(glob("functools.partial"), glob("torch.Tensor"), b"\x85R"),
    "numpy": op(glob("numpy.load"), text("x"), b"\x85R"),
    "stack global": b"\x80\4\x8c\2os\x8c\6system\x93\x8c\4true\x85R.",
    "inst": b"(S'true'\nios\nsystem\n.",
    "obj": b"(cos\nsystem\nS'true'\no.",
    "extension": b"\x80\2\x82\1.",
    "a name from the memo": op(text("os"), b"q\0", text("system"), b"q\1h\0h\1\x93"),
    "a call of what is no function": op(number(5), b")R"),
    "a call of a dtype": op(glob("torch.float32"), b")R"),
    "a new object of a function": op(glob("torch._utils._rebuild_tensor"), b")\x81"),
    "a method of a permitted class": op(glob("collections.OrderedDict"), b")R}b)R"),
    "other persistent ids": op(b"(", text("module"), text("os"), b"tQ"),
    "persistent text": op(text("0"), b"Q"),
    "state for a list": op(b"]}b"),
    "state for a tensor": op(tensor(2, 0, (2,), (1,)), b"}", text("_a"), number(5), b"sb"),
    "slots of a tensor": op(
        glob("torch._tensor._rebuild_from_type_v2"), b"(", glob("torch._utils._rebuild_tensor"), glob("torch.Tensor"),
        b"(", storage(2), number(0), number((2,)), number((1,)), b"tN}", text("_a"), number(5), b"s\x86tR",
    ),
    "a class that is no tensor": op(
        glob("torch._tensor._rebuild_from_type_v2"), b"(", glob("torch._utils._rebuild_tensor"),
        glob("collections.OrderedDict"), b"(", storage(2), number(0), number((2,)), number((1,)), b"tNtR",
    ),
    "a detour": op(
        glob("torch._tensor._rebuild_from_type_v2"), b"(", glob("builtins.bytearray"), glob("torch.Tensor"),
        number((10**12,)), b"NtR",
    ),
}  # fmt: skip

SIZES = {
    "bytearray": op(glob("builtins.bytearray"), number(10**12), b"\x85R"),
    "a bare tensor": op(glob("torch.Tensor"), number(10**12), b"\x85R"),
    "a new bare tensor": op(glob("torch.Tensor"), number(10**12), b"\x85\x81"),
    "text": b"\x80\2X\xff\xff\xff\xffabc.",
    "a storage": op(storage(10**12)),
    "a storage of negative size": op(storage(-4)),
    "a storage elsewhere": op(storage(2, "../data.pkl")),
    "a storage by another type": op(storage(2, kind="collections.OrderedDict")),
    "a key that is no text": op(b"(", text("storage"), glob("torch.FloatStorage"), number(0), text("cpu"), number(2), b"tQ"),
    "a short id": op(b"(", text("storage"), b"tQ"),
    "a tensor beyond its storage": op(tensor(2, 1, (2,), (1,))),
    "a long stride": op(tensor(2, 0, (2,), (2**61,))),
    "a negative stride": op(tensor(2, 1, (2,), (-1,))),
    "a negative offset": op(tensor(2, -1, (1,), (1,))),
    "a negative size": op(tensor(2, 0, (-1,), (1,))),
    "overflow": op(tensor(2, 0, (2**62, 2**62), (0, 0))),
    "an empty one of great sizes": op(tensor(2, 0, (2**62, 0, 2**62), (1, 1, 1))),
    "sizes that are no numbers": op(tensor(2, 0, ("a",), (1,))),
    "fewer strides": op(tensor(2, 0, (2,), ())),
    "too many dimensions": op(tensor(2, 0, (1,) * 200, (1,) * 200)),
    "gradients of text": op(tensor(2, 0, (2,), (1,), tail=number(5))),
}

SHAPES = {
    "no stop": b"\x80\2]",
    "nothing to return": b"\x80\2.",
    "an empty pickle": b"",
    "a mark that is missing": op(b"t"),
    "a tuple of too little": op(b"N\x87"),
    "a memo that is empty": op(b"h\7"),
    "a memo of another kind": op(b"q\7"),
    "a name without end": b"\x80\2cos",
    "a key without value": op(b"}(N", b"u"),
    "a key that has no hash": op(b"}]Ns"),
    "items for a tuple": op(b")Na"),
    "members of a set": op(b"\x8f(Ne"),
    "an item for nothing": op(b"]Ns"),
    "wrong text": op(b"X\1\0\0\0\xff"),
    "wrong arguments": op(glob("torch.Size"), number(5), b"R"),
    "wrong device": op(glob("torch.device"), text("nonsense"), b"\x85R"),
    "a dictionary in itself": op(b"}q\0h\0h\0s"),
    "unknown instruction": b"\x80\2\xfe.",
}


AUDIT = []
WATCHED = ("exec", "compile", "open", "import", "os.system", "subprocess.Popen", "socket.connect", "ctypes.dlopen")
LISTENING = [False]


def _listen(event, args):
    if LISTENING[0] and event in WATCHED:
        AUDIT.append((event, str(args)[:80]))


sys.addaudithook(_listen)


def attempt(torch, data, **how):
    """(object, None) or (None, error); anything that ran or was opened meanwhile fails the test."""
    AUDIT.clear()
    RAN.clear()
    LISTENING[0] = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.load(io.BytesIO(data), **how), None
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        return None, error
    finally:
        LISTENING[0] = False
        assert not RAN and not AUDIT, AUDIT


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_called(name, rushlight):
    made, error = attempt(rushlight, packed(CALLS[name], **EIGHT))
    assert made is None and isinstance(error, (pickle.UnpicklingError, RuntimeError)), made
    if isinstance(error, pickle.UnpicklingError):
        assert str(error).startswith("Weights only load failed.")


@pytest.mark.parametrize("name", SIZES)
def test_no_size_is_believed(name, rushlight):
    made, error = attempt(rushlight, packed(SIZES[name], **EIGHT))
    assert made is None and error is not None


@pytest.mark.parametrize("name", SHAPES)
def test_malformed_pickles(name, rushlight):
    made, error = attempt(rushlight, packed(SHAPES[name], **EIGHT))
    assert made is None and error is not None


@pytest.mark.parametrize("name", CALLS)
def test_the_old_format_calls_nothing_either(name, rushlight):
    head = b"".join(pickle.dumps(x, 2) for x in (0x1950A86A20F9469CFC6C, 1001, {}))
    for data in (CALLS[name], head + CALLS[name]):
        made, error = attempt(rushlight, data)
        assert made is None and error is not None


def test_texts(rushlight, fails):
    def load(data):
        rushlight.load(io.BytesIO(packed(data)))

    with fails(pickle.UnpicklingError, "Weights only load failed. This file can still be loaded, to do so you have two"):
        load(CALLS["a module"])
    with pytest.raises(pickle.UnpicklingError) as info:
        load(CALLS["a module"])
    assert (
        "Unsupported global: GLOBAL torch.nn.modules.linear.Linear was not an allowed global by default. Please use "
        "`torch.serialization.add_safe_globals([torch.nn.modules.linear.Linear])`"
    ) in str(info.value)
    with pytest.raises(pickle.UnpicklingError, match="Trying to load unsupported GLOBAL posix.system whose module posix is"):
        load(CALLS["system"])
    with pytest.raises(pickle.UnpicklingError, match="Unsupported operand 147"):
        load(CALLS["a name from the memo"])


def test_texts_are_pytorchs(rushlight, real):
    for name in ("a module", "system", "eval", "other persistent ids", "state for a list", "items for a tuple", "extension"):
        data = packed({**CALLS, **SHAPES}[name], **EIGHT)
        with pytest.raises(pickle.UnpicklingError) as theirs:
            real.load(io.BytesIO(data))
        with pytest.raises(pickle.UnpicklingError) as mine:
            rushlight.load(io.BytesIO(data))
        if name != "other persistent ids":  # names the id there, a type that says nothing here
            assert str(mine.value) == str(theirs.value)


def test_the_allow_list_of_the_user(torch, written, fails):
    s = torch.serialization
    data = written(torch, [Plain(3), fractions.Fraction(1, 3)])
    before = s.get_safe_globals()
    with fails(pickle.UnpicklingError, "Weights only load failed."):
        torch.load(io.BytesIO(data))
    unsafe = s.get_unsafe_globals_in_checkpoint(io.BytesIO(data))
    assert sorted(unsafe) == ["fractions.Fraction", f"{__name__}.Plain"]
    with s.safe_globals([Plain, fractions.Fraction]):
        plain, third = torch.load(io.BytesIO(data))
        assert plain.value == 3 and third == fractions.Fraction(1, 3)
        assert s.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == []
    assert set(s.get_safe_globals()) == set(before)
    s.add_safe_globals([(fractions.Fraction, "fractions.Fraction"), Plain])
    assert torch.load(io.BytesIO(data))[0].value == 3
    s.clear_safe_globals()
    assert s.get_safe_globals() == []
    s.add_safe_globals(before)
    with fails(pickle.UnpicklingError):
        torch.load(io.BytesIO(data))
    with s.safe_globals([os.system]), fails(pickle.UnpicklingError, "Weights only load failed."):
        torch.load(io.BytesIO(packed(CALLS["system"])))
    with s.safe_globals([(1, 2, 3)]), fails(ValueError, "Expected tuple of length 2 (global, str of callable full path)"):
        torch.load(io.BytesIO(packed(op(glob("x.y")))))
    with fails(ValueError, "Expected input to be a checkpoint returned by torch.save"):
        s.get_unsafe_globals_in_checkpoint(io.BytesIO(b"nothing"))


class Plain:
    """A user's class."""

    def __init__(self, value):
        self.value = value


def test_permitted_modules(rushlight, written):
    net = rushlight.nn.Linear(2, 1)
    data = written(rushlight, net)
    unsafe = rushlight.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data))
    assert unsafe == ["torch.nn.modules.linear.Linear"]
    with rushlight.serialization.safe_globals([rushlight.nn.Linear]):
        assert rushlight.load(io.BytesIO(data)).weight.tolist() == net.weight.tolist()


def test_keys_that_take_for_ever(rushlight):
    shared = b")" + b"".join(b"q\0h\0\x86" for _ in range(60))
    deep = b")" + b"\x85" * 50_000
    for key in (shared, deep):
        for data in (op(b"}", key, b"Ns"), op(glob("builtins.set"), b"](", key, b"e\x85R")):
            made, error = attempt(rushlight, packed(data))
            assert made is None and "nested too deep" in str(error)
        made, error = attempt(rushlight, packed(op(b"]", key, b"a")))  # as a mere value it does no harm
        assert error is None
        made, error = attempt(rushlight, packed(op(key, b")R")))  # and no error text writes it out
        assert "unrecognized function <class 'tuple'>" in str(error)


def test_memo_tricks(rushlight):
    assert attempt(rushlight, packed(op(b"Nr\xff\xff\xff\xff")))[1] is None
    made, error = attempt(rushlight, packed(op(b"j\xff\xff\xff\xff")))
    assert error is not None
    made, _ = attempt(rushlight, packed(op(b"]q\0h\0a")))
    assert made[0] is made


def test_bools_are_bools(rushlight):
    data = op(glob("torch._utils._rebuild_tensor"), b"(", storage(3, kind="torch.BoolStorage"),
              number(0), number((3,)), number((1,)), b"tR")  # fmt: skip
    made, _ = attempt(rushlight, packed(data, data__0=b"\0\2\xff"))
    assert made.tolist() == [False, True, True] and made.sum() == 2


# ---------------------------------------------------------------- archives


def bent(data, entry, **fields):
    """The archive with fields of one directory entry changed; offsets within the entry are the format's."""
    places = {"method": (10, "<H"), "flags": (8, "<H"), "crc": (16, "<L"), "packed": (20, "<L"), "size": (24, "<L"),
              "header": (42, "<L")}  # fmt: skip
    at = [m for m in range(len(data)) if data[m : m + 4] == b"PK\1\2"][entry]
    made = bytearray(data)
    for name, value in fields.items():
        offset, form = places[name]
        struct.pack_into(form, made, at + offset, value)
    return bytes(made)


GOOD = packed(op(tensor(2, 0, (2,), (1,))), **EIGHT)


@pytest.mark.parametrize("fields, part", [
    ({"size": 9}, "data/0'"), ({"packed": 4, "size": 4}, "4 bytes"), ({"crc": 5}, "CRC"),
    ({"method": 12}, "disagree"), ({"flags": 1}, "disagree"), ({"header": 0}, "another name"),
    ({"header": 7}, "not at byte 7"), ({"packed": 2**31, "size": 2**31}, "reaches into"),
    ({"size": 0xFFFFFFFF, "packed": 0xFFFFFFFF}, "64-bit size is missing"),
])  # fmt: skip
def test_entries_that_lie(fields, part, rushlight):
    made, error = attempt(rushlight, bent(GOOD, 2, **fields))
    assert made is None and isinstance(error, RuntimeError)
    assert re.match("PytorchStreamReader failed reading file (archive/)?data/0: ", str(error)) and part in str(error)


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "..\\evil", "C:/evil"])
def test_names_that_lead_out(name, rushlight):
    file = io.BytesIO()
    writer = archive.Writer(file.write, "archive" if name[0] == "a" else name)
    writer.record(name, b"x")
    writer.close()
    made, error = attempt(rushlight, file.getvalue())
    assert made is None and "leads out of the archive" in str(error)


def compressed(method, *records):
    """A zip archive with records (name, packed bytes, size) of one method."""
    body, entries = b"", b""
    for name, data, size, crc in records:
        path = name.encode()
        entries += struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, method, 0, 0, crc, len(data), size, len(path),
                               0, 0, 0, 0, 0, len(body)) + path  # fmt: skip
        body += struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, method, 0, 0, crc, len(data), size, len(path), 0) + path + data
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(records), len(records), len(entries), len(body), 0)
    return body + entries + end


def deflated(name, data):
    engine = zlib.compressobj(9, wbits=-15)
    return f"archive/{name}", engine.compress(data) + engine.flush(), len(data), zlib.crc32(data)


def test_compressed_archives(rushlight, recorded):
    reader = archive.Reader(io.BytesIO(recorded["state_dict.pt"]))
    again = [deflated(name, reader.read(name)) for name in reader.names()]
    assert next(iter(attempt(rushlight, compressed(8, *again))[0])) == "conv.weight"
    name, data, size, crc = again[4]
    _, error = attempt(rushlight, compressed(8, *again[:4], (name, data[:-3], size, crc), *again[5:]))
    assert "'data/0'" in str(error)
    _, error = attempt(rushlight, compressed(8, *again[:4], (name, data, size - 1, crc), *again[5:]))
    assert "'data/0'" in str(error)


def test_zip_bomb(rushlight):
    zeros = bytes(100 << 20)
    data = compressed(8, deflated("data.pkl", op(storage(25 << 20))), deflated("version", b"3"), deflated("data/0", zeros))
    assert len(data) < 200_000
    _, error = attempt(rushlight, data)
    assert "zip bomb" in str(error)


def test_one_name_twice(rushlight):
    file = io.BytesIO()
    writer = archive.Writer(file.write, "archive")
    for _ in range(2):
        writer.record("data.pkl", op(b"N"))
    writer.close()
    assert "two records of this name" in str(attempt(rushlight, file.getvalue())[1])


def test_versions(rushlight):
    for version, text in ((b"11\n", "maximum supported version"), (b"0\n", "minimum supported"), (b"x", "no version number")):
        file = io.BytesIO()
        writer = archive.Writer(file.write, "archive")
        writer.record("data.pkl", op(b"N"))
        writer.record(".data/version", version)
        writer.close()
        assert text in str(attempt(rushlight, file.getvalue())[1])


def test_64_bit_archives(rushlight, written, monkeypatch):
    """With the limit lowered, small files take the way of those beyond 4 GiB."""
    obj = [rushlight.arange(100.0), rushlight.ones(2)]
    monkeypatch.setattr(archive, "LIMIT", 200)
    data = written(rushlight, obj)
    monkeypatch.undo()
    assert data.count(struct.pack("<2H2Q", 1, 24, 400, 400)) == 2  # in front of the record and in the directory
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
    assert [x.tolist() for x in attempt(rushlight, data)[0]] == [x.tolist() for x in obj]
    at = data.rindex(struct.pack("<2H2Q", 1, 24, 400, 400)) + 4
    _, error = attempt(rushlight, data[:at] + struct.pack("<2Q", 2**60, 2**60) + data[at + 16 :])
    assert "reaches into" in str(error)


def test_64_bit_archives_in_pytorch(rushlight, real, written, monkeypatch):
    monkeypatch.setattr(archive, "LIMIT", 200)
    data = written(rushlight, rushlight.arange(100.0))
    assert real.load(io.BytesIO(data)).tolist() == list(range(100))


def test_no_pickle_of_ours_needs_more_than_protocol_2(rushlight, written):
    reader = archive.Reader(io.BytesIO(written(rushlight, {"a": rushlight.ones(1), "n": 10**40, "b": b"x", "s": {1}})))
    assert max(code.proto for code, *_ in pickletools.genops(reader.read("data.pkl"))) == 2
