"""Write the typed face of rushlight from what is really there: the table of operators and the functions' own
signatures.

    python tools/make_stubs.py            # writes {__init__,tensor,fft,linalg,special,masked,signal/windows,nn/functional}.pyi
    python tools/make_stubs.py --check    # writes nothing; exit status 1 if a file would change

Operators are hung on Tensor and on the public page when the package is imported, and their functions are
written when they are first called; neither is visible to a type checker that only reads. This script imports
rushlight and looks. Parameter names, kinds and defaults are the functions' own. Their types come from the
declaration (what is a tensor, what may be a number), then from ``TYPES`` by name, then from the default. What
a function returns is a Tensor unless the declaration (named tuples) or ``RESULTS`` says otherwise; functions
with several forms are spelled out in ``FORMS``. What is not known is ``Any``.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import pathlib
import re
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
sys.path.insert(0, str(SOURCE))

import rushlight  # noqa: E402
from rushlight import fft, linalg, masked, special  # noqa: E402
from rushlight.nn import functional  # noqa: E402
from rushlight.ops import asked, generate, table  # noqa: E402
from rushlight.signal import windows  # noqa: E402

WIDTH = 110
HEADER = '"""{what} Written by tools/make_stubs.py from the operators themselves; do not edit."""\n'
Tensor = rushlight.Tensor

INTS = "_int | Sequence[_int]"
TENSORS = "Sequence[Tensor]"

# The type of a parameter without annotation, by its name.
TYPES = {
    **dict.fromkeys(
        """self tensor tensor1 tensor2 anchor positive negative target weight running_mean running_var query
        key src input1 input2 x1 x2 vec2 batch1 batch2 first second a b real imag abs angle y logits var
        sorted_sequence the_template linear_weight indices condition""".split(),
        "Tensor",
    ),
    **dict.fromkeys(
        """bias attn_mask pos_weight per_sample_weights offsets fweights aweights prepend append sorter
        linear_bias out x gradient mask input_mask other_mask""".split(),
        "Tensor | None",
    ),
    **dict.fromkeys(
        """n m r M dim0 dim1 dim2 diagonal offset start_dim end_dim chunks num_groups num_classes groups
        num_samples upscale_factor downscale_factor minlength edge_order
        axis0 axis1 dimension decimals length row
        col count
        ignore_index correction""".split(),
        "_int",
    ),
    **dict.fromkeys("size shape sizes dims normalized_shape physical_layout split_sizes".split(), INTS),
    **dict.fromkeys("kernel_size dilation output_size shifts source destination".split(), INTS),
    "padding": INTS + " | str",
    "pad": INTS,
    "stride": INTS + " | None",
    "dtype": "_dtype | None",
    "device": "_Device",
    "layout": "_layout | None",
    "memory_format": "_memory_format | None",
    "generator": "Generator | None",
    "tensors": TENSORS,
    "size_average": "_bool | None",
    "train": "_bool",
    "training": "_bool",
    "use_input_stats": "_bool",
    "log_input": "_bool",
    "full": "_bool",
    "keepdims": "_bool",
    "unbiased": "_bool",
    "input": "Tensor",
    "other": "Tensor | Number",
    "exponent": "Tensor | Number",
    "value": "Tensor | Number | None",
    "fill_value": "Number",
    "scale": "Number | None",
    "k": "Number",
    "retain_graph": "_bool | None",
    "norm": "str | None",
    "rounding_mode": "str | None",
    "side": "str | None",
    "indexing": "str | None",
    "storage_offset": "_int | None",
    "hook": "Callable[..., Any]",
    "callable": "Callable[..., Any]",
    "distance_function": "Callable[[Tensor, Tensor], Tensor] | None",
    "padding_idx": "_int | None",
    "max_norm": "_float | None",
    "divisor_override": "_int | None",
    **dict.fromkeys("A B M LU LD LU_data LU_pivots pivots input3".split(), "Tensor"),
    **dict.fromkeys("ind N niter".split(), "_int"),
    "ord": "Number | str | None",
    "driver": "str | None",
    "rcond": "_float",
}
STARRED = {
    "size": INTS,
    "shape": INTS,
    "dims": INTS,
    "repeats": INTS,
    "shapes": INTS,
    "tensors": "Tensor | Sequence[Tensor]",
    "matrices": "Tensor",
}
# Where a name means something else in one function.
TYPES_IN = {
    ("full", "fill_value"): "Tensor | Number",
    ("tril_indices", "layout"): "_layout | None",
    ("one_hot", "tensor"): "Tensor",
    ("unflatten", "sizes"): "Sequence[_int]",
    ("unravel_index", "indices"): "Tensor",
    ("index_put", "indices"): "Sequence[Tensor | None]",
    ("index_put_", "indices"): "Sequence[Tensor | None]",
    ("tensor_split", "indices"): INTS + " | None",
    ("hsplit", "indices"): INTS + " | None",
    ("vsplit", "indices"): INTS + " | None",
    ("dsplit", "indices"): INTS + " | None",
    ("tensordot", "dims"): "Any",
    ("split", "split_size_or_sections"): INTS + " | None",
    ("embedding_bag", "indices"): "Tensor",
    ("to", "other"): "Tensor | None",
    ("max", "other"): "Tensor | None",
    ("polar", "abs"): "Tensor",
    ("isin", "elements"): "Tensor | Number",
    ("isin", "test_elements"): "Tensor | Number",
    ("searchsorted", "input"): "Tensor | Number",
    ("bucketize", "input"): "Tensor | Number",
    ("normal", "mean"): "Tensor | Number",
    ("normal", "std"): "Tensor | Number",
    ("bernoulli", "p"): "_float | None",
    ("bernoulli_", "p"): "Tensor | _float",
    ("fill", "value"): "Tensor | Number",
    ("fill_", "value"): "Tensor | Number",
    ("histogram", "bins"): "Any",
    ("histogramdd", "bins"): "Any",
    ("gather", "dim"): "_int",
    **{(name, "k"): "_int" for name in ("kthvalue", "topk", "rot90")},
    **{(name, "mask"): "Tensor" for name in ("masked_fill_", "masked_scatter_")},
    ("batch_norm", "running_mean"): "Tensor | None",
    ("batch_norm", "running_var"): "Tensor | None",
    ("gaussian_nll_loss", "var"): "Tensor | Number",
    ("result_type", "tensor1"): "Tensor | Number",
    ("result_type", "tensor2"): "Tensor | Number",
    ("from_numpy", "ndarray"): "np.ndarray",
    ("repeat_interleave", "repeats"): "Tensor | _int | None",
    ("repeat_interleave", "input"): "Tensor",
    ("cov", "correction"): "_int",
    ("where", "input"): "Tensor | Number",
    ("set_", "source"): "Any",
    ("frombuffer", "dtype"): "_dtype",
    ("empty_strided", "size"): "Sequence[_int]",
    ("meshgrid", "tensors"): "Tensor | Sequence[Tensor]",
    ("get_device", "input"): "Tensor",
    ("is_set_to", "tensor"): "Tensor",
    ("norm", "p"): "Number | str | None",
    ("vander", "x"): "Tensor",
    ("vecdot", "x"): "Tensor",
    ("svd_lowrank", "q"): "_int | None",
    **{("lobpcg", name): "Tensor | None" for name in ("B", "X", "iK")},
    ("lobpcg", "k"): "_int | None",
    ("lobpcg", "n"): "_int | None",
    ("lobpcg", "tol"): "_float | None",
    ("lobpcg", "largest"): "_bool | None",
    ("lobpcg", "method"): "str | None",
    ("pca_lowrank", "q"): "_int | None",
    ("lstsq", "b"): "Tensor",
    ("cond", "p"): "Number | str | None",
    **{(f, t): "Tensor | Number" for f in ("pinv", "matrix_rank") for t in ("atol", "rtol", "tol", "rcond")},
    ("roll", "dims"): INTS,
    ("map_", "tensor"): "Tensor",
    ("backward", "inputs"): "Any",
    **{(f"{kind}{name}", "s"): INTS + " | None" for kind in ("", "i", "r", "ir", "h", "ih") for name in ("fft2", "fftn")},
    ("fftfreq", "d"): "_float",
    **{(name, "n_fft"): "_int" for name in ("stft", "istft")},
    **{(name, p): "_int | None" for name in ("stft", "istft") for p in ("hop_length", "win_length", "length")},
    **{(name, p): "_bool | None" for name in ("stft", "istft") for p in ("onesided", "align_to_window")},
    ("stft", "return_complex"): "_bool | None",
    **{(name, "window"): "Tensor | None" for name in ("stft", "istft")},
    ("general_cosine", "a"): "Sequence[_float]",
    ("exponential", "center"): "_float | None",
    **{(f"{name}_window", "window_length"): "_int" for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")},
    ("rfftfreq", "d"): "_float",
}

BOOLS = """allclose equal is_complex is_conj is_contiguous is_distributed is_floating_point is_inference
    is_neg is_nonzero is_pinned is_same_size is_set_to
    is_shared is_signed is_storage is_tensor _is_view""".split()
WHOLE = "data_ptr dim element_size get_device ndimension nelement numel storage_offset".split()
TUPLES = """chunk unsafe_chunk dsplit gradient hsplit split split_with_sizes tensor_split unbind vsplit unbind_copy
    split_copy split_with_sizes_copy broadcast_tensors meshgrid unravel_index""".split()
MAXIMA = ("", "adaptive_", "fractional_")
RESULTS = {
    **dict.fromkeys(BOOLS, "_bool"),
    **dict.fromkeys(WHOLE, "_int"),
    **dict.fromkeys(TUPLES, "tuple[Tensor, ...]"),
    **dict.fromkeys(["std_mean", "var_mean"], "tuple[Tensor, Tensor]"),
    **{f"{kind}max_pool{n}d_with_indices": "tuple[Tensor, Tensor]" for kind in MAXIMA for n in (1, 2, 3)},
    **{f"{kind}max_pool{n}d": "Any" for kind in MAXIMA for n in (1, 2, 3)},
    **dict.fromkeys(["lstm_cell", "gru", "rnn_tanh", "rnn_relu"], "tuple[Tensor, Tensor]"),
    "lstm": "tuple[Tensor, Tensor, Tensor]",
    "lobpcg": "tuple[Tensor, Tensor]",
    **dict.fromkeys(["svd_lowrank", "pca_lowrank"], "tuple[Tensor, Tensor, Tensor]"),
    "multi_head_attention_forward": "tuple[Tensor, Tensor | None]",
    "histogramdd": "Any",
    "histogram": "Any",
    "atleast_1d": "Any",
    "atleast_2d": "Any",
    "atleast_3d": "Any",
    "embedding_bag": "Any",
    "lu": "Any",
    "unique": "Any",
    "unique_consecutive": "Any",
    "item": "Any",
    "tolist": "Any",
    "numpy": "np.ndarray",
    "dim_order": "tuple[_int, ...]",
    "broadcast_shapes": "Size",
    "result_type": "_dtype",
    "storage": "Any",
    "untyped_storage": "Any",
    "_typed_storage": "Any",
    "retain_grad": "None",
    "backward": "None",
    "register_hook": "Any",
    "register_post_accumulate_grad_hook": "Any",
    "as_subclass": "Any",
    "_make_subclass": "Any",
    "__array__": "np.ndarray",
    "__array_wrap__": "Any",
    "__bool__": "_bool",
    "__complex__": "_complex",
    "__contains__": "_bool",
    "__deepcopy__": "Self",
    "__dlpack__": "Any",
    "__dlpack_device__": "tuple[_int, _int]",
    "__float__": "_float",
    "__format__": "str",
    "__index__": "_int",
    "__int__": "_int",
    "__iter__": "Iterator[Tensor]",
    "__len__": "_int",
    "__reduce_ex__": "Any",
    "__repr__": "str",
    "__setitem__": "None",
    "__setstate__": "None",
    "requires_grad_": "Self",
    "_bump": "None",
    "_cell": "list[Any]",
    "_made_by": "str",
    "_rare": "Rare",
    "_set_requires_grad": "None",
}

# Functions that return one thing or another: their forms, without the first parameter.
_DIM = "dim: _int, keepdim: _bool = False"
FORMS = {
    **{
        name: [
            ("", "Tensor"),
            (f"{_DIM}, *, out: Any = None", f"_{name}"),
            ("other: Tensor, *, out: Tensor | None = None", "Tensor"),
        ]
        for name in ("max", "min")
    },
    **{
        name: [("", "Tensor"), (f"{_DIM}, *, out: Any = None", f"_{name}")]
        for name in ("median", "nanmedian")
    },
    "nonzero": [
        ("*, out: Tensor | None = None, as_tuple: Literal[False] = False", "Tensor"),
        ("*, as_tuple: Literal[True]", "tuple[Tensor, ...]"),
    ],
    "size": [("dim: None = None", "Size"), ("dim: _int", "_int")],
    "stride": [("dim: None = None", "tuple[_int, ...]"), ("dim: _int", "_int")],
    "type": [
        ("dtype: None = None", "str"),
        ("dtype: _dtype | str | type, non_blocking: _bool = False", "Tensor"),
    ],
}
PROPERTIES = {
    "shape": "Size",
    "dtype": "_dtype",
    "device": "_device",
    "layout": "_layout",
    "name": "str | None",
    "grad_fn": "Any",
    "grad_dtype": "_dtype | None",
    "_backward_hooks": "Any",
    "grad": "Tensor | None",
    **dict.fromkeys("H T mH mT real imag data".split(), "Tensor"),
    **dict.fromkeys("ndim itemsize nbytes output_nr _version".split(), "_int"),
    **dict.fromkeys("is_leaf requires_grad retains_grad".split(), "_bool"),
}
IN_PLACE = {f"__i{n}__" for n in "add sub mul truediv floordiv mod pow and or xor lshift rshift div".split()}
# Functions of the settings and the generator, which the public page takes from modules without annotations.
TAKEN_FROM = ("dtypes", "random", "settings")
TYPES |= {
    "seed": "_int",
    "n": "_int",
    "new_state": "Tensor",
    "mode": "_bool",
    "debug_mode": "_int | str",
    "precision": "str",
    "t": "type | str",
    "d": "_dtype",
    **dict.fromkeys(("type1", "type2", "from_", "to"), "_dtype"),
}
RESULTS |= {
    **dict.fromkeys(
        """are_deterministic_algorithms_enabled can_cast is_anomaly_check_nan_enabled
        is_anomaly_enabled""".split(),
        "_bool",
    ),
    **dict.fromkeys(
        """get_deterministic_debug_mode get_num_interop_threads get_num_threads initial_seed
        seed""".split(),
        "_int",
    ),
    **dict.fromkeys(
        """set_default_device set_default_dtype set_default_tensor_type set_deterministic_debug_mode
        set_float32_matmul_precision set_num_interop_threads set_num_threads set_rng_state
        use_deterministic_algorithms""".split(),
        "None",
    ),
    **dict.fromkeys(("get_float32_matmul_precision", "typename"), "str"),
    **dict.fromkeys(("get_default_dtype", "promote_types"), "_dtype"),
    "manual_seed": "Generator",
    "get_rng_state": "Tensor",
    "fork_rng": "AbstractContextManager[None]",
    "get_default_device": "_device",
}
SAMPLERS = {"normal_", "uniform_", "log_normal_", "exponential_", "cauchy_", "geometric_", "random_"}


# ---------------------------------------------------------------- one function


class Parameter:
    """One parameter as it will be written."""

    def __init__(self, name: str, kind: Any, type: str, default: str | None) -> None:
        self.name, self.kind, self.type, self.default = name, kind, type, default

    def __str__(self) -> str:
        star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(self.kind, "")
        return f"{star}{self.name}: {self.type}" + ("" if self.default is None else f" = {self.default}")


def written(function: Any) -> Any:
    """The function with its code: those that are written on first call are called, without arguments; a short
    way stands for the function that it passes on to."""
    while hasattr(getattr(function, "__wrapped__", None), "op"):
        function = function.__wrapped__
    if function.__code__ is generate._first_call.__code__:
        try:
            function()
        except Exception:  # of whatever kind: it lacks its arguments, and is written now
            assert function.__code__ is not generate._first_call.__code__
    return function


def base_of(name: str) -> Any:
    """What ``name_`` or ``name_copy`` is made from, which has the parameters that its twin passes on."""
    for ending in ("_", "_copy"):
        short = name.removesuffix(ending)
        if short != name:
            found = table.OPS.get(short)
            if found is not None:
                return found.public
            for owner in (*table.namespaces.values(), vars(Tensor)):
                if inspect.isfunction(owner.get(short)):
                    return owner[short]
    return None


def signature_of(name: str, function: Any) -> tuple[list[inspect.Parameter], Any]:
    """(parameters, the operator or None) of a public function."""
    op = getattr(function, "op", None)
    params = list(inspect.signature(written(function), follow_wrapped=op is None).parameters.values())
    kinds = [p.kind for p in params]
    passes_on = inspect.Parameter.VAR_POSITIONAL in kinds and inspect.Parameter.VAR_KEYWORD in kinds
    base = base_of(name) if passes_on and name not in SAMPLERS else None
    if base is not None:
        mine = {p.name: p for p in params}
        params, op = signature_of(name.rstrip("_"), base)
        params = [p for p in params if p.name not in ("out", "axis", "keepdims") or p.name in mine]
        if "out" in mine and not any(p.name == "out" for p in params):
            params.append(mine["out"])
    return [p for p in params if p.name not in ("_name", "_caller", "_devices_kw")], op


def default_text(value: Any) -> str | None:
    if value is inspect.Parameter.empty:
        return None
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if abs(value) != float("inf") and value == value else "..."
    if value == ():
        return "()"
    return "..."


def type_of(name: str, p: inspect.Parameter, op: Any) -> str:
    """The type of a parameter of function ``name``."""
    starred = p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    if starred:
        return STARRED.get(p.name, "Any") if p.kind is p.VAR_POSITIONAL else "Any"
    if p.annotation is not p.empty and isinstance(p.annotation, str) and op is None:
        return "Any"
    found = TYPES_IN.get((name, p.name))
    if found is None and op is not None and p.name in op.names:
        kind = op.params[op.names.index(p.name)].kind
        found = {
            "tensor": "Tensor",
            "optional": "Tensor | None",
            "list": TENSORS,
            "operand": "Tensor | Number",
        }.get(kind)
    if found is None and p.name in ("dim", "axis"):
        if isinstance(p.default, int):
            found = "_int"
        else:
            found = INTS + (" | None" if p.default is None else "")
    if found is None and isinstance(p.default, (bool, str)):
        found = "_bool" if isinstance(p.default, bool) else "str"
    if found is None:
        found = TYPES.get(p.name)
    if found is None and isinstance(p.default, (int, float)):
        found = "Number"
    if found == "_bool" and type(p.default) is int:
        found = "_int"
    if found is None:
        return "Any"
    if p.default is None and "None" not in found and found not in ("Any", "_Device"):
        found += " | None"
    return found


def parameters_of(name: str, function: Any) -> list[Parameter]:
    params, op = signature_of(name, function)
    made = [Parameter(p.name, p.kind, type_of(name, p, op), default_text(p.default)) for p in params]
    if hasattr(function, "returns"):
        for p in made:
            if p.name == "out":
                p.type = f"{TENSORS} | None"
    return made


def result_of(name: str, function: Any) -> str:
    """What a public function returns."""
    if name in IN_PLACE or name.endswith("_") and not name.startswith("__"):
        return RESULTS.get(name, "Tensor")
    if hasattr(function, "returns"):
        return f"_{function.returns.__name__}"
    if name in RESULTS:
        return RESULTS[name]
    op = getattr(function, "op", None)
    if op is not None and op.multiple:
        return f"_{op.name}" if op.returns is not None else "tuple[Tensor, ...]"
    return "Tensor"


def comma_list(parts: list[Parameter]) -> list[str]:
    """Parameters as text, with the bare star where keyword-only ones begin; defaults follow a default."""
    texts: list[str] = []
    star = optional = False
    for p in parts:
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            star = True
        elif p.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            texts.append("*")
            star = True
        elif p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            if optional and p.default is None:
                p.default = "..."
            optional |= p.default is not None
        texts.append(str(p))
    return texts


def definition(
    name: str, texts: list[str], result: str, doc: str | None, indent: str, marks: tuple[str, ...] = ()
) -> str:
    """A ``def`` of a stub, on one line where it fits."""
    note = ""
    if name in ("__eq__", "__ne__"):
        note = "  # type: ignore[override]"
    elif name in IN_PLACE and name != "__idiv__":
        note = "  # type: ignore[misc]"
    line = f"{indent}def {name}({', '.join(texts)}) -> {result}:"
    if len(line) + len(note) + 4 > WIDTH:
        inner = f"{indent}    " + ", ".join(texts) + ","
        if len(inner) > WIDTH or "*" in texts[-1:]:
            inner = "\n".join(f"{indent}    {t}," for t in texts)
        line = f"{indent}def {name}(\n{inner}\n{indent}) -> {result}:"
    head = "".join(f"{indent}@{m}\n" for m in marks)
    if doc:
        return f'{head}{line}{note}\n{indent}    """{doc}"""\n'
    return f"{head}{line} ...{note}\n"


def first_line(function: Any, indent: str) -> str | None:
    """The first sentence of a docstring, if it fits on its line."""
    doc = inspect.cleandoc(function.__doc__ or "")
    line = re.split(r"\n\s*\n", doc)[0].replace("\n", " ").strip()
    if len(line) + len(indent) + 10 > WIDTH:
        line = re.split(r"(?<=[.;:])\s", line)[0].rstrip(";:")
        line += "" if line.endswith(".") else "."
    if (
        not line
        or "\\" in line
        or '"""' in line
        or line.endswith('"')
        or len(line) + len(indent) + 10 > WIDTH
    ):
        return None
    return line


