"""Programs of the real PyTorch that run where looking has consequences: they do what they do alone, and what was not seen is counted."""

import copy
import warnings

import pytest

from rushlight import observe

real = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own: it wants all of jit gone


def seen(program):
    """What a program gives, and the record of it; the same as without a recording, and no error of the recorder's own."""
    real.manual_seed(0)
    alone = program()
    real.manual_seed(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "nothing was recorded")
        with observe.record(engine="torch", values=True) as rec:
            observed = program()
    assert repr(observed) == repr(alone)
    assert not [n for n in rec.notes if "failed" in n], rec.notes
    return rec


def watched(program):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "nothing was watched")
        with observe.watch(engine="torch") as watching:
            program()
    assert not [n for n in watching.record.notes if "failed" in n] and not watching.alarms


def check(program, *reasons):
    watched(program)
    rec = seen(program)
    for reason in reasons:
        assert rec.skipped.get(reason), rec.skipped
    return rec


def linear():
    return real.nn.Linear(4, 2)


def test_a_trace_has_nothing_of_the_recorder():
    def program():
        traced = real.jit.trace(linear(), real.ones(1, 4))
        traced(real.ones(1, 4)).sum().backward()
        return str(traced.graph).count("aten")

    check(program, "calls inside torch.jit.trace")


def test_scripted_modules_and_functions():
    def program():
        module = real.jit.script(linear())
        module(real.ones(1, 4)).sum().backward()
        return module.weight.grad

    rec = check(program)
    assert any(e.kind == "parameter" and e.arrivals for e in rec)


@pytest.mark.parametrize(
    "program",
    [
        lambda: real.func.functionalize(lambda x: x.add_(1))(real.ones(2)),
        lambda: real.vmap(linear())(real.ones(3, 4)),
        lambda: real.func.grad(lambda x: (x * x).sum())(real.ones(3)),
        lambda: real.func.hessian(lambda x: (x**3).sum())(real.ones(2)),
        lambda: real.func.jvp(real.sin, (real.ones(2),), (real.ones(2),)),
        lambda: real.func.jacrev(linear())(real.ones(4)),
    ],
    ids=["functionalize", "vmap", "grad", "hessian", "jvp", "jacrev"],
)
def test_transforms(program):
    check(program, "calls inside torch.func transforms")


def test_gradients_in_batches():
    def program():
        x = real.ones(3, requires_grad=True)
        y = x * x
        return real.autograd.grad(y, x, real.eye(3), is_grads_batched=True)

    reason = "tensors that stand for a batch of others, as inside vmap and under is_grads_batched"
    check(program, reason)
    check(lambda: real.autograd.functional.jacobian(lambda x: x * x, real.ones(3), vectorize=True), reason)


def test_tensors_without_memory():
    def program():
        module = real.nn.Linear(4, 2, device="meta")
        module(real.ones(1, 4, device="meta")).sum().backward()
        return module.weight.grad.shape

    check(program, "tensors without memory (meta)")


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    def program():
        with FakeTensorMode():
            module = linear()
            module(real.ones(1, 4)).sum().backward()
        return module.weight.grad.shape

    check(program, "tensors of the class FakeTensor, which has operators of its own")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors():
    def program():
        nested = real.nested.nested_tensor([real.ones(2), real.ones(3)], requires_grad=True)
        (nested * 2).to_padded_tensor(0.0).sum().backward()
        return nested.grad.is_nested

    check(program, "nested tensors")


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_quantized_tensors():
    check(lambda: real.quantize_per_tensor(real.ones(3), 0.1, 0, real.quint8).dequantize(), "quantized tensors")


def test_sparse_tensors_and_gradients():
    def program():
        embedding = real.nn.Embedding(5, 3, sparse=True)
        optimizer = real.optim.SparseAdam(embedding.parameters())
        for _ in range(2):
            optimizer.zero_grad()
            embedding(real.tensor([0, 1])).pow(2).sum().backward()
            optimizer.step()
        s = real.eye(3).to_sparse().requires_grad_()
        real.sparse.mm(s, real.ones(3, 1, requires_grad=True)).sum().backward()
        return embedding.weight, s.grad.is_sparse

    rec = check(program)
    assert rec["embedding.weight"].norm > 0


def test_lazy_modules():
    def program():
        module = real.nn.LazyLinear(2)
        module(real.ones(1, 4)).sum().backward()
        return module.weight

    check(program)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("given", [True, False])
def test_compiled_modules_in_one_graph(backend, given):
    real._dynamo.reset()
    module = real.nn.Sequential(linear(), real.nn.ReLU())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, also of the hooks on modules
        warnings.filterwarnings("error", "Dynamo does not know")
        with observe.record(module if given else None, engine="torch") as rec:
            compiled = real.compile(module, backend=backend, fullgraph=True)
            for _ in range(2):
                compiled(real.ones(3, 4)).sum().backward()
    assert not rec.notes and any(e.kind == "parameter" and e.arrivals for e in rec)


def test_exported_modules():
    check(lambda: str(real.export.export(linear(), (real.ones(1, 4),)).graph))


def test_modes_of_the_program_see_the_program_only():
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calls(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            counted.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Operators(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            counted.append(str(func))
            return func(*args, **(kwargs or {}))

    def program(mode):
        counted.clear()
        with mode():
            x = real.ones(3, requires_grad=True)
            (real.relu(x * 2) + 1).sum().backward()
        return list(counted)

    counted = []
    for mode in (Calls, Operators):
        check(lambda mode=mode: program(mode))


def test_selective_checkpoints():
    from functools import partial

    from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

    def policy(ctx, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if "addmm" in str(op) else CheckpointPolicy.PREFER_RECOMPUTE

    def program():
        module = real.nn.Sequential(linear(), real.nn.Tanh())
        context = partial(create_selective_checkpoint_contexts, policy)
        checkpoint(module, real.ones(3, 4), use_reentrant=False, context_fn=context).sum().backward()
        return module[0].weight.grad

    check(program)


def test_modes_without_gradients_and_with_halves():
    def program():
        module = linear()
        with real.inference_mode():
            inferred = module(real.ones(1, 4))
        with real.no_grad():
            view = module.weight.view(-1)
            view.mul_(1)
            without = module(real.ones(1, 4))
        with real.autocast("cpu", dtype=real.bfloat16):
            half = module(real.ones(1, 4))
            half.sum().backward()
        twin = copy.deepcopy(module)
        twin(real.ones(1, 4)).sum().backward()
        return inferred, without, half, module.weight.grad, twin.weight.grad

    rec = check(program, "tensors made in inference_mode", "tensors computed under no_grad")
    assert any(e.dtype == "bfloat16" and e.arrivals for e in rec)


def test_an_error_of_ours_becomes_a_note(monkeypatch):
    from rushlight.observe.engines import torch as adapter

    def broken(self, *args):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(adapter._Mode, "_note_write", broken)
    with observe.record(engine="torch") as rec:
        x = real.ones(3, requires_grad=True) * 2
        x.add_(1)
        x.sum().backward()
    assert "The recorder itself failed and went on: ZeroDivisionError: ours" in rec.notes
