"""What operators say that write into ``out=`` only when it has the result's very dtype: values for the option
``out``.
"""

__all__ = ["exact", "said", "c_name"]

_C_NAMES = {"float32": "float", "float64": "double", "int32": "int", "int64": "long", "int16": "short",
            "uint8": "unsigned char",
            "int8": "signed char", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
            "complex64": "c10::complex<float>",
            "complex128": "c10::complex<double>", "uint16": "unsigned short", "uint32": "unsigned int",
            "uint64": "unsigned long"}


def c_name(dtype):
    """The C++ type of a dtype, as PyTorch's sentences have it."""
    return _C_NAMES.get(dtype.name, dtype.name)


def exact(wanted, given):
    """The usual sentence."""
    return f"Expected out tensor to have dtype {c_name(wanted)}, but got {c_name(given)} instead"


def said(text):
    """A sentence of an operator's own, with ``{wanted}`` and ``{given}`` for the dtypes' names."""
    return lambda wanted, given: text.format(wanted=wanted.scalar_name, given=given.scalar_name)
