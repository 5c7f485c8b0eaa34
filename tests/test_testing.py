"""``testing.assert_close`` says what PyTorch says, word for word; ``make_tensor`` keeps its promises."""
import pytest

SAME = [
    lambda t: (t.tensor([1.0]), t.tensor([1.0 + 1e-7])), lambda t: (1, 1), lambda t: ([1, (2.0,)], [1, (2.0,)]),
    lambda t: ({"a": t.ones(2)}, {"a": t.ones(2)}), lambda t: (t.ones(0), t.ones(0)),
]
DIFFERENT = {
    "Tensor-likes are not equal!\n\nMismatched elements: 1 / 2 (50.0%)\nGreatest absolute difference: 1 at index (1,)\n"
    "Greatest relative difference: 0.3333333432674408 at index (1,)": lambda t: (t.tensor([1, 2]), t.tensor([1, 3])),
    "Tensor-likes are not close!\n\nMismatched elements: 4 / 4 (100.0%)\nGreatest absolute difference: 1.0 at index (0, 0) (up to "
    "1e-05 allowed)\nGreatest relative difference: 0.5 at index (0, 0) (up to 1.3e-06 allowed)":
        lambda t: (t.ones(2, 2), t.ones(2, 2) * 2),
    "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5": lambda t: (1, 2),
    "The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([3]).": lambda t: (t.ones(2), t.ones(3)),
    "The values for attribute 'dtype' do not match: torch.float32 != torch.float64.": lambda t: (t.ones(2), t.ones(2).double()),
    "The length of the sequences mismatch: 1 != 2": lambda t: ([1], [1, 2]),
    "Booleans mismatch: True is not False": lambda t: (True, False),
}


@pytest.mark.parametrize("pair", SAME)
def test_what_is_close_passes(torch, pair):
    torch.testing.assert_close(*pair(torch))


@pytest.mark.parametrize("text", DIFFERENT)
def test_what_differs_is_told(torch, text):
    with pytest.raises(AssertionError) as info:
        torch.testing.assert_close(*DIFFERENT[text](torch))
    assert str(info.value) == text


def test_nan_is_equal_only_when_asked(torch):
    nan = torch.tensor([float("nan")])
    torch.testing.assert_close(nan, nan, equal_nan=True)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(nan, nan)


def test_tolerances_come_together(torch):
    torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.1]), rtol=0.2, atol=0)
    with pytest.raises(ValueError, match="^Both 'rtol' and 'atol' must be either specified or omitted, but got no atol"):
        torch.testing.assert_close(1.0, 1.1, rtol=0.2)


def test_message_may_be_replaced(torch):
    for msg in ("hey", lambda text: "hey"):
        with pytest.raises(AssertionError, match="^hey$"):
            torch.testing.assert_close(1, 2, msg=msg)


def test_make_tensor(torch):
    t = torch.testing.make_tensor(3, 4, dtype=torch.float64, device="cpu", low=0, high=1, requires_grad=True)
    assert t.shape == (3, 4) and t.dtype is torch.float64 and t.requires_grad and 0 <= t.min().item() <= t.max().item() <= 1
    assert not torch.testing.make_tensor((3, 4), dtype=torch.int64, device="cpu", noncontiguous=True).is_contiguous()