def function_text(name: str, function: Any, indent: str = "", method: bool = False) -> str:
    """Everything a stub says of one function."""
    doc = first_line(function, indent)
    parts = parameters_of(name, function)
    if method:
        parts[0] = Parameter("self", inspect.Parameter.POSITIONAL_ONLY, "", None)
    texts = comma_list(parts)
    if method:
        texts[0] = "self"
    if name == "where":
        forms = (
            [
                ("", "tuple[Tensor, ...]"),
                ("input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None", "Tensor"),
            ]
            if not method
            else None
        )
    else:
        forms = FORMS.get(name) if function.__module__ != masked.__name__ else None  # its median returns no indices
    if forms is None:
        return definition(name, texts, result_of(name, function), doc, indent)
    made = []
    for form, result in forms:
        rest = [form] if form else []
        made.append(
            definition(name, [texts[0], *rest], result, doc if not made else None, indent, ("overload",))
        )
    return "".join(made)


# ---------------------------------------------------------------- tensor.pyi


def returned() -> list[Any]:
    """The named tuples that operators and functions over operators return."""
    functions = [f for space in table.namespaces.values() for f in space.values()]
    composites = [f.returns for f in functions if hasattr(f, "returns")]
    return [op.returns for op in table.OPS.values() if op.returns is not None] + composites


