"""The operators that layers, initialisers and optimizers are written with, by their public names.

They are taken from the table that ``ops`` fills, so this package does not depend on which family declares
which.
"""

from rushlight import ops  # noqa: F401  (declares the operators)
from rushlight.ops.table import namespaces

_torch = namespaces["torch"]

cat = _torch["cat"]
empty = _torch["empty"]
empty_like = _torch["empty_like"]
eye = _torch["eye"]
from_numpy = _torch["from_numpy"]
maximum = _torch["maximum"]
ones = _torch["ones"]
randperm = _torch["randperm"]
tensor = _torch["tensor"]
view_as_real = _torch["view_as_real"]
where = _torch["where"]
zeros = _torch["zeros"]
zeros_like = _torch["zeros_like"]
