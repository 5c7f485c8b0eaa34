"""GradScaler: the same assertions on rushlight and on PyTorch."""

import pickle

import pytest


def problem(torch, kind="SGD", **options):
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    return w, getattr(torch.optim, kind)([w], lr=0.25, **options)


def test_scale_grows_and_falls_and_bad_steps_are_left_out(torch):
    w, optimizer = problem(torch)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    scales = []
    for step in range(8):
        optimizer.zero_grad()
        factor = float("inf") if step == 4 else float("nan") if step == 6 else 1.0
        before = w.tolist()
        scaler.scale((w * w).sum() * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
        assert w.tolist() == (before if step in (4, 6) else [v / 2 for v in before])
    assert scales == [8.0, 16.0, 16.0, 32.0, 16.0, 16.0, 8.0, 8.0]
    assert scaler.state_dict() == {
        "scale": 8.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 2,
        "_growth_tracker": 1,
    }


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_optimizers_unscale_by_themselves(torch, kind):
    results = []
    for fused in (False, True):
        w, optimizer = problem(torch, kind, fused=fused)
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
        for step in range(4):
            optimizer.zero_grad()
            loss = (w * w).sum() * (float("inf") if step == 2 else 1.0)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        results.append((w.tolist(), scaler.get_scale()))
        assert not hasattr(optimizer, "grad_scale")
    assert results[0][1] == results[1][1] == 4.0
    assert results[0][0] == pytest.approx(results[1][0], rel=1e-6)


def test_unscaled_gradients_can_be_clipped(torch):
    w, optimizer = problem(torch)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale((w * w).sum()).backward()
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [2.0, -4.0]
    torch.nn.utils.clip_grad_norm_([w], 1e-3)
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == pytest.approx([1.0, -2.0], abs=1e-3)


def test_several_outputs(torch, fails):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    a, (b, c) = scaler.scale([torch.tensor(1.0), (torch.tensor(2.0), torch.tensor(3.0))])
    assert (a.item(), b.item(), c.item()) == (4.0, 8.0, 12.0)
    assert [t.item() for t in scaler.scale(iter([torch.tensor(1.0)]))] == [4.0]
    with fails(ValueError, "outputs must be a Tensor or an iterable of Tensors"):
        list(scaler.scale([3]))


def test_a_new_scale(torch):
    w, optimizer = problem(torch)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update(3.0)
    assert scaler.get_scale() == 3.0
    scaler.update(torch.tensor(5.0))
    assert scaler.get_scale() == 5.0
    with pytest.raises(AssertionError, match="new_scale should be a float or a 1-element"):
        scaler.update(torch.tensor([1.0, 2.0]))


def test_order_of_calls(torch, fails):
    w, optimizer = problem(torch)
    scaler = torch.amp.GradScaler("cpu")
    with fails(AssertionError, "Attempted unscale_ but _scale is None.  This may indicate your script"):
        scaler.unscale_(optimizer)
    with fails(AssertionError, "Attempted update but _scale is None."):
        scaler.update()
    scaler.scale(w.sum())
    with fails(AssertionError, "No inf checks were recorded prior to update."):
        scaler.update()
    with fails(AssertionError, "No inf checks were recorded for this optimizer."):
        scaler.step(optimizer)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    with fails(RuntimeError, "unscale_() has already been called on this optimizer since the last update()."):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with fails(RuntimeError, "unscale_() is being called after step()."):
        scaler.unscale_(optimizer)
    with fails(RuntimeError, "step() has already been called since the last update()."):
        scaler.step(optimizer)
    with fails(RuntimeError, "Closure use is not currently supported if GradScaler is enabled."):
        scaler.step(optimizer, closure=lambda: None)
    with fails(AssertionError, "A GradScaler instance may only be pickled at the beginning of an iteration"):
        pickle.dumps(scaler)


def test_float16_gradients_are_refused(torch, fails):
    w = torch.ones(2, dtype=torch.float16, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    scaler.scale(w.sum()).backward()
    with fails(ValueError, "Attempting to unscale FP16 gradients."):
        scaler.unscale_(optimizer)


def test_bfloat16_gradients(torch):
    w = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=3.0)
    scaler.scale((w * 5).sum()).backward()
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [5.0, 5.0]


def test_saving(torch, fails, warned):
    w, optimizer = problem(torch)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=3)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    again = pickle.loads(pickle.dumps(scaler))
    for one in (other, again):
        assert one.state_dict() == scaler.state_dict()
        assert (one.get_growth_factor(), one.get_backoff_factor(), one.get_growth_interval()) == (2.0, 0.5, 3)
    with fails(RuntimeError, "The source state dict is empty, possibly because it was saved from a disabled"):
        other.load_state_dict({})


def test_disabled(torch, warned):
    w, optimizer = problem(torch)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    loss = w.sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0.75, -2.25]
    assert scaler.get_scale() == 1.0
    assert scaler.state_dict() == {}
    assert not scaler.is_enabled()
    assert warned(torch.amp.GradScaler) == [
        "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
    ]


def test_factors_out_of_range(torch, fails):
    with fails(AssertionError, "The growth factor must be > 1.0."):
        torch.amp.GradScaler("cpu", growth_factor=1.0)
    with fails(AssertionError, "The backoff factor must be < 1.0."):
        torch.amp.GradScaler("cpu", backoff_factor=1.0)