def return_classes() -> str:
    """The named tuples that operators return."""
    found = {r.__name__: r._fields for r in returned()}
    return "".join(
        f"class _{name}(NamedTuple):\n" + "".join(f"    {f}: Tensor\n" for f in fields) + "\n"
        for name, fields in sorted(found.items())
    )


def method_text(name: str, function: Any, indent: str = "    ") -> str:
    if name in IN_PLACE:
        return definition(name, ["self", "other: Any"], "Self", None, indent)
    if name in ("__eq__", "__ne__"):
        return definition(name, ["self", "other: Any"], "Tensor", None, indent)
    if name in ("__iter__", "__getitem__", "__setitem__", "__contains__", "__format__"):
        names = [p.name for p in inspect.signature(function).parameters.values()][1:]
        return definition(
            name, ["self", *(f"{n}: Any" for n in names)], RESULTS.get(name, "Tensor"), None, indent
        )
    return function_text(name, function, indent, method=True)


# Members of Tensor that are spelled out below, or that every class has.
BY_HAND = """__module__ __dict__ __weakref__ __slots__ __doc__ __hash__ __init_subclass__ __new__
    __init__""".split()


def class_tensor() -> str:
    """Tensor: attributes, then methods, by name."""
    attributes, methods = [], []
    for name in sorted(dir(Tensor), key=str.lower):
        value = inspect.getattr_static(Tensor, name)
        if value is inspect.getattr_static(object, name, None) or name in BY_HAND:
            continue
        if isinstance(value, property):
            type = PROPERTIES.get(name, "Any")
            if value.fset is not None:
                attributes.append(f"    {name}: {type}\n")
            else:
                attributes.append(f"    @property\n    def {name}(self) -> {type}: ...\n")
        elif isinstance(value, staticmethod):
            texts = comma_list(parameters_of(name, value.__func__))
            methods.append(definition(name, texts, RESULTS.get(name, "Any"), None, "    ", ("staticmethod",)))
        elif isinstance(value, classmethod):
            methods.append(f"    @classmethod\n    def {name}(cls, *args: Any, **kwargs: Any) -> Any: ...\n")
        elif inspect.isfunction(value):
            methods.append(method_text(name, value))
        elif inspect.ismemberdescriptor(value):
            attributes.append(f"    {name}: Any\n")
        else:
            attributes.append(f"    {name}: {PROPERTIES.get(name) or '_' + value.__class__.__name__}\n")
    doc = first_line(Tensor, "    ")
    start = [
        "class Tensor:\n",
        f'    """{doc}"""\n\n' if doc else "",
        "    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...\n",
        "    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n",
        "    def __hash__(self) -> _int: ...\n",
    ]
    return "".join([*start, *attributes, *methods])


