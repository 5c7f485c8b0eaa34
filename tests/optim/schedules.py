"""The schedules that are compared with PyTorch's, and how one is run; used by the tests and by the script that
records.
"""

CASES = [
    "LambdaLR(o, lambda e: 0.95 ** e)",
    "LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: e // 7])",
    "MultiplicativeLR(o, lambda e: 0.9)",
    "MultiplicativeLR(o, [lambda e: 0.9, lambda e: 1 + 1 / (1 + e)])",
    "StepLR(o, 7)",
    "StepLR(o, step_size=3, gamma=0.7)",
    "MultiStepLR(o, [3, 10, 10, 40])",
    "MultiStepLR(o, milestones=(5, 6), gamma=0.3)",
    "ConstantLR(o)",
    "ConstantLR(o, factor=0.3, total_iters=11)",
    "LinearLR(o)",
    "LinearLR(o, start_factor=0.1, end_factor=0.7, total_iters=33)",
    "LinearLR(o, start_factor=1.0, end_factor=0.0, total_iters=50)",
    "ExponentialLR(o, 0.93)",
    "PolynomialLR(o)",
    "PolynomialLR(o, total_iters=40, power=0.9)",
    "CosineAnnealingLR(o, 17)",
    "CosineAnnealingLR(o, T_max=9, eta_min=0.003)",
    "CosineAnnealingWarmRestarts(o, 7)",
    "CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2, eta_min=0.001)",
    "CyclicLR(o, base_lr=0.01, max_lr=0.3, step_size_up=7)",
    "CyclicLR(o, 0.01, [0.3, 0.5], step_size_up=7, step_size_down=3, mode='triangular2')",
    "CyclicLR(o, 0.01, 0.3, step_size_up=4, mode='exp_range', gamma=0.97, base_momentum=0.7, max_momentum=0.95)",
    "CyclicLR(o, 0.01, 0.3, step_size_up=4, scale_fn=lambda x: 1 / x, cycle_momentum=False)",
    "CyclicLR(o, 0.01, 0.3, 4, scale_fn=lambda x: 0.99 ** x, scale_mode='iterations')",
    "CyclicLR(adam, 0.01, 0.3, step_size_up=7)",
    "OneCycleLR(o, max_lr=0.3, total_steps=60)",
    "OneCycleLR(o, [0.3, 0.7], epochs=5, steps_per_epoch=11, pct_start=0.25, anneal_strategy='linear')",
    "OneCycleLR(o, 0.3, 55, three_phase=True, div_factor=10.0, final_div_factor=100.0, max_momentum=0.99)",
    "OneCycleLR(adam, 0.3, total_steps=51, base_momentum=0.8)",
    "OneCycleLR(o, 0.3, total_steps=50, cycle_momentum=False)",
    "ReduceLROnPlateau(o)",
    "ReduceLROnPlateau(o, factor=0.3, patience=2, cooldown=3, min_lr=[0.001, 0.01])",
    "ReduceLROnPlateau(o, mode='max', patience=1, threshold=0.1, threshold_mode='abs', factor=0.7)",
    "ReduceLROnPlateau(o, mode='max', patience=1, threshold=0.1, eps=0.02, factor=0.7)",
    "ReduceLROnPlateau(o, patience=1, threshold=0.01, threshold_mode='abs')",
    "ChainedScheduler([S.ConstantLR(o, 0.3, 6), S.ExponentialLR(o, 0.9)])",
    "ChainedScheduler([S.StepLR(o, 5), S.LinearLR(o), S.CosineAnnealingLR(o, 20)], optimizer=o)",
    "SequentialLR(o, [S.ConstantLR(o, 0.3, 20), S.ExponentialLR(o, 0.9)], milestones=[20])",
    "SequentialLR(o, [S.LinearLR(o, 0.1, total_iters=5), S.CosineAnnealingLR(o, 30), S.StepLR(o, 4)], [5, 30])",
    "SequentialLR(o, [S.ChainedScheduler([S.LinearLR(o), S.ExponentialLR(o, 0.9)]), S.ConstantLR(o)], [9])",
    "SequentialLR(o, [S.CosineAnnealingWarmRestarts(o, 4), S.PolynomialLR(o, 10)], [12])",
    "U.SWALR(o, 0.05)",
    "U.SWALR(o, [0.05, 0.3], anneal_epochs=20, anneal_strategy='linear')",
    "U.SWALR(o, 0.05, anneal_epochs=0)",
    "StepLR(tensors, 7)",
    "LinearLR(tensors)",
    "CosineAnnealingLR(tensors, 9)",
    "OneCycleLR(tensors, 0.3, total_steps=51, cycle_momentum=False)",
    "ReduceLROnPlateau(tensors, patience=1)",
]
JUMPS = {7: 3, 19: 30, 33: 12.5}  # steps to a certain epoch, where a schedule can


def optimizers(torch):
    """Fresh ones by name, with two groups of different learning rates."""

    def params():
        return [torch.zeros(2, requires_grad=True)], [torch.zeros(1, requires_grad=True)]

    def groups(lr):
        first, second = params()
        return [{"params": first}, {"params": second, "lr": lr}]

    sgd, adam = torch.optim.SGD, torch.optim.Adam
    return {
        "o": sgd(groups(0.37), lr=0.11, momentum=0.9),
        "adam": adam(groups(0.37), lr=0.11),
        "tensors": sgd(groups(torch.tensor(0.37)), lr=torch.tensor(0.11), momentum=0.9),
    }


def plain(value):
    """Numbers, strings and lists of them; tensors as numbers; anything else as its type's name."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value if value not in (float("inf"), float("-inf")) else str(value)
    return type(value).__name__


def made(torch, case):
    """The schedule of a case, and its optimizer."""
    schedulers = torch.optim.lr_scheduler
    names = {**vars(schedulers), "S": schedulers, "U": torch.optim.swa_utils, **optimizers(torch)}
    scheduler = eval(case, names)
    return scheduler, scheduler.optimizer


def metric(step):
    return 3.0 / (1 + step) + (0.3 if step % 5 == 2 else 0.0) if step < 20 else 1.0 + step % 3


def step_on(scheduler, optimizer, step, jump=False):
    optimizer.step()
    if "Plateau" in type(scheduler).__name__:
        scheduler.step(metric(step))
    elif jump and step in JUMPS:
        scheduler.step(JUMPS[step])
    else:
        scheduler.step()


def seen(scheduler, optimizer):
    """What a step left in the groups."""
    options = ("lr", "momentum", "betas")
    row = [plain(group[key]) for group in optimizer.param_groups for key in options if key in group]
    return [*row, plain(scheduler.get_last_lr())]


def run(torch, case, steps=50):
    """The values at the start and after each step; with jumps where the schedule has a closed form; the state."""
    result = {}
    for jump in (False, True):
        scheduler, optimizer = made(torch, case)
        if jump and not (hasattr(scheduler, "_get_closed_form_lr") or "Warm" in type(scheduler).__name__):
            continue
        rows = [seen(scheduler, optimizer)]
        for step in range(steps):
            step_on(scheduler, optimizer, step, jump)
            rows.append(seen(scheduler, optimizer))
        result["jumps" if jump else "rates"] = rows
        result["state"] = plain(scheduler.state_dict())
    return result
