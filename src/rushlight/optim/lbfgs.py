"""L-BFGS (Nocedal, "Updating Quasi-Newton Matrices with Limited Storage", 1980; Nocedal and Wright, "Numerical
Optimization", algorithms 7.4 and 3.5) on all parameters as one long vector.

Each iteration goes from x along d = -H g, where H, an estimate of the inverse Hessian, is never written down: it
follows from the last few changes s of x and y of g by the two-loop recursion. The way along d is ``lr``, or is
found by a line search that ends where the strong Wolfe conditions hold: the value has fallen enough for the
slope (Armijo), and the slope has flattened.
"""

from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import enable_grad, no_grad
from rushlight.optim._fused import check_lr
from rushlight.optim._ops import cat, view_as_real
from rushlight.optim.optimizer import Optimizer, ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["LBFGS"]

_LEAST_CURVATURE = 1e-10  # a pair (s, y) with a smaller product teaches nothing


def _cubic_interpolate(x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: Any = None) -> Any:
    """The minimum of the cubic through two points with their slopes, within ``bounds``; their middle if it has
    none.
    """
    low, high = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        best = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        best = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(best, low), high)


class _Point:
    """A step length with the value, the gradient and the slope along d found there."""

    __slots__ = ("t", "f", "g", "slope")

    def __init__(self, t: Any, f: float, g: Tensor, slope: Tensor) -> None:
        self.t, self.f, self.g, self.slope = t, f, g, slope

    def kept(self) -> "_Point":
        """With a gradient that the next evaluation does not overwrite."""
        return _Point(self.t, self.f, self.g.clone(), self.slope)


def _strong_wolfe(
    obj_func: Callable,
    x: Any,
    t: Any,
    d: Tensor,
    f: float,
    g: Tensor,
    gtd: Tensor,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, Any, int]:
    """A step length along ``d`` that meets the strong Wolfe conditions, at most ``max_ls`` evaluations.

    Returns value, gradient, length, and the number of evaluations.
    """

    def evaluated(t: Any) -> _Point:
        value, gradient = obj_func(x, t, d)
        return _Point(t, value, gradient, gradient.dot(d))

    def too_high(point: _Point) -> bool:
        return bool(point.f > (f + c1 * point.t * gtd))

    def flat_enough(point: _Point) -> bool:
        return bool(abs(point.slope) <= -c2 * gtd)

    reach = d.abs().max()
    start = _Point(0, f, g.clone(), gtd)
    before, now = start, evaluated(t)
    evaluations, rounds = 1, 0
    bracket: list[_Point] = []
    done = False
    while rounds < max_ls:  # lengthen the step until an interval is found that holds a good point
        if too_high(now) or (rounds > 1 and now.f >= before.f):
            bracket = [before, now.kept()]
            break
        if flat_enough(now):
            bracket = [now]
            done = True
            break
        if now.slope >= 0:
            bracket = [before, now.kept()]
            break
        shortest, longest = now.t + 0.01 * (now.t - before.t), now.t * 10
        t = _cubic_interpolate(
            before.t, before.f, before.slope, now.t, now.f, now.slope, bounds=(shortest, longest)
        )
        before, now = now.kept(), evaluated(t)
        evaluations += 1
        rounds += 1
    if rounds == max_ls:
        bracket = [start, now]
    stuck = False
    low, high = (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)
    while not done and rounds < max_ls:  # narrow the interval
        one, two = bracket
        if abs(two.t - one.t) * reach < tolerance_change:
            break
        t = _cubic_interpolate(one.t, one.f, one.slope, two.t, two.f, two.slope)
        left, right = min(one.t, two.t), max(one.t, two.t)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # near an end: once is allowed, then a tenth inside
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = evaluated(t)
        evaluations += 1
        rounds += 1
        if too_high(now) or now.f >= bracket[low].f:
            bracket[high] = now.kept()
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
            continue
        if flat_enough(now):
            done = True
        elif now.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = now.kept()
    best = bracket[low]
    return best.f, best.g, best.t, evaluations


