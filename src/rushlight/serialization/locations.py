"""Devices in files: each storage carries a tag, and whoever loads it may want it elsewhere.

rushlight has the CPU. A tag that names another device is refused with PyTorch's sentence, unless ``map_location``
sends it to the CPU. ``register_package`` adds tags of one's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..device import check, device
from ..ops.storage import TypedStorage, UntypedStorage

__all__ = ["default_restore_location", "location_tag", "register_package", "restorer"]

_registry: list[tuple[int, Any, Any]] = []


def register_package(priority: int, tagger: Callable[[Any], Any], deserializer: Callable[[Any, str], Any]) -> None:
    """Add a way to tag storages and to bring tagged ones back.

    Args:
        priority: lower ones are asked first; the CPU has 10.
        tagger: takes a storage, returns its tag or None.
        deserializer: takes a storage and a tag, returns a storage or None.
    """
    _registry.append((priority, tagger, deserializer))
    _registry.sort(key=lambda entry: entry[0])


def location_tag(storage: Any) -> str:
    """The tag of a storage: ``"cpu"``, or what a registered tagger says."""
    for _, tagger, _ in _registry:
        tag = tagger(storage)
        if tag:
            return str(tag)
    raise RuntimeError(f"don't know how to determine data location of {_typename(storage)}\nRegister a tagger for it.")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage at the place that its tag names.

    RuntimeError if nobody knows the tag, or it is a device that does not exist here.
    """
    for _, _, deserializer in _registry:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        f"don't know how to restore data location of {_typename(storage)} (tagged with {location})\nPass map_location='cpu'."
    )


def _typename(storage: Any) -> str:
    return f"torch.storage.{type(storage).__name__}"


def _cpu_tag(storage: Any) -> str | None:
    return "cpu" if storage.device.type == "cpu" else None


def _no_tag(storage: Any) -> None:
    return None


def _to_cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


_ADVICE = (
    "If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') "
    "to map your storages to the CPU."
)


def _absent_device(storage: Any, location: str) -> None:
    """Refuse the tags of devices that PyTorch knows, each with its sentence."""
    if location == "meta":
        check("meta")
    if location.startswith("mps"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: mps\n{_ADVICE}")
    kind = re.match(r"(cuda|xpu|mtia|hpu|privateuse1|privateuseone)(?=:|[0-9]|$)", location)
    if kind is None:
        return
    name = kind[1].upper()
    if kind[1] in ("hpu", "privateuse1", "privateuseone"):
        raise RuntimeError(f"The {name} device module is not registered. {_ADVICE}")
    raise RuntimeError(
        f"Attempting to deserialize object on a {name} device but torch.{kind[1]}.is_available() is False. {_ADVICE}"
    )


register_package(10, _cpu_tag, _to_cpu)
register_package(20, _no_tag, _absent_device)


def restorer(map_location: Any) -> Callable[[Any, str], Any]:
    """What ``map_location`` (None, a tag, a device, a dict of tags, or a function) does with (storage, tag)."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, bytes):
        map_location = map_location.decode("ascii")
    if isinstance(map_location, (str, device)):
        place = str(map_location)
        return lambda storage, location: default_restore_location(storage, place)
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if not callable(map_location):
        raise TypeError(
            f"map_location must be a string, a torch.device, a dict or a function, not {type(map_location).__name__}\nPass 'cpu'."
        )

    def restore(storage: Any, location: str) -> Any:
        result = map_location(storage, location)
        if result is None:
            return default_restore_location(storage, location)
        if isinstance(result, TypedStorage):
            return result._untyped_storage
        if not isinstance(result, UntypedStorage):
            raise TypeError(f"map_location returned {type(result).__name__}\nReturn a storage, or None.")
        return result

    return restore
