"""The operators that optimizers are written with, by their public names, from the table that ``ops`` fills."""

from rushlight import ops  # noqa: F401  (declares the operators)
from rushlight.ops.table import namespaces

_torch = namespaces["torch"]

addmm = _torch["addmm"]
amax = _torch["amax"]
as_tensor = _torch["as_tensor"]
cat = _torch["cat"]
full = _torch["full"]
full_like = _torch["full_like"]
maximum = _torch["maximum"]
tensor = _torch["tensor"]
view_as_real = _torch["view_as_real"]
zeros_like = _torch["zeros_like"]
