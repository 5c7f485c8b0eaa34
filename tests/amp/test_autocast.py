"""Autocast on the CPU: the dtype of each operator's result against a recording of PyTorch, regions, gradients,
functions with their own backward, errors and warnings.
"""

import importlib.util
import json
import pathlib
import threading

import pytest
from tests.amp.operators import CASES, DTYPES, result_dtype

GOLDEN_FILE = pathlib.Path(__file__).parent.parent / "golden" / "amp" / "dtypes.json"
GOLDEN = json.loads(GOLDEN_FILE.read_text())
# Modules that check their input's dtype before any operator is asked.
CHECKED_BEFORE = {"lstm", "lstm_c", "gru", "rnn"}


@pytest.mark.parametrize("case", CASES)
def test_dtypes_as_recorded(rushlight, case):
    for dtype, expected in zip(DTYPES, GOLDEN[case], strict=True):
        if case in CHECKED_BEFORE and dtype != "float32":
            continue
        try:
            assert result_dtype(rushlight, case, dtype) == expected, dtype
        except AttributeError as error:
            if "lacks" not in str(error):
                raise
            pytest.skip(str(error).splitlines()[-1])


def test_regions_nest(torch):
    a = torch.ones(2, 2)
    autocast = torch.amp.autocast
    with autocast("cpu"):
        assert (a @ a).dtype == torch.bfloat16
        with autocast("cpu", enabled=False):
            assert (a @ a).dtype == torch.float32
            with autocast("cpu", dtype=torch.float16):
                assert (a @ a).dtype == torch.float16
            assert (a @ a).dtype == torch.float32
        assert (a @ a).dtype == torch.bfloat16
    assert (a @ a).dtype == torch.float32
    assert autocast("cpu")(lambda: a @ a)().dtype == torch.bfloat16
    with pytest.raises(ZeroDivisionError), autocast("cpu"):
        _ = 1 / 0
    assert (a @ a).dtype == torch.float32


def test_the_short_way_is_back_afterwards(rushlight):
    from rushlight.autograd import modes

    before = modes.plain, modes.state.function_modes
    with rushlight.amp.autocast("cpu"), rushlight.amp.autocast("cpu"):
        assert not modes.plain
    assert (modes.plain, modes.state.function_modes) == before


def test_other_threads_are_not_asked(torch):
    seen = []
    a = torch.ones(2, 2)
    with torch.amp.autocast("cpu"):
        thread = threading.Thread(target=lambda: seen.append((a @ a).dtype))
        thread.start()
        thread.join()
    assert seen == [torch.float32]


def test_gradients_have_the_parameters_dtype(torch):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))
    with torch.amp.autocast("cpu"):
        out = model(torch.rand(3, 4))
        loss = torch.nn.functional.mse_loss(out, torch.zeros(3, 2))
    assert out.dtype == torch.bfloat16
    assert loss.dtype == torch.float32
    loss.backward()
    for param in model.parameters():
        assert param.grad.dtype == torch.float32
        assert param.grad.abs().sum() > 0


def test_a_parameter_is_cast_once(torch):
    w = torch.rand(3, 3, requires_grad=True)
    x = torch.rand(3, 3)
    with torch.amp.autocast("cpu"):
        one, two = x @ w, x @ w
        assert one.grad_fn.next_functions[1][0] is two.grad_fn.next_functions[1][0]
    with torch.amp.autocast("cpu", cache_enabled=False):
        one, two = x @ w, x @ w
        assert one.grad_fn.next_functions[1][0] is not two.grad_fn.next_functions[1][0]
    with torch.amp.autocast("cpu"):
        before = x @ w
    with torch.no_grad():
        w.zero_()
    with torch.amp.autocast("cpu"):
        assert (x @ w).abs().sum() == 0
    assert before.abs().sum() > 0


