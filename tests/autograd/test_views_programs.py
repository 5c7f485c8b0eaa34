"""Random programs of views and in-place operations, against the same programs written without either.

A program keeps some views of one tensor and writes through them. Its mirror holds the tensor flat, knows for
every view the positions it shows, and replaces values out of place. Values, gradients and second derivatives
must agree: whatever an engine does about histories of bases and views, this is what it has to come to.
(Writes that save their own result, as `tanh_`, are left out: a later write rightly makes backward refuse.)
"""

import random

import pytest

SHAPE = (3, 4)

VIEWS = [
    lambda t, r: t.t() if t.dim() == 2 else t,
    lambda t, r: t[r.randrange(t.shape[0])] if t.dim() > 1 else t,
    lambda t, r: t[:: r.choice([1, 2])] if t.dim() else t,
    lambda t, r: t[..., r.randrange(max(1, t.shape[-1])) :] if t.dim() else t,
    lambda t, r: t.unsqueeze(r.randrange(t.dim() + 1)),
    lambda t, r: t.squeeze(),
    lambda t, r: t.narrow(0, 0, max(1, t.shape[0] - 1)) if t.dim() else t,
    lambda t, r: t.diagonal() if t.dim() == 2 else t,
    lambda t, r: t.permute(*reversed(range(t.dim()))),
    lambda t, r: t.view_as(t),
    lambda t, r: t.unfold(0, 1, 1) if t.dim() == 1 else t,
]


def writes(torch):
    """Pairs of (in-place write, the same as a function of old value and weight)."""
    return [
        (lambda v, w: v.mul_(w), lambda v, w: v * w),
        (lambda v, w: v.add_(w), lambda v, w: v + w),
        (lambda v, w: v.copy_(w), lambda v, w: w.expand_as(v) + 0 * v.detach()),
        (lambda v, w: v.zero_(), lambda v, w: torch.zeros_like(v)),
        (lambda v, w: v.sin_(), lambda v, w: v.sin()),
        (lambda v, w: v.div_(w + 2), lambda v, w: v / (w + 2)),
        (lambda v, w: v.__setitem__(Ellipsis, w * 3), lambda v, w: (w * 3).expand_as(v) + 0 * v.detach()),
        (lambda v, w: v.clamp_(-0.8, 0.8), lambda v, w: v.clamp(-0.8, 0.8)),
        (lambda v, w: v.fill_(w), lambda v, w: w.expand_as(v) + 0 * v.detach()),
        (lambda v, w: v.addcmul_(w, w), lambda v, w: v + w * w),
        (
            lambda v, w: v.masked_fill_(v.detach() > 0.3, 0.1),
            lambda v, w: v.masked_fill(v.detach() > 0.3, 0.1),
        ),
    ]


def run(torch, seed):
    """Run one program twice; returns ((base, views), (mirror, mirrored views), leaves)."""
    r = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(*SHAPE, generator=generator, dtype=torch.float64).requires_grad_()
    w = torch.randn((), generator=generator, dtype=torch.float64).requires_grad_()
    base = x * 1
    flat = (x * 1).reshape(-1)
    views, places = [base], [torch.arange(12).view(*SHAPE)]
    for _ in range(r.randint(4, 9)):
        k = r.randrange(len(views))
        if r.random() < 0.5:
            make, state = r.choice(VIEWS), r.getstate()
            views.append(make(views[k], r))
            r.setstate(state)
            places.append(make(places[k], r))
        else:
            write, pure = r.choice(writes(torch))
            new = pure(flat[places[k]], w)
            write(views[k], w)
            flat = flat.scatter(0, places[k].reshape(-1), new.reshape(-1))
    return (base, views), (flat.view(*SHAPE), [flat[p] for p in places]), (x, w)


@pytest.mark.parametrize("seed", range(60))
def test_program_agrees_with_its_mirror(torch, seed):
    (base, views), (mirror, mirrored), leaves = run(torch, seed)
    for v, m in zip(views, mirrored):
        assert torch.allclose(v, m)
    for got, want in zip([base, *views], [mirror, *mirrored]):
        weights = torch.arange(1.0, got.numel() + 1, dtype=torch.float64).view(got.shape)
        g = torch.autograd.grad((got * weights).sum(), leaves, retain_graph=True, materialize_grads=True)
        h = torch.autograd.grad((want * weights).sum(), leaves, retain_graph=True, materialize_grads=True)
        assert all(torch.allclose(a, b) for a, b in zip(g, h))


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_second_derivatives_agree(torch, seed):
    (base, _), (mirror, _), leaves = run(torch, seed)
    results = []
    for t in (base, mirror):
        g = torch.autograd.grad((t**3).sum(), leaves, create_graph=True, materialize_grads=True)
        total = sum(((k + 1) * part**2).sum() for k, part in enumerate(g) if part.requires_grad)
        if not torch.is_tensor(total):
            return
        results.append(torch.autograd.grad(total, leaves, materialize_grads=True))
    assert all(torch.allclose(a, b) for a, b in zip(*results))
