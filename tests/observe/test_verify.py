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


def test_an_unknown_engine():
    with pytest.raises(ValueError, match="there is no engine 'jax'"):
        observe.verify("jax")
