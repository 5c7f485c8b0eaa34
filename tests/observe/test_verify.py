"""``verify``: writes that no version counter sees."""

import numpy as np
import pytest

from rushlight import observe


def test_a_numpy_array_that_shares_the_memory(torch):
    array = np.ones(3, np.float32)
    x = torch.ones(3, requires_grad=True)
    with observe.verify(torch.__name__):
        y = (x * torch.from_numpy(array)).sum()  # the constant is kept
    array[:] = 7.0
    with pytest.raises(RuntimeError, match=r"shape \[3\] .*kept for backward has changed since\nIt was kept at test_verify.py:"):
        y.backward()
    assert x.grad is None


def test_the_operator_is_named_where_the_engine_tells(rushlight):
    x = rushlight.ones(2, requires_grad=True)
    with observe.verify():
        y = x.exp()
    y.data.zero_()
    with pytest.raises(RuntimeError, match=r"a value of shape \[2\] that Exp kept for backward"):
        y.sum().backward()


def test_what_nobody_wrote_passes_also_twice_and_with_strides(torch):
    w = torch.arange(6.0).reshape(2, 3).requires_grad_()
    with observe.verify(torch.__name__):
        z = (w.t() @ w).sin().sum() + torch.ones(0).sum()
    z.backward(retain_graph=True)
    z.backward()
    plain = torch.autograd.grad((w.t() @ w).sin().sum(), w)[0]
    assert torch.allclose(w.grad, 2 * plain)


def test_every_engine_that_the_program_has_is_covered(torch):
    x = torch.ones(3, requires_grad=True)
    with observe.verify():
        y = x.exp()
        y.data.mul_(2)
        with pytest.raises(RuntimeError, match="kept for backward has changed since"):
            y.sum().backward()


def test_only_the_engine_that_was_asked_for(torch):
    other = {"torch": "rushlight", "rushlight": "torch"}[torch.__name__]
    if other == "torch":
        pytest.importorskip("torch")
    x = torch.ones(3, requires_grad=True)
    with observe.verify(other):
        y = x.exp()
    y.data.mul_(2)
    y.sum().backward()


def test_without_memory_there_is_nothing_to_verify():
    real = pytest.importorskip("torch")
    with observe.verify():
        module = real.nn.Linear(2, 2, device="meta")
        module(real.ones(1, 2, device="meta")).exp().sum().backward()


def test_an_unknown_engine():
    with pytest.raises(ValueError, match="there is no engine 'jax'"):
        observe.verify("jax")
