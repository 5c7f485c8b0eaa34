"""Records what optim/test_steps.py compares with: parameters and state after six steps, for many sets of
options.

Run it where PyTorch is installed:

python tests/golden/make_optim.py
"""

import json
import pathlib

import torch

HERE = pathlib.Path(__file__).parent / "optim"

CASES = [
    "SGD(params, lr=0.1)",
    "SGD(params, lr=0.1, weight_decay=0.3)",
    "SGD(params, lr=0.1, maximize=True)",
    "SGD(params, lr=0.1, momentum=0.9)",
    "SGD(params, lr=0.1, momentum=0.9, dampening=0.5)",
    "SGD(params, lr=0.1, momentum=0.9, nesterov=True)",
    "SGD(params, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1, maximize=True)",
    "SGD(params, lr=torch.tensor(0.01), momentum=0.5)",
    "SGD([{'params': params[:1], 'lr': 0.5}, {'params': params[1:], 'momentum': 0.9}], lr=0.1)",
    "SGD(params, lr=0.1, foreach=False, fused=True)",
    "Adam(params)",
    "Adam(params, lr=0.1)",
    "Adam(params, lr=0.1, betas=(0.3, 0.5), eps=1e-3)",
    "Adam(params, lr=0.1, betas=(0.0, 0.9))",
    "Adam(params, lr=0.1, weight_decay=0.2)",
    "Adam(params, lr=0.1, amsgrad=True)",
    "Adam(params, lr=0.1, amsgrad=True, weight_decay=0.2, maximize=True)",
    "Adam(params, lr=torch.tensor(0.01))",
    "Adam(params, lr=0.1, betas=(torch.tensor(0.8), torch.tensor(0.9)))",
    "Adam(params, lr=0.1, weight_decay=0.2, decoupled_weight_decay=True)",
    "Adam([{'params': params[:1], 'lr': 0.5}, {'params': params[1:], 'betas': (0.5, 0.5)}], lr=0.1)",
    "Adam(params, lr=0.1, fused=True)",
    "AdamW(params)",
    "AdamW(params, lr=0.1, weight_decay=0.5)",
    "AdamW(params, lr=0.1, amsgrad=True, maximize=True)",
    "Adadelta(params)",
    "Adadelta(params, lr=0.5, rho=0.7, eps=1e-3, weight_decay=0.2, maximize=True)",
    "Adafactor(params)",
    "Adafactor(params, lr=0.1, beta2_decay=-0.5, eps=(1e-6, 1e-2), d=1.5, weight_decay=0.2)",
    "Adafactor(params, lr=torch.tensor(0.1), maximize=True)",
    "Adagrad(params)",
    "Adagrad(params, lr=0.1, lr_decay=0.5, weight_decay=0.2, initial_accumulator_value=0.1, eps=1e-3)",
    "Adagrad(params, lr=torch.tensor(0.1), maximize=True, fused=True)",
    "Adamax(params)",
    "Adamax(params, lr=0.1, betas=(0.4, 0.6), eps=1e-3, weight_decay=0.2, maximize=True)",
    "ASGD(params)",
    "ASGD(params, lr=0.1, lambd=0.1, alpha=0.5, t0=2, weight_decay=0.2, maximize=True)",
    "ASGD(params, lr=torch.tensor(0.1), t0=1)",
    "NAdam(params)",
    "NAdam(params, lr=0.1, betas=(0.4, 0.6), eps=1e-3, weight_decay=0.2, momentum_decay=0.1)",
    "NAdam(params, lr=0.1, weight_decay=0.2, decoupled_weight_decay=True, maximize=True)",
    "RAdam(params)",
    "RAdam(params, lr=0.1, betas=(0.4, 0.6), eps=1e-3, weight_decay=0.2)",
    "RAdam(params, lr=0.1, betas=(0.9, 0.8), weight_decay=0.2, decoupled_weight_decay=True, maximize=True)",
    "RMSprop(params)",
    "RMSprop(params, lr=0.1, alpha=0.4, eps=1e-3, weight_decay=0.2, maximize=True)",
    "RMSprop(params, lr=0.1, momentum=0.9, centered=True)",
    "Rprop(params)",
    "Rprop(params, lr=0.5, etas=(0.3, 1.7), step_sizes=(0.1, 0.6))",
    "Rprop(params, lr=torch.tensor(0.1), maximize=True)",
    "Muon(params[:1], lr=0.1)",
    "Muon(params[:1], lr=0.1, nesterov=False, weight_decay=0.5, ns_steps=3, adjust_lr_fn='match_rms_adamw')",
]


def run(torch, case, dtype="float32"):
    """Six steps down (x - target)^2 with a third parameter that gets a gradient only in every other step."""
    kind = getattr(torch, dtype)
    starts = [[[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], [3.0, -0.125], 0.75]
    params = [torch.tensor(start, dtype=kind, requires_grad=True) for start in starts]
    optimizer = eval(f"torch.optim.{case}", {"torch": torch, "params": params})
    for step in range(6):
        optimizer.zero_grad()
        loss = ((params[0] - 1) ** 2).sum() + (params[1] * params[1]).sum() * 3
        if step % 2:
            loss = loss + params[2] ** 2 * 0.5
        loss.backward()
        optimizer.step()
    return params, optimizer


def plain(value, torch):
    return value.tolist() if isinstance(value, torch.Tensor) else value


def record(case):
    params, optimizer = run(torch, case)
    state = optimizer.state_dict()
    return {
        "case": case,
        "params": [p.tolist() for p in params],
        "state": {k: {n: plain(v, torch) for n, v in entry.items()} for k, entry in state["state"].items()},
        "groups": [{k: repr(v) for k, v in group.items()} for group in state["param_groups"]],
        "repr": repr(optimizer),
    }


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(record(case)) for case in CASES)
    (HERE / "steps.json").write_text(f"[\n{lines}\n]\n")