def helper_definition(node: ast.FunctionDef) -> str:
    """A function of tensor.py that the rest of the package imports; its types are not told."""
    optional = len(node.args.args) - len(node.args.defaults)
    texts = [f"{a.arg}: Any" + (" = ..." if i >= optional else "") for i, a in enumerate(node.args.args)]
    assert not node.args.kwonlyargs and not node.args.vararg
    known = {"wrap": "Tensor", "describe_place": "str | None"}
    return definition(node.name, texts, known.get(node.name, "Any"), None, "")


def tensor_page() -> str:
    """tensor.pyi: Size, Tensor, and the helpers that other modules take from here."""
    tree = ast.parse((SOURCE / "rushlight" / "tensor.py").read_text())
    helpers = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    head = (
        HEADER.format(what="Types of ``Tensor``.")
        + "import builtins\n"
        + "from collections.abc import Callable, Iterator, Sequence\n"
        + "from typing import Any, Literal, NamedTuple, Self, TypeAlias, overload\n\n"
        + "import numpy as np\n\n"
        + "from .device import device as _device\n"
        + "from .dtypes import dtype as _dtype\n"
        + "from .layout import layout as _layout\n"
        + "from .layout import memory_format as _memory_format\n"
        + "from .random import Generator\n\n"
        + "".join(f"_{n}: TypeAlias = builtins.{n}\n" for n in ("bool", "int", "float", "complex"))
        + "Number: TypeAlias = builtins.int | builtins.float | builtins.complex | builtins.bool\n"
        + "_Device: TypeAlias = _device | str | builtins.int | None\n"
        + "_PACKAGE: str\n"
        + "modes_know_subclasses: list[_bool]\n\n"
    )
    size = (
        "class Size(tuple[_int, ...]):\n"
        + f'    """{first_line(rushlight.Size, "    ")}"""\n\n'
        + "    def __new__(cls, sizes: Sequence[_int] = ()) -> Self: ...\n"
        + definition("numel", ["self"], "_int", first_line(rushlight.Size.numel, "    "), "    ")
        + "    @overload  # type: ignore[override]\n"
        + "    def __getitem__(self, index: _int) -> _int: ...\n"
        + "    @overload\n"
        + "    def __getitem__(self, index: slice) -> Size: ...\n"
        + "    def __add__(self, other: tuple[_int, ...]) -> Size: ...  # type: ignore[override]\n"
        + "    def __radd__(self, other: tuple[_int, ...]) -> Size: ...\n"
        + "    def __mul__(self, n: Any) -> Size: ...\n\n"
    )
    rest = (
        "class Rare:\n    def __getattr__(self, name: str) -> Any: ...\n"
        + "    def __setattr__(self, name: str, value: Any) -> None: ...\n\n"
        + "class DisableTorchFunctionSubclass:\n    before: _bool\n    def __enter__(self) -> None: ...\n"
        + "    def __exit__(self, *_: object) -> None: ...\n\n"
    )
    return (
        head
        + size
        + return_classes()
        + class_tensor()
        + "\n"
        + rest
        + "".join(map(helper_definition, helpers))
    )