def test_in_place_and_out_are_left_alone(torch):
    a = torch.ones(2, 2)
    with torch.amp.autocast("cpu"):
        assert torch.mm(a, a, out=torch.empty(2, 2)).dtype == torch.float32
        assert torch.zeros(2, 2).addmm_(a, a).dtype == torch.float32


def test_widest(torch, fails):
    a = torch.ones(2)
    with torch.amp.autocast("cpu"):
        assert torch.cat([a, a.bfloat16()]).dtype == torch.float32
        assert torch.stack([a.bfloat16(), a.bfloat16()]).dtype == torch.bfloat16
        with fails(RuntimeError, "Unexpected floating ScalarType in at::autocast::prioritize"):
            torch.cat([a.half(), a.bfloat16()])


def test_functions_with_their_own_backward(torch):
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu")
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen.append((g @ b.t()).dtype)
            return g.float() @ b.t().float(), a.t().float() @ g.float()

    class Full(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, a, b):
            return a @ b

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            seen.append((g @ g).dtype)
            return g, g

    a = torch.rand(2, 2, requires_grad=True)
    with torch.amp.autocast("cpu"):
        y = Product.apply(a, a)
        z = Full.apply(a.bfloat16(), a)
    assert y.dtype == torch.bfloat16
    assert z.dtype == torch.float32
    y.sum().backward()
    z.sum().backward()
    assert seen == [torch.bfloat16, torch.float32]


def test_refusals_and_warnings(torch, fails, warned):
    autocast = torch.amp.autocast
    with fails(ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"):
        autocast(3)
    with fails(RuntimeError, "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl"):
        autocast("toaster")
    with fails(TypeError, "autocast()(func) requires a callable, but got int."):
        autocast("cpu")(3)
    with fails(ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"):
        torch.amp.custom_fwd(device_type=3)
    with fails(ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"):
        torch.amp.custom_bwd(device_type=3)
    assert warned(lambda: autocast("cpu", dtype=torch.float32)) == [
        "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
        "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
    ]
    assert torch.amp.is_autocast_available("cpu")
    assert not torch.amp.is_autocast_available("meta")


def test_settings(rushlight):
    from rushlight.amp import autocast_mode as settings

    assert not settings.is_autocast_enabled("cpu")
    assert settings.get_autocast_dtype("cpu") == rushlight.bfloat16
    settings.set_autocast_dtype("cpu", rushlight.float16)
    settings.set_autocast_enabled("cpu", True)
    try:
        assert settings.is_autocast_cpu_enabled()
        assert (rushlight.ones(2, 2) @ rushlight.ones(2, 2)).dtype == rushlight.float16
    finally:
        settings.set_autocast_enabled("cpu", False)
        settings.set_autocast_dtype("cpu", rushlight.bfloat16)
        settings.clear_autocast_cache()
    assert settings.is_autocast_cache_enabled()


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
def test_a_training_as_torch(rushlight):
    """Twenty steps with autocast, accumulation and GradScaler: the losses agree as far as bfloat16 goes."""
    import numpy as np
    import torch

    losses = []
    for lib in (torch, rushlight):
        lib.manual_seed(0)
        model = lib.nn.Sequential(lib.nn.Linear(8, 32), lib.nn.Tanh(), lib.nn.Linear(32, 3))
        optimizer = lib.optim.AdamW(model.parameters(), lr=0.01)
        scaler = lib.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=5)
        x, y = lib.randn(64, 8), lib.randint(0, 3, (64,))
        row = []
        for _ in range(20):
            optimizer.zero_grad()
            for half in (slice(0, 32), slice(32, 64)):
                with lib.amp.autocast("cpu", dtype=lib.bfloat16):
                    loss = lib.nn.functional.cross_entropy(model(x[half]), y[half]) / 2
                scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            lib.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            row.append(loss.item())
        row.append(scaler.get_scale() / 2**14)
        losses.append(row)
    np.testing.assert_allclose(*losses, rtol=5e-3)
