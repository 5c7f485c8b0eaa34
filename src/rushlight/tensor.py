"""Tensor: an ndarray, an edge into the graph, and what programs hang on it.

This file holds the object itself: its slots, identity, and the autograd attributes. Operators attach their methods from
``ops``; ``backward`` and friends come from ``autograd.api``.

Slots that every tensor has: ``_a`` the array; ``_rg`` False, True, or ``views.UNSURE``; ``_edge`` what produced it (None
for a leaf); ``_base`` the tensor it is a view of; ``_ver`` the version counter ``[count, last writers]`` of its storage (the
newest last), made when first needed; ``_grad``; ``_extra``, None or a ``Rare``. Views also have ``_view_version`` and
``_view_meta``.
"""
import sys
import warnings
import weakref

from . import dtypes
from .autograd import modes, views
from .autograd.node import Hooks, Node, Out, OutputRef, Watch, resolve
from .device import CPU
from .printing import tensor_text

__all__ = ["Tensor", "Size", "wrap"]

_new = object.__new__
_ref, _getweakrefs = weakref.ref, weakref.getweakrefs
_PACKAGE = __file__.rpartition("tensor.py")[0]


class Size(tuple):
    """The shape of a tensor: a tuple of ints.

    Example::

        >>> import rushlight as torch
        >>> torch.Size([2, 3]).numel()
        6
    """

    __slots__ = ()

    def __new__(cls, sizes=()):
        made = tuple.__new__(cls, sizes)
        for i, n in enumerate(made):
            if type(n) is not int and not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')"
                                "\nGive whole numbers.")
        return made

    def numel(self):
        """The number of elements of a tensor of this shape."""
        count = 1
        for n in self:
            count *= n
        return count

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index):
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other))) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)


class Rare:
    """What few tensors have: hooks, a version of AccumulateGrad, a name, marks."""

    __slots__ = ("tensor_hooks", "post_accumulate", "node_pre", "node_post", "accumulator", "inference", "storage_start",
                 "grad_dtype", "name", "shared")

    def __init__(self):
        self.tensor_hooks = self.post_accumulate = self.node_pre = self.node_post = None
        self.accumulator = None
        self.inference = False
        self.storage_start = None
        self.grad_dtype = None
        self.name = None
        self.shared = False

    @property
    def any_hooks(self):
        return bool(self.tensor_hooks or self.node_pre)

    def hooks(self, which):
        modes.note_leaf_hook()
        table = getattr(self, which)
        if table is None:
            table = Hooks()
            setattr(self, which, table)
        return table


def wrap(array):
    """A Tensor around ``array``: the shortest way, for results of operators."""
    t = _new(Tensor)
    t._a = array
    t._rg = False
    t._edge = None
    t._base = None
    t._ver = None
    t._grad = None
    t._extra = None
    return t


def wrap_like(cls, array):
    """A tensor of class ``cls`` around ``array``."""
    t = _new(cls)
    t._a = array
    t._rg = False
    t._edge = None
    t._base = None
    t._ver = None
    t._grad = None
    t._extra = None
    return t


def user_place(depth=2):
    """(code, instruction) of the nearest caller outside this package; ``describe_place`` turns it into file and line."""
    frame = sys._getframe(depth)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def describe_place(where):
    """``file.py:12`` of a place noted by ``user_place``; None if there is none."""
    if where is None:
        return None
    code, at = where
    line = None
    for start, end, number in code.co_lines():
        if start <= at < end:
            line = number
            break
    return f"{code.co_filename}:{line}"


