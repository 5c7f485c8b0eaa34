"""Which calls and tensors of PyTorch are not looked at, and how its own modes are kept from seeing the recorder.

A program may run where looking has consequences: a value that is read while ``torch.jit.trace`` listens becomes a part of the trace,
one that is read inside ``torch.func.vmap`` is an error, and ``torch.compile`` would have to compile the recorder. Other tensors have
no memory of their own, or none that NumPy could read. All of these are left alone and counted, by the sentences that stand here.
"""

import torch

__all__ = ["now", "unmeasured", "apart", "is_compiling"]

_Tensor, _Parameter = torch.Tensor, torch.nn.Parameter
is_compiling = torch.compiler.is_compiling  # which the compiler knows: it leaves out what runs only if it is False
_tracing = torch._C._get_tracing_state
_transforms = torch._C._functorch.peek_interpreter_stack
_dispatch_modes, _function_modes = torch._C._len_torch_dispatch_stack, torch._C._len_torch_function_stack
_has_storage = torch._C._has_storage
_plain = _Tensor.__torch_dispatch__  # what a class without operators of its own has


def now():
    """Why nothing that this thread computes at the moment can be looked at, or None."""
    if _tracing() is not None:
        return "calls inside torch.jit.trace"
    if _transforms() is not None:
        return "calls inside torch.func transforms"
    return None


def unmeasured(tensor):
    """Why a tensor cannot be measured, or None."""
    cls = tensor.__class__
    if cls is not _Tensor and cls is not _Parameter:
        if cls.__torch_dispatch__ is not _plain:
            return f"tensors of the class {cls.__name__}, which has operators of its own"
        if torch.nn.parameter.is_lazy(tensor):
            return "parameters of lazy modules before their first call"
    if tensor.is_meta:
        return "tensors without memory (meta)"
    if tensor.is_nested:
        return "nested tensors"
    if tensor.is_quantized:
        return "quantized tensors"
    if not _has_storage(tensor) and tensor.layout is torch.strided:
        return "tensors that stand for a batch of others, as inside vmap and under is_grads_batched"
    return None


def apart(work, *args):
    """Do the recorder's own work where no mode sees it, neither ours nor one of the program's (which counts operators, or keeps their
    results for a checkpoint).
    """
    if _dispatch_modes() or _function_modes():
        with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
            return work(*args)
    return work(*args)
