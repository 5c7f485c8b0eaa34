"""torch.cuda and torch.backends without a GPU; the same holds on the real PyTorch's build for the CPU."""

import importlib

import pytest


def test_questions(torch):
    assert torch.cuda.is_available() is False
    assert torch.cuda.device_count() == 0
    assert torch.cuda.is_initialized() is False
    assert torch.cuda.is_bf16_supported() is False
    assert torch.cuda.get_arch_list() == [] and torch.cuda.get_rng_state_all() == []
    assert torch.version.cuda is None and torch.version.hip is None and torch.version.debug is False


def test_calls_that_programs_make_anyway(torch):
    assert torch.cuda.manual_seed(0) is None and torch.cuda.manual_seed_all(0) is None
    assert torch.cuda.seed() is None and torch.cuda.seed_all() is None and torch.cuda.empty_cache() is None
    counters = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    assert [getattr(torch.cuda, name)() for name in counters] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "name",
    ["synchronize", "current_device", "get_device_name", "init", "current_stream", "get_rng_state"],
)
def test_calls_that_need_a_gpu(torch, name, fails):
    with fails(AssertionError, "Torch not compiled with CUDA enabled"):
        getattr(torch.cuda, name)()


def test_backends_answer(torch):
    backends = torch.backends
    assert not backends.cudnn.is_available() and backends.cudnn.version() is None
    assert not backends.mps.is_available() and not backends.mps.is_built() and not backends.cuda.is_built()
    assert (backends.cudnn.enabled, backends.cudnn.benchmark, backends.cudnn.deterministic) == (
        True,
        False,
        False,
    )


def test_backends_have_switches(torch):
    cudnn = importlib.import_module(f"{torch.__name__}.backends.cudnn")
    try:
        cudnn.deterministic, cudnn.benchmark = True, True
        assert torch.backends.cudnn.deterministic is True and torch.backends.cudnn.benchmark is True
        with cudnn.flags(enabled=False, deterministic=False):
            assert cudnn.enabled is False and cudnn.deterministic is False
        assert cudnn.enabled is True and cudnn.deterministic is True
        torch.backends.cuda.matmul.allow_tf32 = False
        assert torch.backends.cuda.matmul.allow_tf32 is False
    finally:
        cudnn.deterministic, cudnn.benchmark = False, False


def test_flags_are_put_back_after_an_error(rushlight):
    cudnn = rushlight.backends.cudnn
    with pytest.raises(KeyError), cudnn.flags(benchmark=True):
        raise KeyError
    assert cudnn.benchmark is False


def test_the_rest_is_named_absent(rushlight):
    with pytest.raises(
        AttributeError, match=r"module 'rushlight.cuda' has no attribute 'nvtx'\n.*is_available"
    ):
        rushlight.cuda.nvtx.range_push("x")


def test_amp_of_old_programs_switches_itself_off(torch):
    amp = importlib.import_module(torch.__name__ + ".cuda.amp")
    with pytest.warns(FutureWarning, match="is deprecated. Please use `torch.amp.GradScaler"), pytest.warns(UserWarning, match="Disabling"):
        scaler = amp.GradScaler()
    assert not scaler.is_enabled()
    with pytest.warns(FutureWarning, match="`torch.cuda.amp.autocast"), pytest.warns(UserWarning, match="Disabling autocast"):
        with amp.autocast():
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32
