"""The zip archive that a checkpoint is: written as PyTorch writes it, read with suspicion.

The records are stored, not compressed, and the data of each begin at a multiple of 64 bytes, so that they can
be mapped into memory. The padding that brings this about stands in an extra field named ``FB``. A record is
followed by a descriptor with its CRC and its size, and the local header in front of it has zeros there. The
writer gives these very bytes: two programs that save the same thing differ in the serialization id only.

A zip archive says most things twice, in front of a record and in the directory at the end. Here the two
accounts have to agree, records may not overlap, the directory has to end where the file ends, and the CRC of a
record is compared before its bytes are used. So a flipped bit, a cut or a splice is met here, and the error
names the part. What carries no meaning (dates, padding, the descriptors) may differ.

Texts of errors begin as PyTorch's reader begins them.
"""

from __future__ import annotations

import hashlib
import io
import struct
import sys
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np

__all__ = ["Reader", "Record", "Writer"]

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")

_FULL = 0xFFFFFFFF  # in a 32-bit field: the value stands in a 64-bit one
LIMIT = _FULL  # from here on it does
_STORED, _DEFLATED = 0, 8
_HAS_DESCRIPTOR, _UTF8 = 0x0008, 0x0800

# A compressed archive (PyTorch writes none) may grow by this factor, or up to this many bytes.
_GROWTH, _SMALL = 200, 64 << 20

_DAMAGED = (
    " This is an internal miniz error. If you are seeing this error, there is a high likelihood that your "
    "checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred "
    "incorrectly, or the file was modified after saving."
)
_VERSION = b"3\n"
_OLDEST, _NEWEST = 1, 10


def _narrow(value: int) -> int:
    return value if value < LIMIT else _FULL


