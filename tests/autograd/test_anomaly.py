"""`detect_anomaly`: which function made the NaN, and where its forward was called."""

import pytest

ENABLED = (
    "Anomaly Detection has been enabled. "
    "This mode will increase the runtime and should only be enabled for debugging."
)


@pytest.fixture
def detect(torch, quiet):
    """`with detect():` switches anomaly mode on without the warning that it is slow."""

    def block(**options):
        with quiet():
            return torch.autograd.detect_anomaly(**options)

    return block


def zero(torch):
    return torch.tensor(0.0, requires_grad=True)


def test_nan_is_reported_with_the_function(torch, detect, fails, quiet):
    x = zero(torch)
    with (
        detect(),
        quiet(),
        fails(RuntimeError, "Function 'SqrtBackward0' returned nan values in its 0th output."),
    ):
        (x.sqrt() * 0).backward()
    assert x.grad is None


def test_the_number_of_the_output_is_reported(torch, detect, fails, quiet):
    x, y = zero(torch), torch.tensor(float("nan"), requires_grad=True)
    with (
        detect(),
        quiet(),
        fails(RuntimeError, "Function 'MulBackward0' returned nan values in its 0th output."),
    ):
        (x * y).backward()
    y, x = zero(torch), torch.tensor(float("nan"), requires_grad=True)
    with (
        detect(),
        quiet(),
        fails(RuntimeError, "Function 'MulBackward0' returned nan values in its 1th output."),
    ):
        (x * y).backward()


def test_infinity_and_forward_nan_pass(torch, detect):
    x = zero(torch)
    with detect():
        x.sqrt().backward()
        bad = torch.tensor(-1.0, requires_grad=True).log()
    assert x.grad.item() == float("inf") and bad.isnan()


def test_without_the_mode_nan_arrives(torch):
    x = zero(torch)
    (x.sqrt() * 0).backward()
    assert x.grad.isnan()


def test_check_nan_false_only_keeps_tracebacks(torch, detect):
    x = zero(torch)
    with detect(check_nan=False):
        y = x.sqrt() * 0
        y.backward()
    assert x.grad.isnan() and "traceback_" in y.grad_fn.metadata


def test_the_traceback_of_the_forward_is_kept_in_metadata(torch, detect):
    with detect():
        y = zero(torch).sqrt()  # the line that is remembered
    text = "".join(y.grad_fn.metadata["traceback_"])
    assert "test_anomaly.py" in text and "the line that is remembered" in text


def test_without_the_mode_no_traceback_is_kept(torch):
    assert zero(torch).sqrt().grad_fn.metadata == {}


def test_the_warning_shows_the_line_of_the_forward(torch, detect):
    with detect():
        y = zero(torch).sqrt() * 0  # guilty
        with pytest.warns(UserWarning) as caught, pytest.raises(RuntimeError):
            y.backward()
    text = str(caught[0].message)
    assert text.startswith(
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
    )
    assert "y = zero(torch).sqrt() * 0  # guilty" in text


def test_the_warning_without_forward_information(torch, detect):
    y = zero(torch).sqrt() * 0
    with detect(), pytest.warns(UserWarning) as caught, pytest.raises(RuntimeError):
        y.backward()
    assert str(caught[0].message).startswith(
        "Error detected in SqrtBackward0. No forward pass information available. "
        "Enable detect anomaly during forward pass for more information."
    )


def test_any_error_in_backward_shows_the_forward(torch, detect):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("own")

    with detect():
        y = Bad.apply(zero(torch))
        with pytest.warns(UserWarning) as caught, pytest.raises(ValueError, match="own"):
            y.backward()
    assert str(caught[0].message).startswith("Error detected in BadBackward.")


def test_changed_saved_tensor_under_anomaly_mode(torch, detect, fails):
    with detect():
        y = torch.ones(2, requires_grad=True).exp()
        y.add_(1)
        with pytest.warns(UserWarning, match="Error detected in ExpBackward0"):
            with fails(
                RuntimeError,
                "one of the variables needed for gradient computation has been modified by an inplace "
                "operation: [torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected "
                "version 0 instead. Hint: the backtrace further above shows the operation that failed to "
                "compute its gradient. The variable in question was changed in there or anywhere later. "
                "Good luck!",
            ):
                y.sum().backward()


def test_nan_made_by_a_function(torch, detect, fails, quiet):
    class Nan(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    with (
        detect(),
        quiet(),
        fails(RuntimeError, "Function 'NanBackward' returned nan values in its 0th output."),
    ):
        Nan.apply(zero(torch)).backward()


def test_nodes_made_in_backward_know_their_parent(torch, detect):
    with detect():
        x = torch.tensor(2.0, requires_grad=True)
        y = x**3
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert set(g.grad_fn.metadata) == {"traceback_", "parent_"}
    assert g.grad_fn.metadata["parent_"] is y.grad_fn


def test_second_order_error_shows_both_forwards(torch, detect):
    with detect():
        x = zero(torch)
        y = x**1.5  # first order
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        with pytest.warns(UserWarning) as caught, pytest.raises(RuntimeError, match="returned nan values"):
            (g * 0).backward()
    text = " ".join(str(w.message) for w in caught)
    assert "Error detected in" in text and "Previous calculation was induced by PowBackward0." in text
    assert "# first order" in text


def test_the_mode_nests_and_is_restored(torch, detect, quiet):
    assert not torch.is_anomaly_enabled()
    with detect():
        assert torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
        with torch.autograd.set_detect_anomaly(False):
            assert not torch.is_anomaly_enabled()
        assert torch.is_anomaly_enabled()
        with torch.autograd.set_detect_anomaly(True, check_nan=False):
            assert not torch.is_anomaly_check_nan_enabled()
        assert torch.is_anomaly_check_nan_enabled()
    assert not torch.is_anomaly_enabled()


def test_set_detect_anomaly_acts_at_once(torch):
    torch.autograd.set_detect_anomaly(True)
    assert torch.is_anomaly_enabled()
    torch.autograd.set_detect_anomaly(False)
    assert not torch.is_anomaly_enabled()


def test_the_mode_is_restored_after_an_exception(torch, detect):
    with pytest.raises(KeyError), detect():
        raise KeyError
    assert not torch.is_anomaly_enabled()


def test_detect_anomaly_warns_that_it_is_slow(torch):
    with pytest.warns(UserWarning) as caught:
        torch.autograd.detect_anomaly()
    assert str(caught[0].message) == ENABLED
