"""Random values for MessagePack and CBOR, and the JSON by which wsx represents them.

`encode(format, value)` and `decode(format, data)` use the packages msgpack and cbor2. `value_of(text)` returns the value
that a JSON text with the markers of wsx stands for, and `is_same` compares exactly: 1, 1.0, and True differ.
"""

import base64
import json
import math
import random
import struct

FORMATS = ["msgpack", "cbor"]


class Pairs(tuple):
    """A map as (key, value) pairs, whose keys may be of any kind."""


class Extension(tuple):
    """A MessagePack extension: a type and bytes."""


class Tag(tuple):
    """A CBOR tag: a number and a value."""


class Simple(tuple):
    """A CBOR simple value. 23 is undefined."""


def random_value(rng, format, depth=0):
    """Returns a value of any kind that the format has."""
    kinds = ["null", "bool", "int", "int", "float", "text", "text", "bytes", "special"]
    if depth < 5:
        kinds += ["array", "array", "map", "map"]
    kind = rng.choice(kinds)
    if kind == "null":
        return None
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "int":
        number = rng.getrandbits(rng.randrange(1, 65))
        # CBOR's negative integers have 65 bits.
        lowest = -(2**63) if format == "msgpack" else -(2**64)
        return max(lowest, -1 - number) if rng.random() < 0.5 else number
    if kind == "float":
        if rng.random() < 0.3:
            return rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 1e16, 5e-324])
        return struct.unpack("d", rng.randbytes(8))[0]
    if kind == "text":
        ranges = [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)]
        text = "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.choice([0, 1, 3, 10, 40, 300])))
        return ("$" if rng.random() < 0.1 else "") + text
    if kind == "bytes":
        return rng.randbytes(rng.choice([0, 1, 2, 3, 50, 300]))
    if kind == "special" and format == "msgpack":
        return Extension((rng.choice([-128, -2, 0, 5, 127]), rng.randbytes(rng.choice([0, 1, 2, 3, 4, 8, 16, 17, 300]))))
    if kind == "special":
        if rng.random() < 0.5:
            return Simple((rng.choice([0, 19, 23, 32, 255]),))
        # Numbers that cbor2 does not interpret.
        return Tag((rng.choice([6, 21, 4242, 2**32, 2**64 - 1]), random_value(rng, format, depth + 1)))
    count = rng.choice([0, 1, 2, 5, 20])
    if kind == "array":
        return [random_value(rng, format, depth + 1) for _ in range(count)]
    keys = []
    for _ in range(count):
        key = random_value(rng, format, 5 if rng.random() < 0.9 else depth + 1)
        if rng.random() < 0.5:
            key = "key%d" % len(keys)
        keys.append(key)
    return Pairs((key, random_value(rng, format, depth + 1)) for key in keys)


def encode(format, value):
    """Encodes a value with msgpack or cbor2, which encode its leaves and the beginnings of its other parts."""
    if format == "msgpack":
        import msgpack

        packer = msgpack.Packer()
        if isinstance(value, Extension):
            return msgpack.packb(msgpack.ExtType(*value)) if value[0] >= 0 else _negative_extension(value)
        if isinstance(value, Pairs):
            return packer.pack_map_header(len(value)) + b"".join(encode(format, part) for pair in value for part in pair)
        if isinstance(value, list):
            return packer.pack_array_header(len(value)) + b"".join(encode(format, part) for part in value)
        return msgpack.packb(value)
    import cbor2

    if isinstance(value, Simple):
        return cbor2.dumps(cbor2.undefined if value[0] == 23 else cbor2.CBORSimpleValue(value[0]))
    if isinstance(value, Tag):
        return _cbor_head(6, value[0]) + encode(format, value[1])
    if isinstance(value, Pairs):
        return _cbor_head(5, len(value)) + b"".join(encode(format, part) for pair in value for part in pair)
    if isinstance(value, list):
        return _cbor_head(4, len(value)) + b"".join(encode(format, part) for part in value)
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        return _cbor_head(1, -1 - value)
    return cbor2.dumps(value)


def _negative_extension(value):
    """The package reserves negative types."""
    type, data = value
    sizes = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
    head = bytes([sizes[len(data)]]) if len(data) in sizes else struct.pack(">BI", 0xC9, len(data))
    return head + struct.pack("b", type) + data


def _cbor_head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for info, layout in (24, "B"), (25, "H"), (26, "I"), (27, "Q"):
        if number < 1 << 8 * struct.calcsize(layout):
            return struct.pack(">B" + layout, major << 5 | info, number)
    raise ValueError(number)


def decode(format, data):
    """Decodes with msgpack or cbor2. Maps become Pairs."""
    if format == "msgpack":
        import msgpack

        return msgpack.unpackb(
            data, object_pairs_hook=Pairs, strict_map_key=False, timestamp=0, ext_hook=lambda *parts: Extension(parts),
            max_str_len=2**31, max_bin_len=2**31, max_ext_len=2**31)
    import cbor2

    return _plain(cbor2.loads(data))


def _plain(value):
    import cbor2

    if isinstance(value, cbor2.CBORTag):
        return Tag((value.tag, _plain(value.value)))
    if isinstance(value, cbor2.CBORSimpleValue):
        return Simple((value.value,))
    if value is cbor2.undefined:
        return Simple((23,))
    if isinstance(value, dict) or type(value).__name__.lower() == "frozendict":
        return Pairs((_plain(key), _plain(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def value_of(text):
    """Returns the value of a JSON text with markers."""
    return _unmarked(json.loads(text, object_pairs_hook=Pairs))


def _unmarked(value):
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    if not isinstance(value, Pairs):
        return value
    if len(value) == 1:
        name, content = value[0]
        if name == "$bytes":
            return base64.b64decode(content, validate=True)
        if name == "$float":
            return float(content)
        if name == "$ext":
            return Extension((content[0], base64.b64decode(content[1], validate=True)))
        if name == "$tag":
            return Tag((content[0], _unmarked(content[1])))
        if name == "$simple":
            return Simple((content,))
        if name == "$undefined":
            return Simple((23,))
    return Pairs((_key(key), _unmarked(part)) for key, part in value)


def _key(key):
    if not key.startswith("$"):
        return key
    return key[1:] if key.startswith("$$") else value_of(key[1:])


def is_same(one, other):
    """Whether two values are equal, of the same kinds, and NaN where the other is."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", other) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    return one == other


def random_values(format, count, seed=1):
    """Returns random values."""
    rng = random.Random(seed)
    return [random_value(rng, format) for _ in range(count)]