class Writer:
    """Writes records, and the directory when it is closed.

    Args:
        write: takes bytes.
        name: the folder that all records stand in.
        with_crc: False leaves the checksums out (zeros), as PyTorch does on request.
        alignment: what the data of a record begin at a multiple of.
    """

    def __init__(self, write: Callable[[Any], Any], name: str, with_crc: bool = True, alignment: int = 64):
        self._write, self._name, self._with_crc, self._alignment = write, name, with_crc, alignment
        self._at = 0
        self._directory: list[bytes] = []
        self._names: list[str] = []
        self._sum = hashlib.blake2b(digest_size=8)

    def _put(self, data: Any) -> None:
        self._write(data)
        self._at += len(data)

    def record(self, name: str, data: Any) -> None:
        """Write one record; ``data`` is bytes or a flat view of bytes."""
        size, start = len(data), self._at
        path = f"{self._name}/{name}".encode()
        crc = zlib.crc32(data) if self._with_crc else 0
        self._sum.update(struct.pack("<Lq", crc, size))
        flags = _UTF8 | (_HAS_DESCRIPTOR if size else 0)
        wide = [n for n in (size, size, start) if n >= LIMIT]
        extra = struct.pack(f"<2H{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        room = start + _LOCAL.size + len(path) + len(extra) + 4
        padding = -room % self._alignment
        self._put(_LOCAL.pack(b"PK\3\4", 0, flags, _STORED, 0, 0, 0, 0, 0, len(path), len(extra) + 4 + padding))
        self._put(path + extra + b"FB" + struct.pack("<H", padding) + b"Z" * padding)
        if size:
            self._put(data)
            self._put(struct.pack("<4sL2Q" if wide else "<4s3L", b"PK\7\x08", crc, size, size))
        head = _CENTRAL.pack(b"PK\1\2", 0, 0, flags, _STORED, 0, 0, crc, _narrow(size), _narrow(size), len(path),
                             len(extra), 0, 0, 0, 0, _narrow(start))  # fmt: skip
        self._directory.append(head + path + extra)
        self._names.append(name)

    def close(self) -> None:
        """Write the version, the id and the directory."""
        self.record("version", _VERSION)
        if "byteorder" not in self._names:
            self.record("byteorder", sys.byteorder.encode())
        self.record(".data/serialization_id", self._identity())
        start, count = self._at, len(self._directory)
        for entry in self._directory:
            self._put(entry)
        size, end = self._at - start, self._at
        self._put(_END64.pack(b"PK\6\6", 44, 0x031E, 45, 0, 0, count, count, size, start))
        self._put(_LOCATOR.pack(b"PK\6\7", 0, end, 1))
        few = min(count, 0xFFFF)
        self._put(_END.pack(b"PK\5\6", 0, 0, few, few, _narrow(size), _narrow(start), 0))

    def _identity(self) -> bytes:
        """Forty digits: half from the names of the records, half from their contents."""
        names = hashlib.blake2b("\0".join(sorted(self._names)).encode(), digest_size=8).digest()
        return b"".join(b"%020d" % int.from_bytes(half, "little") for half in (names, self._sum.digest()))


class Record(NamedTuple):
    """What the directory says of one record."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    header: int
    start: int  # where its data begin


class Reader:
    """The records of an archive that lies in a file from its present position to its end.

    Args:
        file: has ``read``, ``seek`` and ``tell``.

    Raises:
        RuntimeError: the file is no archive, is cut off, or contradicts itself; the message names the part.
    """

    def __init__(self, file: Any):
        self._file = file
        self._base = file.tell()
        self._end = file.seek(0, io.SEEK_END)
        if self._end is None:
            self._end = file.tell()
        self._end -= self._base
        self._records: dict[str, Record] = {}
        self._open()
        self._check_version()

    # ---- asking ----

    def names(self) -> list[str]:
        """The names of all records, without the folder."""
        return list(self._records)

    def __contains__(self, name: str) -> bool:
        return name in self._records

    def find(self, name: str) -> Record:
        """What is known of a record; RuntimeError if there is none of this name."""
        try:
            return self._records[name]
        except KeyError:
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {name}: file not found\n"
                f"The archive has no record {name!r}: the file is incomplete or was changed."
            ) from None

    def offset(self, record: Record) -> int:
        """Where the data of a record begin, from the beginning of the file."""
        if record.method != _STORED:
            self._refuse(record.name, "it is compressed, and only stored records can be mapped")
        return self._base + record.start

    def read(self, name: str) -> bytes:
        """The bytes of a record, compared with its checksum."""
        return self.array(self.find(name)).tobytes()

    def array(self, record: Record) -> np.ndarray:
        """The bytes of a record as a new array, compared with its checksum."""
        data = np.empty(record.size, np.uint8)
        if record.method == _STORED:
            self._fill(record, data)
        else:
            self._inflate(record, data)
        # A zero stands for no checksum: PyTorch writes it under set_crc32_options(False).
        if record.size and record.crc and zlib.crc32(data.data) != record.crc:
            self._refuse(record.name, f"its bytes do not match its CRC {record.crc:#010x}: it was changed or damaged")
        return data

    # ---- reading ----

    def _refuse(self, name: str, why: str) -> NoReturn:
        raise RuntimeError(f"PytorchStreamReader failed reading file {name}: file read failed\nRecord {name!r}: {why}.")

    def _reject(self, why: str) -> NoReturn:
        raise RuntimeError(
            f"PytorchStreamReader failed reading zip archive: failed finding central directory.{_DAMAGED}\n"
            f"The file has {self._end} bytes: {why}."
        )

    def _bytes(self, start: int, size: int) -> bytes:
        if start < 0 or size < 0 or start + size > self._end:
            return b""
        self._file.seek(self._base + start)
        parts, wanted = [], size
        while wanted:
            part = self._file.read(wanted)
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _fill(self, record: Record, data: np.ndarray) -> None:
        self._file.seek(self._base + record.start)
        view, done = data.data, 0
        into = getattr(self._file, "readinto", None)
        while done < record.size:
            if into is not None:
                got = into(view[done:])
            else:
                part = self._file.read(record.size - done)
                got = len(part)
                view[done : done + got] = part
            if not got:
                self._refuse(record.name, f"the file ends after {done} of its {record.size} bytes")
            done += got

    def _inflate(self, record: Record, data: np.ndarray) -> None:
        engine = zlib.decompressobj(-15)
        try:
            got = engine.decompress(self._bytes(record.start, record.packed), record.size + 1)
        except zlib.error as error:
            self._refuse(record.name, f"it cannot be decompressed ({error})")
        if len(got) != record.size:
            self._refuse(record.name, f"it does not decompress to the {record.size} bytes that the directory promises")
        data[:] = np.frombuffer(got, np.uint8)

    # ---- the directory ----

    def _open(self) -> None:
        start, size, count = self._find_directory()
        entries = self._bytes(start, size)
        if len(entries) != size:
            self._reject("the directory of records is cut off")
        records: list[Record] = []
        at = 0
        while at < size:
            record, at = self._entry(entries, at, len(records))
            records.append(record)
        if len(records) != count:
            self._reject(f"the directory lists {len(records)} records, and its end speaks of {count}")
        if not records:
            self._reject("the archive is empty")
        self._check_places(records, start)
        folder = records[0].name.partition("/")[0]
        if "/" not in records[0].name:
            raise RuntimeError(
                f"file in archive is not in a subdirectory: {records[0].name}\nIt is a zip archive, but none that torch.save wrote."
            )
        for record in records:
            inside, _, name = record.name.partition("/")
            if inside == folder and name:
                if name in self._records:
                    self._refuse(name, "the archive has two records of this name")
                self._records[name] = record._replace(name=name)

    def _find_directory(self) -> tuple[int, int, int]:
        """(start, size, number of records) of the directory."""
        tail = self._bytes(max(0, self._end - _END.size - 0xFFFF), min(self._end, _END.size + 0xFFFF))
        at = len(tail) - _END.size
        if at < 0 or tail[at : at + 4] != b"PK\5\6" or tail[at + 20 :] != b"\0\0":
            at = tail.rfind(b"PK\5\6")
            if at < 0 or at + _END.size > len(tail):
                self._reject("the end of the archive is missing, so it was cut off or is no checkpoint")
            if at + _END.size + struct.unpack_from("<H", tail, at + 20)[0] != len(tail):
                self._reject("something follows the end of the archive, or its end was changed")
        _, disk, first, here, count, size, start, _ = _END.unpack_from(tail, at)
        if disk or first or here != count:
            self._reject("its end was changed, or it is one of several volumes")
        end = self._end - len(tail) + at
        locator = self._bytes(end - _LOCATOR.size, _LOCATOR.size)
        if locator[:4] == b"PK\6\7":
            end = _LOCATOR.unpack(locator)[2]
            wide = self._bytes(end, _END64.size)
            if wide[:4] != b"PK\6\6" or len(wide) != _END64.size:
                self._reject("the 64-bit end of the archive is not where its locator points")
            *_, here, many, long, far = _END64.unpack(wide)
            for narrow, full, limit in ((count, many, 0xFFFF), (size, long, _FULL), (start, far, _FULL)):
                if narrow not in (full, limit) or here != many:
                    self._reject("the two ends of the archive disagree")
            count, size, start = many, long, far
        if start + size != end:
            self._reject("the directory does not reach to its end")
        return start, size, count

    def _entry(self, entries: bytes, at: int, number: int) -> tuple[Record, int]:
        head = entries[at : at + _CENTRAL.size]
        if len(head) != _CENTRAL.size or head[:4] != b"PK\1\2":
            self._reject(f"entry {number} of the directory is damaged")
        (_, _, _, flags, method, _, _, crc, packed, size, n_name, n_extra, n_comment, _, _, _, header) = _CENTRAL.unpack(head)
        at += _CENTRAL.size
        path, extra = entries[at : at + n_name], entries[at + n_name : at + n_name + n_extra]
        if len(path) != n_name or len(extra) != n_extra:
            self._reject(f"entry {number} of the directory is damaged")
        name = self._checked_name(path, number)
        size, packed, header = self._wide(name, extra, size, packed, header)
        start = self._check_header(name, path, flags, method, header)
        if method not in (_STORED, _DEFLATED) or flags & 1:
            self._refuse(name, "it is encrypted or compressed in a way that checkpoints are not")
        if method == _STORED and packed != size:
            self._refuse(name, f"the directory gives it two sizes, {packed} and {size}")
        return Record(name, method, crc, packed, size, header, start), at + n_name + n_extra + n_comment

    def _checked_name(self, path: bytes, number: int) -> str:
        try:
            name = path.decode()
        except UnicodeDecodeError:
            self._reject(f"entry {number} of the directory has no readable name")
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or "\0" in name or ":" in parts[0]:
            self._refuse(name, "its name leads out of the archive")
        return name

    def _wide(self, name: str, extra: bytes, *values: int) -> list[int]:
        """Sizes and offset, from the 64-bit extra field where the ordinary fields are full."""
        full = [i for i, v in enumerate(values) if v == _FULL]
        result = list(values)
        at = 0
        while full and at + 4 <= len(extra):
            kind, length = struct.unpack_from("<2H", extra, at)
            if kind == 1 and at + 4 + length <= len(extra) and length >= 8 * len(full):
                for place, value in zip(full, struct.unpack_from(f"<{len(full)}Q", extra, at + 4)):
                    result[place] = value
                return result
            at += 4 + length
        if full:
            self._refuse(name, "its 64-bit size is missing")
        return result

    def _check_header(self, name: str, path: bytes, flags: int, method: int, header: int) -> int:
        """Where the data begin, after the local header has been compared with the directory."""
        local = self._bytes(header, _LOCAL.size)
        if len(local) != _LOCAL.size or local[:4] != b"PK\3\4":
            self._refuse(name, f"its header is not at byte {header}, where the directory says")
        _, _, its_flags, its_method, _, _, _, _, _, n_name, n_extra = _LOCAL.unpack(local)
        if (its_method, its_flags & 1) != (method, flags & 1):
            self._refuse(name, "its header and the directory disagree on how it is stored")
        if n_name != len(path) or self._bytes(header + _LOCAL.size, n_name) != path:
            self._refuse(name, "its header has another name")
        return header + _LOCAL.size + n_name + n_extra

    def _check_places(self, records: list[Record], directory: int) -> None:
        """No two records share bytes, and together they grow no more than is sensible."""
        in_order = sorted(records, key=lambda r: (r.header, r.start))
        for record, after in zip(in_order, [r.header for r in in_order[1:]] + [directory]):
            if record.start + record.packed > after:
                self._refuse(record.name, "it reaches into the next part of the archive")
        total = sum(r.size for r in records if r.method != _STORED)
        if total > max(_SMALL, _GROWTH * self._end):
            self._reject(f"its compressed records would grow to {total} bytes, as those of a zip bomb do")

    def _check_version(self) -> None:
        name = ".data/version" if ".data/version" in self else "version"
        text = self.read(name).strip()
        if not text.isdigit() or len(text) > 20:
            self._refuse(name, "it holds no version number")
        version = int(text)
        if not _OLDEST <= version <= _NEWEST:
            raise RuntimeError(
                f"Attempted to read a PyTorch file with version {version}, but the "
                + (
                    f"maximum supported version for reading is {_NEWEST}. Your PyTorch installation may be too old."
                    if version > _NEWEST
                    else f"minimum supported version for reading is {_OLDEST}."
                )
                + f"\nRecord {name!r} says so."
            )
