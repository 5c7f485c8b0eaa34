"""``DataParallel`` on one CPU, deprecated names, and ``factory_kwargs``."""

import pytest


def test_data_parallel_passes_on(torch):
    inner = torch.nn.Linear(2, 3)
    model = torch.nn.DataParallel(inner)
    assert list(model.state_dict()) == ["module.weight", "module.bias"] and model.device_ids == []
    x = torch.ones(4, 2)
    assert torch.equal(model(x), inner(x)) and model.module is inner
    assert repr(model).startswith("DataParallel(\n  (module): Linear(")


def test_old_names_work_and_say_so(torch):
    with pytest.warns(FutureWarning, match="^`NLLLoss2d` has been deprecated. Please use `NLLLoss`"):
        loss = torch.nn.NLLLoss2d(ignore_index=3)
    assert isinstance(loss, torch.nn.NLLLoss) and loss.ignore_index == 3
    with pytest.warns(FutureWarning, match="^`nn.Container` is deprecated."):
        model = torch.nn.Container(a=torch.nn.ReLU())
    assert [name for name, _ in model.named_children()] == ["a"]


def test_factory_kwargs(torch):
    made = torch.nn.factory_kwargs
    assert made(None) == {} and made({"dtype": torch.float64, "factory_kwargs": {"device": "cpu"}}) == {
        "dtype": torch.float64, "device": "cpu"}
    with pytest.raises(TypeError, match="^unexpected kwargs {'colour'}"):
        made({"colour": 1})
    with pytest.raises(TypeError, match="^dtype specified twice, in"):
        made({"dtype": torch.float64, "factory_kwargs": {"dtype": torch.float32}})


def test_grad_scaler_stands_at_the_top(torch):
    assert torch.GradScaler is torch.amp.GradScaler
