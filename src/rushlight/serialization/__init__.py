"""Saving and loading: PyTorch's files, in both directions.

``save`` writes what ``torch.load`` reads, and ``load`` reads what ``torch.save`` wrote, byte for byte in the same
format. The way of a file:

    writing   an object -> a pickle, and the storages that it mentions
    names     PyTorch's names in the pickle <-> rushlight's classes and functions
    archive   records in a zip archive, each with a checksum
    atomic    the file appears in one step, or not at all
    reading   archive or old stream -> pickle -> object; where storages go is up to ``locations``
    weights   the unpickler that can only build data: the default
    rebuild   tensors over memory, after their numbers have been checked

PyTorch's documentation for these names holds here too.
"""

from ..compat import absent as _absent
from .helpers import (
    check_module_version_greater_or_equal,
    mkdtemp,
    normalize_storage_type,
    validate_cuda_device,
    validate_hpu_device,
)
from .locations import default_restore_location, location_tag, register_package
from .options import (
    LoadEndianness,
    SourceChangeWarning,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from .reading import get_unsafe_globals_in_checkpoint, load
from .rebuild import StorageType
from .weights import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .writing import DEFAULT_PROTOCOL, MAGIC_NUMBER, PROTOCOL_VERSION, save

__all__ = [
    "save",
    "load",
    "StorageType",
    "SourceChangeWarning",
    "LoadEndianness",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "register_package",
    "mkdtemp",
    "check_module_version_greater_or_equal",
    "normalize_storage_type",
    "validate_cuda_device",
    "validate_hpu_device",
    "location_tag",
    "default_restore_location",
    "skip_data",
    "get_crc32_options",
    "set_crc32_options",
    "get_default_load_endianness",
    "set_default_load_endianness",
    "get_default_mmap_options",
    "set_default_mmap_options",
    "DEFAULT_PROTOCOL",
    "MAGIC_NUMBER",
    "PROTOCOL_VERSION",
]


def __getattr__(name: str) -> object:
    raise _absent.missing(__name__, name)
