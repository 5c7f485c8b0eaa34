"""Element types and PyTorch's rules for combining them.

All promotion lives here, never in NumPy's hands: PyTorch ranks *categories* (bool < integer < float < complex) and
lets a tensor with dimensions outrank a 0-d tensor, and that a Python number, within one category. Kernels are given
arrays that already share a dtype.
"""
import ml_dtypes
import numpy as np

__all__ = ["dtype", "finfo", "iinfo", "promote_types", "can_cast", "get_default_dtype", "set_default_dtype", "of"]

BOOL, INTEGRAL, FLOATING, COMPLEX = range(4)


class dtype:
    """An element type, such as ``rushlight.float32``. Each is a singleton: compare with ``is`` or ``==``.

    ``numpy`` is the NumPy dtype that holds its values; ``itemsize`` is in bytes.

    Example::

        >>> import rushlight as torch
        >>> torch.float32.is_floating_point, torch.float32.itemsize
        (True, 4)
    """

    __slots__ = ("name", "numpy", "category", "itemsize", "is_floating_point", "is_complex", "is_signed", "scalar_name",
                 "abbr", "barebones", "low_precision", "__weakref__")

    def __init__(self, name, numpy, category, scalar_name, abbr):
        self.name = name
        self.numpy = np.dtype(numpy)
        self.category = category
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = category == FLOATING
        self.is_complex = category == COMPLEX
        self.is_signed = category >= FLOATING or name.startswith("int")
        self.scalar_name = scalar_name          # the C++ name that error texts use
        self.abbr = abbr
        self.barebones = name in ("uint16", "uint32", "uint64")   # PyTorch stores these but hardly computes with them
        self.low_precision = name in ("float16", "bfloat16")      # computed in float32, rounded once

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return _by_name, (self.name,)

    def to_complex(self):
        """The complex dtype whose parts have this dtype."""
        if self.category == COMPLEX:
            return self
        if self is float16:
            raise NotImplementedError("complex32 does not exist in rushlight; the nearest is complex64")
        return complex128 if self is float64 else complex64

    def to_real(self):
        """The dtype of this dtype's real part."""
        return {complex64: float32, complex128: float64}.get(self, self)


def _by_name(name):
    return BY_NAME[name]


bool_ = dtype("bool", np.bool_, BOOL, "Bool", "b8")
uint8 = dtype("uint8", np.uint8, INTEGRAL, "Byte", "u8")
int8 = dtype("int8", np.int8, INTEGRAL, "Char", "i8")
int16 = dtype("int16", np.int16, INTEGRAL, "Short", "i16")
int32 = dtype("int32", np.int32, INTEGRAL, "Int", "i32")
int64 = dtype("int64", np.int64, INTEGRAL, "Long", "i64")
uint16 = dtype("uint16", np.uint16, INTEGRAL, "UInt16", "u16")
uint32 = dtype("uint32", np.uint32, INTEGRAL, "UInt32", "u32")
uint64 = dtype("uint64", np.uint64, INTEGRAL, "UInt64", "u64")
float16 = dtype("float16", np.float16, FLOATING, "Half", "f16")
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, FLOATING, "BFloat16", "bf16")
float32 = dtype("float32", np.float32, FLOATING, "Float", "f32")
float64 = dtype("float64", np.float64, FLOATING, "Double", "f64")
complex64 = dtype("complex64", np.complex64, COMPLEX, "ComplexFloat", "c64")
complex128 = dtype("complex128", np.complex128, COMPLEX, "ComplexDouble", "c128")

ALL = (bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64,
       complex128)
BY_NAME = {d.name: d for d in ALL}
BY_NUMPY = {d.numpy: d for d in ALL}
ALIASES = {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64,
           "cfloat": complex64, "cdouble": complex128}

_PYTHON = {bool: bool_, int: int64}


def of(numpy_dtype):
    """The dtype of a NumPy dtype; foreign byte order and unknown types raise PyTorch's TypeError."""
    try:
        return BY_NUMPY[numpy_dtype]
    except (KeyError, TypeError):
        pass
    given = np.dtype(numpy_dtype)
    if given in BY_NUMPY:
        return BY_NUMPY[given]
    raise TypeError(
        f"can't convert np.ndarray of type numpy.{given.type.__name__}. The only "
        "supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
        "uint32, uint16, uint8, and bool.\nConvert it with NumPy's .astype first.")


_default = float32


def get_default_dtype():
    """The floating-point dtype that new tensors get when none is named (float32 unless changed)."""
    return _default


