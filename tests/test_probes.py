"""Modules that are there to say what is not: programs written for many machines ask them and go on with the CPU."""

import pytest

ANSWERS = {
    "accelerator.is_available": False,
    "accelerator.current_accelerator": None,
    "accelerator.device_count": 0,
    "mps.is_available": False,
    "mps.device_count": 0,
    "xpu.is_available": False,
    "xpu.device_count": 0,
    "distributed.is_initialized": False,
    "jit.is_scripting": False,
    "jit.is_tracing": False,
    "compiler.is_compiling": False,
    "compiler.is_dynamo_compiling": False,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name, torch):
    module, function = name.split(".")
    if torch.__name__ == "torch" and module in ("accelerator", "mps", "xpu") and torch.accelerator.is_available():
        pytest.skip("there is an accelerator")
    assert getattr(getattr(torch, module), function)() is ANSWERS[name] or ANSWERS[name] == 0


def test_there_are_no_process_groups(rushlight):
    assert rushlight.distributed.is_available() is False


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        ("distributed", "init_process_group", "leave the process group out"),
        ("jit", "script", "there is no TorchScript here"),
        ("xpu", "synchronize", "computes on the CPU"),
        ("mps", "synchronize", "torch.backends.mps.is_available()"),
        ("accelerator", "synchronize", "torch.device('cpu')"),
    ],
)
def test_everything_else_is_absent(module, name, hint, rushlight, fails):
    with fails(AttributeError, f"module 'rushlight.{module}' has no attribute '{name}'\nrushlight lacks torch.{module}.{name}: ") as info:
        getattr(getattr(rushlight, module), name)
    assert hint in str(info.value)


def test_disable_hands_the_function_back(torch, rushlight):
    @torch.compiler.disable
    def once(x):
        return x + 1

    @torch.compiler.disable(recursive=False)
    def twice(x):
        return 2 * x

    assert once(1) == 2 and twice(3) == 6
    assert rushlight.compiler.disable(twice) is twice