# ---------------------------------------------------------------- the public page, and nn.functional


class Imports:
    """The imports at the head of a page, sorted as ruff sorts them."""

    def __init__(self, dots: str, body: str) -> None:
        self.dots, self.body = dots, body
        self.entries: set[tuple[str, str, str | None]] = set()
        for module, name in (
            ("device", "device"),
            ("dtypes", "dtype"),
            ("layout", "layout"),
            ("layout", "memory_format"),
        ):
            if self.mentions("_" + name):
                self.add(module, name, "_" + name)
        for name in [*(f"_{r.__name__}" for r in returned()), "Number", "Size", "Tensor", "_Device", "_bool", "_complex", "_float", "_int"]:
            if self.mentions(name):
                self.add("tensor", name)
        if self.mentions("Generator"):
            self.add("random", "Generator")

    def mentions(self, name: str) -> bool:
        return re.search(rf"(?<![\w.]){name}\b", self.body) is not None

    def add(self, module: str, name: str, known_as: str | None = None) -> None:
        self.entries.add((module, name, known_as))

    def publish(self, module: str, name: str) -> None:
        """Import a name under its own name, which says that the page offers it."""
        self.entries.discard((module, name, None))
        self.add(module, name, name)

    def __str__(self) -> str:
        lines = []
        for module, names in (
            ("collections.abc", ["Callable", "Sequence"]),
            ("contextlib", ["AbstractContextManager"]),
            ("typing", ["Any", "Literal", "overload"]),
        ):
            found = [n for n in names if self.mentions(n)]
            if found:
                lines.append(f"from {module} import {', '.join(found)}")
        if self.mentions("np"):
            lines += ["", "import numpy as np"]
        lines.append("")
        for module in sorted({m for m, _, _ in self.entries}):
            plain = sorted((n for m, n, known in self.entries if m == module and known is None), key=_order)
            line = f"from {self.dots}{module} import {', '.join(plain)}"
            if len(line) > WIDTH:
                line = f"from {self.dots}{module} import (\n" + "".join(f"    {n},\n" for n in plain) + ")"
            made = [(plain[0], "", line)] if plain else []
            for name, known in [(n, known) for m, n, known in self.entries if m == module and known is not None]:
                made.append((name, known, f"from {self.dots}{module} import {name} as {known}"))
            lines += [line for *_, line in sorted(made, key=lambda m: (_order(m[0]), _order(m[1])))]
        return "\n".join(lines) + "\n"


