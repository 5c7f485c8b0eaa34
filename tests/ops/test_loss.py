"""Losses of arguments of two dtypes, and what losses refuse."""
import pytest


def test_logits_write_into_the_dtype_of_the_target(torch, fails):
    loss = torch.nn.BCEWithLogitsLoss()
    x = torch.ones(3)
    for dtype, name in ((torch.int64, "Long"), (torch.int32, "Int"), (torch.uint8, "Byte")):
        with fails(RuntimeError, f"result type Float can't be cast to the desired output type {name}"):
            loss(x, torch.tensor([1, 0, 1], dtype=dtype))
    with fails(RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                             "`logical_xor()` operator instead."):
        loss(x, torch.tensor([True, False, True]))
    assert loss(x, torch.ones(3).double()).dtype == torch.float64
    assert loss(x.double(), torch.ones(3)).dtype == torch.float32
    assert loss(x, torch.ones(3).half()).dtype == torch.float16
    for weights in ({"weight": x.double()}, {"pos_weight": x.double()}, {"weight": x.long()}):
        assert torch.nn.BCEWithLogitsLoss(**weights)(x, x).dtype == torch.float32
    with fails(RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0"):
        torch.nn.BCEWithLogitsLoss(weight=torch.ones(2))(x, x)
    with fails(RuntimeError, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"):
        torch.nn.BCEWithLogitsLoss(pos_weight=torch.ones(2))(x, x)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_huber_keeps_the_dtype_of_the_input(torch, fails, reduction):
    huber = torch.nn.HuberLoss(reduction=reduction)
    for mine, other, names in (("float32", "float64", "Double but expected Float"),
                               ("float32", "int64", "Long but expected Float"),
                               ("float64", "float32", "Float but expected Double")):
        x = torch.ones(3, dtype=getattr(torch, mine), requires_grad=True)
        loss = huber(x, torch.zeros(3, dtype=getattr(torch, other)))
        assert loss.dtype == x.dtype and loss.detach().sum().item() == {"mean": 0.5}.get(reduction, 1.5)
        assert loss.grad_fn.name() == "HuberLossBackward0"
        with fails(RuntimeError, f"Found dtype {names}"):
            loss.sum().backward()
    with fails(RuntimeError, "result type Float can't be cast to the desired output type Long"):
        huber(torch.ones(3).long(), torch.zeros(3))


def test_a_number_has_its_say_in_the_dtype(torch, quiet):
    F, x = torch.nn.functional, torch.ones(2, 2).half()
    with quiet():
        for loss in (F.l1_loss, F.mse_loss, F.smooth_l1_loss):
            assert loss(x, torch.tensor(1.0)).dtype == torch.float32


@pytest.mark.parametrize("value", [2.0, -1.0, float("nan")])
def test_probabilities_lie_between_0_and_1(torch, fails, value):
    F, half, bad = torch.nn.functional, torch.full((3,), 0.5), torch.full((3,), value)
    for reduction in ("mean", "none"):
        with fails(RuntimeError, "all elements of target should be between 0 and 1"):
            F.binary_cross_entropy(half, bad, reduction=reduction)
        with fails(RuntimeError, "all elements of input should be between 0 and 1"):
            F.binary_cross_entropy(bad, half, reduction=reduction)
    with fails(RuntimeError, "Found dtype Float but expected Long"):
        F.binary_cross_entropy(torch.ones(3).long(), half)
    assert F.binary_cross_entropy(half, half, weight=half.double()).dtype == torch.float32


def test_divergence_of_numbers_without_fractions(torch, fails, quiet):
    F, x = torch.nn.functional, torch.ones(2)
    with quiet():
        for pair in ((x, x.long()), (x.long(), x), (x.bool(), x)):
            for log_target in (False, True):
                with fails(RuntimeError, "kl_div: Integral inputs not supported."):
                    F.kl_div(*pair, log_target=log_target)
        with fails(RuntimeError, "kl_div: Complex inputs not supported."):
            F.kl_div(x, x.cfloat())


def test_soft_margin_is_like_its_input(torch, fails):
    soft, ones = torch.nn.functional.soft_margin_loss, torch.ones
    with fails(RuntimeError, "output with shape [2] doesn't match the broadcast shape [3, 2]"):
        soft(ones(2), ones(3, 2))
    with fails(RuntimeError, "result type Float can't be cast to the desired output type Long"):
        soft(ones(2).long(), ones(2))
    assert soft(ones(2), ones(2).double()).dtype == torch.float32
    assert soft(ones(1, 2), ones(2), reduction="none").shape == (1, 2)


def test_hinge_of_integers(torch, fails):
    hinge, x, y = torch.nn.functional.hinge_embedding_loss, torch.tensor([1, 1, 0]), torch.tensor([1.0, -1.0, -1.0])
    with fails(RuntimeError, "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                             "complex dtype. Got: Long"):
        hinge(x, y)
    made = hinge(x, y, margin=1.7, reduction="none")
    assert made.dtype == torch.int64 and made.tolist() == [1, 0, 1]
    assert torch.nn.functional.margin_ranking_loss(x, x, x).dtype == torch.float32
