"""Every kind of object, written by each engine and read by the other, in the new format and in the old one."""

import importlib
import io
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from tests.serialization.objects import KINDS, describe

from rushlight.serialization import names

OLD = {"_use_new_zipfile_serialization": False}
HOW = {"pt": {}, "old": OLD}
NAMES = sorted(KINDS)


def load(torch, data, safe=True, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the real engine, about typed storages
        return torch.load(io.BytesIO(data), weights_only=safe, **how)


def seen(obj, torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return describe(obj, torch)


def test_there_are_kinds_enough():
    assert len(KINDS) >= 40


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", NAMES)
def test_what_rushlight_writes_it_reads(name, how, rushlight, written):
    make, safe = KINDS[name]
    data = written(rushlight, make(rushlight), **HOW[how])
    for loose in {safe, False}:
        assert seen(load(rushlight, data, safe and not loose), rushlight) == seen(make(rushlight), rushlight)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", NAMES)
def test_what_pytorch_wrote_is_read(name, how, rushlight, recorded):
    make, safe = KINDS[name]
    data = recorded[f"{name}.{how}"]
    assert seen(load(rushlight, data, safe), rushlight) == seen(make(rushlight), rushlight)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_safe_is_refused(name, rushlight, recorded):
    _make, safe = KINDS[name]
    if safe:
        return
    with pytest.raises(pickle.UnpicklingError, match="^Weights only load failed"):
        load(rushlight, recorded[f"{name}.pt"])


# PyTorch cannot read its own old files of these: storages without a dtype, and a state that it reads too early.
UNREADABLE = ("uint16", "uint32", "uint64", "untyped_storage", "tensor_and_its_storage", "generator")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", NAMES)
def test_live_in_both_directions(name, how, rushlight, real, written):
    make, safe = KINDS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = written(real, make(real), **HOW[how])
    mine = written(rushlight, make(rushlight), **HOW[how])
    wanted = seen(make(real), real)
    assert seen(load(rushlight, theirs, safe), rushlight) == wanted
    if how != "old" or name not in UNREADABLE:
        assert seen(load(real, mine, safe), real) == wanted


SAME_BYTES = [n for n in NAMES if n in ("state_dict", "shared_views", "adam_state", "nested", "many_storages", "bfloat16")]


@pytest.mark.parametrize("name", SAME_BYTES)
def test_the_files_are_the_same_to_the_byte(name, rushlight, recorded, written):
    mine, theirs = written(rushlight, KINDS[name][0](rushlight)), recorded[f"{name}.pt"]
    records = [zipfile.ZipFile(io.BytesIO(data)) for data in (mine, theirs)]
    assert records[0].namelist() == records[1].namelist()
    cut = records[0].infolist()[-1].header_offset  # the serialization id comes last
    assert mine[:cut] == theirs[:cut] and len(mine) == len(theirs)
    assert records[0].testzip() is None


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_protocols(protocol, rushlight, written):
    obj = {"x": rushlight.ones(2), "m": rushlight.nn.Linear(2, 1), "d": rushlight.float16}
    data = written(rushlight, obj, pickle_protocol=protocol)
    assert seen(load(rushlight, data, False), rushlight) == seen(obj, rushlight)


def test_live_protocols(rushlight, real, written):
    for protocol in (2, 4, 5):
        obj = {"x": rushlight.ones(2), "m": rushlight.nn.Linear(2, 1), "d": rushlight.float16}
        data = written(rushlight, obj, pickle_protocol=protocol)
        assert seen(load(real, data, False), real) == seen(obj, rushlight)


def test_another_pickle_module(rushlight, written):
    class Module:
        """A pickle module of one's own."""

        __name__ = "mine"
        Pickler, Unpickler = pickle.Pickler, pickle.Unpickler
        load, dump = staticmethod(pickle.load), staticmethod(pickle.dump)

    obj = [rushlight.ones(2), rushlight.nn.Linear(2, 1)]
    for how in HOW.values():
        data = written(rushlight, obj, pickle_module=Module, **how)
        again = rushlight.load(io.BytesIO(data), pickle_module=Module, weights_only=False)
        assert seen(again, rushlight) == seen(obj, rushlight)
    with pytest.raises(RuntimeError, match="^Can not safely load weights when explicit pickle_module is specified"):
        rushlight.load(io.BytesIO(data), pickle_module=Module, weights_only=True)


class Own:
    """A user's class."""

    def __init__(self, x):
        self.x = x


def test_classes_of_the_user(rushlight, written):
    class OwnTensor(rushlight.Tensor):
        """A user's tensor."""

    OwnTensor.__qualname__ = "OwnTensor"
    globals()["OwnTensor"] = OwnTensor
    t = rushlight.ones(2).as_subclass(OwnTensor)
    t.note = 5
    data = written(rushlight, [Own(rushlight.ones(1)), t])
    mine, again = load(rushlight, data, False)
    assert type(mine) is Own and mine.x.tolist() == [1.0]
    assert type(again) is OwnTensor and again.note == 5 and again.tolist() == [1.0, 1.0]
    with rushlight.serialization.safe_globals([Own, OwnTensor]):
        again = load(rushlight, data)[1]
    assert type(again) is OwnTensor and again.note == 5
    with pytest.raises(pickle.UnpicklingError, match="test_two_ways.Own was not an allowed global by default"):
        load(rushlight, data)


def test_a_loaded_tensor_can_be_used(rushlight, recorded):
    x = load(rushlight, recorded["parameter.pt"])
    (x * x).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0]
    state = load(rushlight, recorded["momentum_state.pt"])
    optimizer = rushlight.optim.SGD([rushlight.nn.Parameter(rushlight.ones(2))], lr=1.0)
    optimizer.load_state_dict(state)
    assert optimizer.param_groups[0]["momentum"] == 0.9
    net = load(rushlight, recorded["whole_network.pt"], False)
    assert not net.training and net.out(rushlight.zeros(1, 8)).shape == (1, 3)


def test_views_share_and_writes_are_seen(rushlight, recorded):
    x, tail, column, _ = load(rushlight, recorded["shared_views.pt"])
    x[4] = 50.0
    assert tail[1] == 50 and column[1] != 50
    x[5] = 60.0
    assert column[1] == 60


def test_marks_that_rushlight_has_no_bit_for(rushlight, recorded):
    assert load(rushlight, recorded["conj.pt"]).tolist() == [1 - 2j, 3 + 4j]


@pytest.mark.parametrize("name, kind, text", [
    ("float8", pickle.UnpicklingError, "torch.float8_e4m3fn"),
    ("sparse", NotImplementedError, "sparse"),
    ("meta", NotImplementedError, "meta device"),
    ("quantized", pickle.UnpicklingError, "QInt8Storage"),
    ("script", RuntimeError, "TorchScript"),
])  # fmt: skip
def test_what_rushlight_lacks_is_named(name, kind, text, rushlight, recorded):
    with pytest.raises(kind, match=text):
        load(rushlight, recorded[f"{name}.pt"])


def test_scripts_are_refused_both_ways(rushlight, recorded):
    with pytest.raises(RuntimeError, match="^Cannot use ``weights_only=True`` with TorchScript archives passed to"):
        load(rushlight, recorded["script.pt"])
    with pytest.raises(RuntimeError, match="^'torch.load' received a zip file that looks like a TorchScript archive"):
        load(rushlight, recorded["script.pt"], False)


def test_memory_as_two_dtypes(rushlight, written):
    x = rushlight.zeros(2, dtype=rushlight.int32)
    with pytest.raises(RuntimeError, match="^Cannot save multiple tensors or storages that view the same data as diff"):
        written(rushlight, [x, x.view(rushlight.float32)])


def test_memory_from_numpy(rushlight, written):
    array = np.arange(12.0).reshape(3, 4)
    obj = [rushlight.from_numpy(array), rushlight.from_numpy(array.T), rushlight.from_numpy(array[1:, ::2])]
    for a, b in zip(load(rushlight, written(rushlight, obj)), obj):
        assert a.tolist() == b.tolist()


def test_hooks_stay_behind(rushlight, written, warned):
    x = rushlight.ones(2, requires_grad=True)
    x.register_hook(print)
    assert warned(lambda: written(rushlight, x))[0].startswith("backward hook ")


def test_the_id_tells_files_apart(rushlight, written):
    def identity(obj):
        return zipfile.ZipFile(io.BytesIO(written(rushlight, obj))).read("archive/.data/serialization_id")

    assert identity(rushlight.ones(2)) == identity(rushlight.ones(2)) != identity(rushlight.zeros(2))
    assert len(identity(1)) == 40 and identity(1).isdigit()


@pytest.mark.parametrize("space", ["nn", "optim", "optim.lr_scheduler", "nn.utils.parametrize", "utils.data"])
def test_classes_stand_where_pytorch_has_them(space, rushlight, real):
    """Else a whole module that one engine writes cannot be found by the other."""
    try:
        mine, theirs = (importlib.import_module(f"{engine.__name__}.{space}") for engine in (rushlight, real))
    except ModuleNotFoundError:
        pytest.skip(f"rushlight lacks {space}")
    wrong = []
    for name, cls in vars(theirs).items():
        own = vars(mine).get(name)
        if name.startswith("_") or not isinstance(cls, type) or not isinstance(own, type) or own is cls:
            continue
        place = (cls.__module__, cls.__qualname__)
        if names.outward(own) != place or names.inward(*place) is not own:
            wrong.append((name, names.outward(own), place))
    assert wrong == []


def test_modules_that_are_not_yet_whole(rushlight, real, written):
    """A lazy module takes its hooks and their handles with it, and finds its shape after loading."""
    for one, other in ((rushlight, rushlight), (rushlight, real), (real, rushlight)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = written(one, one.nn.LazyLinear(3))
            again = load(other, data, False)
        assert type(again) is other.nn.LazyLinear and again.has_uninitialized_params()
        assert again(other.ones(2, 5)).shape == (2, 3)
        assert type(again) is other.nn.Linear and again.weight.shape == (3, 5) and not again._forward_pre_hooks