class Tensor:
    """An array whose history can be recorded and whose gradients can be computed: PyTorch's ``torch.Tensor``.

    ``Tensor(2, 3)`` is uninitialised of that shape and ``Tensor([1, 2])`` holds the data, both in the default dtype;
    ``torch.tensor`` is the better way.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([1., 2.], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    __slots__ = ("_a", "_rg", "_edge", "_base", "_ver", "_grad", "_extra", "_view_version", "_view_meta", "__weakref__",
                 "__dict__")
    __module__ = "rushlight"
    __array_priority__ = 1000

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__torch_function__ is not _disabled_torch_function_impl and not modes_know_subclasses[0]:
            modes_know_subclasses[0] = True      # from now on operators look for subclasses among their arguments
            modes.enter_special()

    # ------------------------------------------------------------ rare things

    def _rare(self):
        if self._extra is None:
            self._extra = Rare()
        return self._extra

    # ------------------------------------------------------------ what it is

    @property
    def shape(self):
        """The shape, as a ``Size``."""
        return tuple.__new__(Size, self._a.shape)

    @property
    def dtype(self):
        """The element type."""
        return dtypes.BY_NUMPY[self._a.dtype]

    @property
    def ndim(self):
        """The number of dimensions."""
        return self._a.ndim

    @property
    def device(self):
        return CPU

    @property
    def itemsize(self):
        """Bytes per element."""
        return self._a.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self._a.nbytes

    is_cpu = True
    is_cuda = is_sparse = is_quantized = is_meta = is_mkldnn = is_mps = is_xpu = is_nested = False
    is_sparse_csr = is_ipu = is_maia = is_mtia = is_vulkan = is_xla = False

    __hash__ = object.__hash__

    # ------------------------------------------------------------ versions

    @property
    def _version(self):
        """How often the storage was changed in place."""
        if self.is_inference():
            raise RuntimeError("Inference tensors do not track version counter.\nClone it outside inference mode.")
        return self._ver[0] if self._ver is not None else 0

    def _cell(self):
        cell = self._ver
        if cell is None:
            if self._extra is not None and self._extra.inference:
                raise RuntimeError(
                    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
                    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
                    "`torch.no_grad()` instead of `torch.inference_mode()`.")
            cell = self._ver = [0]
        return cell

    def _bump(self, writer=None):
        """Count a change of the memory; ``writer`` says who, for error texts."""
        cell = self._ver
        if cell is not None:
            cell[0] += 1
            cell.append(writer)
            if len(cell) > 16:
                del cell[1:-8]
        elif self._extra is None or not self._extra.inference:
            self._ver = [1, writer]

    # ------------------------------------------------------------ gradients

    @property
    def requires_grad(self):
        """Whether gradients flow to this tensor."""
        if self._base is not None:
            return self._rg is True or bool(self._base._rg)
        return self._rg

    @requires_grad.setter
    def requires_grad(self, value):
        if value is not True and value is not False:
            raise RuntimeError("requires_grad must be a bool\nAssign True or False; bool(...) makes one of any value.")
        if self.grad_fn is not None:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables." +
                ("" if value else " If you want to use a computed variable in a subgraph that doesn't require "
                 "differentiation use var_no_grad = var.detach().") + self._made_by() +
                ("\nIt requires grad since what it was computed from does; a leaf of its own is detach().requires_grad_()."
                 if value else ""))
        if value and self.dtype.category < dtypes.FLOATING:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients\n"
                               f"This one is {self.dtype}: convert it with .float() first.")
        self._set_requires_grad(value)

    def requires_grad_(self, requires_grad=True):
        """Set ``requires_grad`` in place and return the tensor; True on a tensor that has it already is no error."""
        if requires_grad is not True and requires_grad is not False:
            raise modes.no_flag("requires_grad_", "'requires_grad' (position 1)", requires_grad)
        if not requires_grad and self.grad_fn is not None:
            self.requires_grad = False
        if requires_grad and self.grad_fn is None:
            self._set_requires_grad(True)
        elif not requires_grad:
            self._set_requires_grad(False)
        return self

    def _set_requires_grad(self, value):
        if value and self._a.dtype.kind not in "fc" and self.dtype.category < dtypes.FLOATING:
            raise RuntimeError("only Tensors of floating point dtype can require gradients\n"
                               f"This one is {self.dtype}: convert it with .float() first.")
        if value and self.is_inference() and not modes.state.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
                               "\nClone it first.")
        self._rg = value or (views.UNSURE if self._base is not None else False)

    @property
    def is_leaf(self):
        """True if no recorded operator made this tensor."""
        return self.grad_fn is None

    @property
    def grad_fn(self):
        """The graph's node that made this tensor; None for a leaf."""
        edge = self._edge
        if self._base is not None:
            views.sync(self)
            edge = self._edge
        return None if edge is None else resolve(edge)[0]

    @property
    def output_nr(self):
        """Which result of ``grad_fn`` this tensor is."""
        return self._edge.index if isinstance(self._edge, Out) else 0

    def _made_by(self):
        """A line that says what made this tensor, for error texts."""
        fn = self.grad_fn
        if fn is None:
            return ""
        place = describe_place(getattr(fn, "where", None))
        return f"\nIt was made by {fn.name()}" + (f" at {place}." if place else ".")

    @property
    def grad(self):
        """The accumulated gradient, or None. Of a non-leaf only after ``retain_grad()``; reading it otherwise warns."""
        grad = self._grad
        if grad is None and self._edge is not None and self._rg and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
                "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
                "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
                "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations."
                + self._made_by() + "\nkept = rushlight.observe.retain(loss), called before backward(), holds the gradient of every tensor "
                "behind the loss by its name, in kept and not in .grad; observe.explain(t) says why this one has none.",
                UserWarning, stacklevel=2)
        return grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                                "\nWrap it with torch.as_tensor.")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad\nAssign a clone.")
            if value.dtype is not self.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{_lower_name(value.dtype)}' to a tensor with grad_dtype "
                    f"'{self.dtype.scalar_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
                    "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
                    "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
                    "systems that assume they match.")
            if value._a.shape != self._a.shape:
                raise RuntimeError(f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                                   f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size")
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    @property
    def grad_dtype(self):
        """The dtype that ``.grad`` must have: the tensor's own."""
        return self.dtype

    @property
    def retains_grad(self):
        """True for a non-leaf whose gradient is kept in ``.grad``."""
        edge = self._edge
        if edge is None:
            return False
        node, index = (edge.node, edge.index) if isinstance(edge, Out) else (edge, 0)
        watch = getattr(node, "watch", None)
        if watch.__class__ is _ref:
            return watch() is self
        if watch.__class__ is not Watch or not watch.retains:
            return False
        ref = watch.retains.get(index)
        return ref is not None and ref() is self

    def retain_grad(self, enable=True):
        """Keep this non-leaf's gradient in ``.grad`` in coming backward passes; no effect on a leaf.

        ``retain_grad(False)`` takes it back (asked for in pytorch/pytorch#135229); ``.grad`` keeps what it holds.
        RuntimeError for a tensor that does not require grad.

        Example::

            >>> import rushlight as torch
            >>> x = torch.ones(2, requires_grad=True)
            >>> y = x * 3
            >>> y.retain_grad()
            >>> (y * y).sum().backward()
            >>> y.grad
            tensor([6., 6.])
        """
        rg = self._rg
        if rg and self._base is not None:
            views.sync(self)
            rg = self._rg is True
        if not rg:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False"
                               "\nNothing it was computed from requires grad, or it was made under torch.no_grad(): call "
                               "requires_grad_() on what it is computed from, or on it, before it is used.")
        edge = self._edge
        if edge is None:
            return
        for ref in _getweakrefs(self):
            if ref.__class__ is OutputRef:         # a module's `output`
                ref.strong = self if enable else None
        if enable and edge.__class__ is Node and edge.watch is None:
            edge.watch = _ref(self)
            return
        node, index = (edge.node, edge.index) if isinstance(edge, Out) else (edge, 0)
        if not enable:
            if self.retains_grad:
                del node._watching().retains[index]
            return
        watch = node._watching()
        if watch.retains is None:
            watch.retains = {}
        watch.retains[index] = _ref(self)

    def register_hook(self, hook):
        """Call ``hook(grad)`` whenever this tensor's gradient is computed; what it returns replaces the gradient.

        Returns a handle with ``remove()``. RuntimeError for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient"
                               "\nNothing it was computed from requires grad, or it was made under torch.no_grad().")
        edge = self._edge
        if edge is None:
            return self._rare().hooks("tensor_hooks").add(hook)
        node, index = (edge.node, edge.index) if isinstance(edge, Out) else (edge, 0)
        watch = node._watching()
        if watch.tensor_hooks is None:
            watch.tensor_hooks = {}
        return watch.tensor_hooks.setdefault(index, Hooks()).add(hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call ``hook(self)`` after a gradient was added to this leaf's ``.grad``. Returns a handle with ``remove()``."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient"
                               "\nSet requires_grad first.")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors"
                               "\nThe nearest is register_hook.")
        return self._rare().hooks("post_accumulate").add(hook)

    @property
    def _backward_hooks(self):
        rare = self._extra
        return rare.tensor_hooks if rare is not None else None

    @_backward_hooks.setter
    def _backward_hooks(self, table):
        if table is not None or self._extra is not None:
            self._rare().tensor_hooks = table if table is None else Hooks(table)

    @property
    def data(self):
        """The same memory without history and with a version counter of its own: writes here escape autograd."""
        kind = type(self)      # a Parameter's data is a plain tensor; a subclass that sees operators is kept
        made = wrap_like(Tensor if kind.__torch_function__ is _disabled_torch_function_impl else kind, self._a)
        if not modes.plain and modes.state.observer is not None:
            modes.state.observer.cut(self, made, "data")
        return made

    @data.setter
    def data(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}"
                            "\nWrap it with torch.as_tensor.")
        if self.requires_grad and value.dtype.category < dtypes.FLOATING:
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype"
                               f"\nIt is {value.dtype}.")
        self._a = value._a

    def is_inference(self):
        """True if made inside ``inference_mode``."""
        rare = self._extra
        return rare is not None and rare.inference

    def _is_view(self):
        return self._base is not None

    @property
    def name(self):
        rare = self._extra
        return rare.name if rare is not None else None

    def is_shared(self):
        """True after ``share_memory_()``."""
        rare = self._extra
        return rare is not None and rare.shared

    # ------------------------------------------------------------ printing

    def __repr__(self, *, tensor_contents=None):
        cls = type(self)
        try:
            fn = self.grad_fn
            name = None if fn is None else fn.name().rpartition("::")[2]
        except RuntimeError:            # a view whose base was changed where that is forbidden
            name = "Invalid"
        return tensor_text(
            self._a, dtype=dtypes.BY_NUMPY[self._a.dtype], requires_grad=self.requires_grad, grad_fn_name=name,
            class_name="tensor" if cls is Tensor or "_prints_as_tensor" in cls.__dict__ else cls.__name__,
            is_parameter=getattr(self, "_is_param", False), contents=tensor_contents)

    def __format__(self, spec):
        if type(self) is Tensor and self._a.ndim == 0:
            return self._a.item().__format__(spec)
        return object.__format__(self, spec)

    # ------------------------------------------------------------ making

    @staticmethod
    def _make_subclass(cls, data, require_grad=False):
        """A tensor of class ``cls`` that shares ``data``'s memory: how subclasses are made."""
        if require_grad is not True and require_grad is not False:
            raise modes.no_flag("_make_subclass", "'require_grad' (position 3)", require_grad)
        made = wrap_like(cls, data._a)
        made._ver = data._ver
        if require_grad:
            made._set_requires_grad(True)
        return made

    def as_subclass(self, cls):
        """The same tensor, history included, as an instance of ``cls``."""
        made = wrap_like(cls, self._a)
        made._rg, made._edge, made._base = self._rg, self._edge, self._base
        made._ver = self._cell()
        if self._base is not None:
            made._view_version = self._view_version
        return made

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Results of operators on a subclass are of that subclass; override to intercept operators."""
        kwargs = kwargs or {}
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        with DisableTorchFunctionSubclass():
            result = func(*args, **kwargs)
        return _convert(result, cls)


def _lower_name(d):
    return {"float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
            "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
            "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}.get(d.name, d.name)


def _convert(result, cls):
    """Results of a subclass's operator as that subclass."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, cls):
        return result.as_subclass(cls)
    if isinstance(result, (tuple, list)) and any(isinstance(r, Tensor) for r in result):
        made = [_convert(r, cls) for r in result]
        return type(result)(made)
    return result


def _disabled_torch_function_impl(func, types, args=(), kwargs=None):
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


modes_know_subclasses = [False]


class DisableTorchFunctionSubclass:
    """Context in which subclasses' ``__torch_function__`` is not asked."""

    def __enter__(self):
        self.before = modes.state.no_torch_function
        modes.state.no_torch_function = True

    def __exit__(self, *_):
        modes.state.no_torch_function = self.before