def set_default_dtype(d):
    """Set the default floating-point dtype (a floating dtype; else TypeError)."""
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type"
                        "\nPass torch.float16, bfloat16, float32 or float64.")
    _default = d


def default_complex():
    """The complex dtype that goes with the default floating one."""
    return complex128 if _default is float64 else complex64


def of_number(value):
    """The dtype that PyTorch gives a Python or NumPy number on its own."""
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (float, np.floating)):
        return _default
    return default_complex()


def category_of_number(value):
    """BOOL, INTEGRAL, FLOATING or COMPLEX."""
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, (int, np.integer)):
        return INTEGRAL
    if isinstance(value, (float, np.floating)):
        return FLOATING
    return COMPLEX


def _promote(a, b):
    if a is b:
        return a
    if a.category > b.category:
        a, b = b, a
    if (a.barebones or b.barebones) and b.category != FLOATING:
        raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                           f"{a.scalar_name} and {b.scalar_name}")
    if a.category < b.category:
        if b.category == COMPLEX and a is float64:
            return complex128
        return b
    if a.category == INTEGRAL:
        if uint8 in (a, b):
            other = b if a is uint8 else a
            return int16 if other is int8 else other
        return a if a.itemsize > b.itemsize else b
    if a.itemsize == b.itemsize:            # float16 with bfloat16
        return float32
    return a if a.itemsize > b.itemsize else b


def _promotion_table():
    table = {}
    for a in ALL:
        for b in ALL:
            try:
                table[a, b] = _promote(a, b)
            except RuntimeError:
                pass      # left out: looking it up recomputes it, and raises
    return table


PROMOTION = _promotion_table()


def promote_types(type1, type2):
    """The smallest dtype that both can be cast to without changing category.

    Raises RuntimeError for uint16/32/64 with another integer or complex type, as PyTorch.

    Example::

        >>> import rushlight as torch
        >>> torch.promote_types(torch.uint8, torch.int8)
        torch.int16
    """
    found = PROMOTION.get((type1, type2))
    if found is None:
        return _promote(type1, type2)
    return found


def can_cast(from_, to):
    """Whether an in-place operator may store a result of dtype ``from_`` in a tensor of dtype ``to``."""
    return from_.category <= to.category or (from_.category == INTEGRAL and to.category == INTEGRAL)


def _outrank(higher, lower):
    """The dtype of two ranks of operands: the lower one counts only where its category is above the higher one's."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.category == COMPLEX or (higher.category == FLOATING and lower.category < COMPLEX):
        return higher
    if higher.category == FLOATING:
        return complex64 if higher.low_precision else higher.to_complex()
    if higher is bool_ or lower.category >= FLOATING:
        return promote_types(higher, lower)
    return higher


def _promote_all(given):
    result = None
    for d in given:
        result = d if result is None or result is d else promote_types(result, d)
    return result


def combine(dimensioned, zero_dim, numbers):
    """PyTorch's result type, from three lists: dtypes of tensors with dimensions, of 0-d tensors, number categories.

    Example::

        >>> from rushlight import dtypes
        >>> dtypes.combine([dtypes.float32], [dtypes.float64], [dtypes.INTEGRAL])
        torch.float32
    """
    number = (bool_, int64, _default, default_complex())[max(numbers)] if numbers else None
    return _outrank(_promote_all(dimensioned), _outrank(_promote_all(zero_dim), number))


class finfo:
    """Limits of a floating (or complex, by its parts) dtype: bits, eps, max, min, tiny, smallest_normal, resolution."""

    def __init__(self, type=None):
        type = get_default_dtype() if type is None else type
        if not isinstance(type, dtype) or type.category < FLOATING:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        self._real = type.to_real()
        info = ml_dtypes.finfo(self._real.numpy)
        self.bits = info.bits
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = 10.0 ** -int(info.precision)

    @property
    def dtype(self):
        return self._real.name

    def __eq__(self, other):
        return isinstance(other, finfo) and other._real is self._real

    def __hash__(self):
        return hash((finfo, self._real))

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """Limits of an integer dtype: bits, min, max."""

    def __init__(self, type):
        if not isinstance(type, dtype) or type.category != INTEGRAL:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        info = np.iinfo(type.numpy)
        self._type = type
        self.bits, self.min, self.max = info.bits, int(info.min), int(info.max)

    @property
    def dtype(self):
        return self._type.name

    def __eq__(self, other):
        return isinstance(other, iinfo) and other._type is self._type

    def __hash__(self):
        return hash((iinfo, self._type))

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