class LBFGS(Optimizer):
    """A quasi-Newton method: few, expensive steps. ``step`` needs a closure that computes loss and gradients.

    Args:
        params: tensors, or one group of them.
        lr: the way along each direction, or the first that a line search tries; a float or a one-element tensor.
        max_iter: iterations in one ``step``.
        max_eval: evaluations of the closure in one ``step``; ``max_iter * 5 // 4`` if not given.
        tolerance_grad: stop when no gradient is larger.
        tolerance_change: stop when steps or the loss change by less.
        history_size: how many past steps are remembered.
        line_search_fn: None or "strong_wolfe".

    Raises ValueError for several parameter groups and for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([3.0], requires_grad=True)
        >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((w - 1) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure)
        tensor(4., grad_fn=<SumBackward0>)
        >>> w
        tensor([1.], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._numel_cache: int | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]
        self._numel_cache = None

    def _numel(self) -> int:
        if self._numel_cache is None:
            self._numel_cache = sum(2 * p.numel() if p.is_complex() else p.numel() for p in self._params)
        return self._numel_cache

    def _gather_flat_grad(self) -> Tensor:
        """All gradients as one vector; zeros where there is none."""
        views = []
        for p in self._params:
            view = p.new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1)
            views.append(view_as_real(view).reshape(-1) if view.is_complex() else view)
        return cat(views, 0)

    def _add_grad(self, step_size: Any, update: Tensor) -> None:
        """Move all parameters by ``step_size * update``."""
        size = _get_value(step_size)
        offset = 0
        for p in self._params:
            if p.is_complex():
                p = view_as_real(p)
            count = p.numel()
            p.add_(update[offset : offset + count].view_as(p), alpha=size)
            offset += count
        if offset != self._numel():
            raise AssertionError(f"Expected offset {offset} to equal {self._numel()}")

    def _clone_param(self) -> list[Tensor]:
        return [p.clone() for p in self._params]

    def _set_param(self, params_data: list[Tensor]) -> None:
        for p, data in zip(self._params, params_data):
            p.copy_(data)

    def _directional_evaluate(self, closure: Callable, x: Any, t: Any, d: Tensor) -> tuple[float, Tensor]:
        """Value and gradient at ``t`` along ``d``; the parameters come back to ``x``."""
        self._add_grad(t, d)
        loss = float(closure())
        flat_grad = self._gather_flat_grad()
        self._set_param(x)
        return loss, flat_grad

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:
        """Up to ``max_iter`` iterations. ``closure`` clears the gradients, computes the loss, calls backward on
        it and returns it; the first loss is returned.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        closure = enable_grad()(closure)
        group = self.param_groups[0]
        lr = _to_scalar(group["lr"])
        max_iter, max_eval = group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        search = group["line_search_fn"]
        state = self.state[self._params[0]]  # one state for all, kept where load_state_dict casts it
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        flat_grad = self._gather_flat_grad()
        if flat_grad.abs().max() <= tolerance_grad:
            return first_loss
        memory = _Memory(state)
        for iteration in range(1, max_iter + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                memory.begin(flat_grad)
                t = min(1.0, 1.0 / flat_grad.abs().sum()) * lr
            else:
                memory.learn(flat_grad, group["history_size"])
                memory.aim(flat_grad, state, group["history_size"])
                t = lr
            memory.remember(flat_grad, loss)
            d = memory.d
            memory.t = t
            slope = flat_grad.dot(d)
            if slope > -tolerance_change:
                break
            used = 0
            optimal = False
            if search is not None:
                if search != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                loss, flat_grad, t, used = _strong_wolfe(
                    lambda x, t, d: self._directional_evaluate(closure, x, t, d),
                    self._clone_param(),
                    t,
                    d,
                    loss,
                    flat_grad,
                    slope,
                    max_ls=max_eval - evaluations,
                )
                memory.t = t
                self._add_grad(t, d)
                optimal = bool(flat_grad.abs().max() <= tolerance_grad)
            else:
                self._add_grad(t, d)
                if iteration != max_iter:  # after the last, nobody would look at the result
                    loss = float(closure())
                    flat_grad = self._gather_flat_grad()
                    optimal = bool(flat_grad.abs().max() <= tolerance_grad)
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (
                iteration == max_iter
                or evaluations >= max_eval
                or optimal
                or d.mul(t).abs().max() <= tolerance_change
                or abs(loss - memory.prev_loss) < tolerance_change
            ):
                break
        memory.save(state)
        return first_loss


class _Memory:
    """What L-BFGS knows from earlier iterations, under the names that ``state_dict`` has for it."""

    NAMES = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")

    d: Any
    t: Any
    old_dirs: list
    old_stps: list
    ro: list
    H_diag: Any
    prev_flat_grad: Any
    prev_loss: Any

    def __init__(self, state: dict[str, Any]) -> None:
        for name in self.NAMES:
            setattr(self, name, state.get(name))

    def save(self, state: dict[str, Any]) -> None:
        for name in self.NAMES:
            state[name] = getattr(self, name)

    def begin(self, flat_grad: Tensor) -> None:
        """The first direction is the steepest."""
        self.d = flat_grad.neg()
        self.old_dirs, self.old_stps, self.ro = [], [], []
        self.H_diag = 1

    def learn(self, flat_grad: Tensor, history_size: int) -> None:
        """Take up the last step and what it did to the gradient."""
        y = flat_grad.sub(self.prev_flat_grad)
        s = self.d.mul(self.t)
        ys = y.dot(s)
        if ys > _LEAST_CURVATURE:
            if len(self.old_dirs) == history_size:
                for old in (self.old_dirs, self.old_stps, self.ro):
                    old.pop(0)
            self.old_dirs.append(y)
            self.old_stps.append(s)
            self.ro.append(1.0 / ys)
            self.H_diag = ys / y.dot(y)

    def aim(self, flat_grad: Tensor, state: dict[str, Any], history_size: int) -> None:
        """d = -H g by the two-loop recursion."""
        al = state.setdefault("al", [None] * history_size)
        count = len(self.old_dirs)
        q = flat_grad.neg()
        for i in range(count - 1, -1, -1):
            al[i] = self.old_stps[i].dot(q) * self.ro[i]
            q.add_(self.old_dirs[i], alpha=-al[i].item())
        self.d = q.mul(self.H_diag)
        for i in range(count):
            back = self.old_dirs[i].dot(self.d) * self.ro[i]
            self.d.add_(self.old_stps[i], alpha=(al[i] - back).item())

    def remember(self, flat_grad: Tensor, loss: float) -> None:
        if self.prev_flat_grad is None:
            self.prev_flat_grad = flat_grad.clone()
        else:
            self.prev_flat_grad.copy_(flat_grad)
        self.prev_loss = loss