def _order(name: str) -> tuple:
    """Constants, classes, then the rest; numbers in names by their value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name.lower())]


def page_of_functions(module: Any) -> str:
    """The stub of a page that is nothing but functions, such as ``nn.functional``."""
    functions = [(n, getattr(module, n)) for n in module.__all__]
    body = "\n".join(function_text(n, f) for n, f in functions if inspect.isfunction(f))
    for name, error in functions:
        if isinstance(error, type) and error is not Tensor:
            body = f'class {name}({error.__base__.__name__}):\n    """{first_line(error, "    ")}"""\n\n{body}'
    place = module.__name__.removeprefix("rushlight.")
    dots = "." * (1 + place.count("."))
    imports = Imports(dots, body)
    if ("Tensor", Tensor) in functions:
        imports.publish("tensor", "Tensor")
    return HEADER.format(what=f"Types of ``{place}``.") + str(imports) + "\n" + body


def public_page() -> str:
    """__init__.pyi: what ``__init__`` imports and assigns, modules loaded on request, the operators."""
    tree = ast.parse((SOURCE / "rushlight" / "__init__.py").read_text())
    operators = table.namespaces["torch"]
    lines = []
    for name in assigned(tree):
        value = getattr(rushlight, name)
        known = {rushlight.dtype: "_dtype", str: "str", float: "_float", type(None): "None"}
        if not isinstance(value, type):
            lines.append(f"{name}: {known[type(value)]}\n")
    for name, value in operators.items():
        if not inspect.isfunction(value) and not isinstance(value, type):
            named = type(value).__name__
            lines.append(f"{name}: {'_' + named if named in ('layout', 'memory_format') else 'Any'}\n")
    functions = {n: f for n, f in operators.items() if inspect.isfunction(f)}
    published = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            for name in (a.name for a in node.names if not (a.asname or a.name).startswith("_")):
                value = getattr(rushlight, name)
                if node.module in TAKEN_FROM and inspect.isfunction(value):
                    functions[name] = value
                else:
                    published.append((node.module, name))
    body = "".join(lines) + "\n" + "\n".join(function_text(n, f) for n, f in sorted(functions.items()))
    imports = Imports(".", body)
    for module, name in published:
        imports.publish(module, name)
    imports.publish("device", "device")
    for name in ("layout", "memory_format"):
        if name in operators:
            imports.publish("layout", name)
    for module in rushlight._MODULES:
        if module_exists(module):
            imports.publish("", module)
    return HEADER.format(what="Types of the public page.") + str(imports) + "\n" + body


def assigned(tree: ast.Module) -> list[str]:
    """The public names that a module assigns, and its version."""
    names = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            first = node.targets[0]
            targets = first.elts if isinstance(first, ast.Tuple) else node.targets
            names += [t.id for t in targets if isinstance(t, ast.Name)]
    return [n for n in names if not n.startswith("_") or n == "__version__"]


def module_exists(name: str) -> bool:
    path = SOURCE / "rushlight" / name
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


# ---------------------------------------------------------------- all of it


def pages() -> dict[pathlib.Path, str]:
    """Each stub file and its text."""
    package = SOURCE / "rushlight"
    for family in {*asked.FUNCTIONS.values()}:
        asked.load(family)
    return {
        package / "__init__.pyi": public_page(),
        package / "tensor.pyi": tensor_page(),
        package / "nn" / "functional.pyi": page_of_functions(functional),
        package / "fft.pyi": page_of_functions(fft),
        package / "linalg.pyi": page_of_functions(linalg),
        package / "special.pyi": page_of_functions(special),
        package / "masked.pyi": page_of_functions(masked),
        package / "signal" / "windows.pyi": page_of_functions(windows),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the stubs from the operators themselves.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if a file would change"
    )
    check = parser.parse_args().check
    stale = []
    for path, text in pages().items():
        if not path.exists() or path.read_text() != text:
            stale.append(path)
            if not check:
                path.write_text(text)
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is not what the operators say' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
