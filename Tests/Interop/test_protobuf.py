"""`--decode protobuf` and `--decode protobuf:FILE:TYPE`, compared with the package protobuf."""

import json
import random

import pytest

from processes import assert_fails, wsx
from test_codecs import received

pytest.importorskip("google.protobuf")
from google.protobuf import (  # noqa: E402
    descriptor_pb2, descriptor_pool, duration_pb2, json_format, message_factory, struct_pb2, timestamp_pb2, wrappers_pb2,
)
from google.protobuf.descriptor import FieldDescriptor  # noqa: E402

PROTO = descriptor_pb2.FieldDescriptorProto
SCALARS = [name for name in PROTO.Type.keys() if name not in ("TYPE_GROUP", "TYPE_MESSAGE", "TYPE_ENUM")]
IMPORTED = [timestamp_pb2, duration_pb2, wrappers_pb2, struct_pb2]


def schema(syntax):
    """A file with a message that has a field of each type, alone, repeated, packed or not, and as the value of a map."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{syntax}.proto", package="t.v1", syntax=syntax)
    file.dependency.extend(module.DESCRIPTOR.name for module in IMPORTED)
    file.enum_type.add(name="Kind").value.extend(
        [descriptor_pb2.EnumValueDescriptorProto(name=name, number=number) for name, number in [("NONE", 0), ("ONE", 1)]])
    message = file.message_type.add(name="All")

    def add(to, name, type, type_name=None, label="LABEL_OPTIONAL", **others):
        to.field.add(name=name, number=len(to.field) + 1, type=type, type_name=type_name, label=label, **others)

    types = [(name[5:].lower(), name, None) for name in SCALARS]
    types += [("kind", "TYPE_ENUM", ".t.v1.Kind"), ("All_sub", "TYPE_MESSAGE", ".t.v1.All")]
    types += [(name, "TYPE_MESSAGE", f".google.protobuf.{name}") for name in
              ["Timestamp", "Duration", "Int64Value", "StringValue", "BoolValue", "BytesValue", "Struct", "Value"]]
    for name, type, type_name in types:
        add(message, f"one_{name}", type, type_name)
        add(message, f"many_{name}", type, type_name, "LABEL_REPEATED")
        if type not in ("TYPE_STRING", "TYPE_BYTES", "TYPE_MESSAGE"):
            add(message, f"other_{name}", type, type_name, "LABEL_REPEATED")
            message.field[-1].options.packed = syntax == "proto2"
        # The entry's name must follow from the field's.
        field = f"map{name}".lower().replace("_", "")
        entry = message.nested_type.add(name=f"{field.capitalize()}Entry")
        entry.options.map_entry = True
        key = type if type in SCALARS and type not in ("TYPE_FLOAT", "TYPE_DOUBLE", "TYPE_BYTES") else "TYPE_STRING"
        add(entry, "key", key)
        add(entry, "value", type, type_name)
        add(message, field, "TYPE_MESSAGE", f".t.v1.All.{entry.name}", "LABEL_REPEATED")
    message.oneof_decl.add(name="choice")
    for name in ["TYPE_INT32", "TYPE_STRING"]:
        add(message, f"choice_{name[5:].lower()}", name, oneof_index=0)
    return file


def files(syntax):
    """The descriptor set, and the class of its message."""
    pool = descriptor_pool.DescriptorPool()
    files = descriptor_pb2.FileDescriptorSet()
    for module in IMPORTED:
        module.DESCRIPTOR.CopyToProto(files.file.add())
    files.file.append(schema(syntax))
    for file in files.file:
        pool.Add(file)
    # Before version 4.22, the package has a factory.
    get = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return files, get(pool.FindMessageTypeByName("t.v1.All"))


def fill(rng, message, depth=0):
    """Sets about a third of the fields to random values."""
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Timestamp":
        message.seconds = rng.choice([0, -62135596800, 253402300799, rng.randint(-10**10, 10**10)])
        message.nanos = rng.choice([0, 1, 5000, 20_000_000, 999_999_999])
    elif name == "google.protobuf.Duration":
        sign = rng.choice([-1, 1])
        message.seconds = sign * rng.choice([0, 1, 315576000000])
        message.nanos = sign * rng.choice([0, 1, 5000, 20_000_000, 999_999_999])
    elif name in ("google.protobuf.Struct", "google.protobuf.Value"):
        value = {"a": [1, None, {"b": "x"}, True, []], "c": rng.random()}
        json_format.ParseDict(value if name.endswith("Struct") else rng.choice([None, 1.5, "", value, []]), message)
    else:
        for field in message.DESCRIPTOR.fields:
            if rng.random() < (0.33 if depth == 0 else 0.05) or name.startswith("google"):
                fill_field(rng, message, field, depth)


def fill_field(rng, message, field, depth):
    value = getattr(message, field.name)
    if field.message_type and field.message_type.GetOptions().map_entry:
        key, mapped = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
        for _ in range(rng.randint(0, 3)):
            if mapped.message_type:
                fill(rng, value[scalar(rng, key)], depth + 1)
            else:
                value[scalar(rng, key)] = scalar(rng, mapped)
    elif hasattr(value, "append"):
        for _ in range(rng.randint(0, 3)):
            if field.message_type:
                fill(rng, value.add(), depth + 1)
            else:
                value.append(scalar(rng, field))
    elif field.message_type:
        value.SetInParent()
        fill(rng, value, depth + 1)
    else:
        setattr(message, field.name, scalar(rng, field))


def scalar(rng, field):
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        texts = ["", "a", 'hé"\\\n', "\0日本", "x" * 200]
        return rng.choice(texts) if field.type == FieldDescriptor.TYPE_STRING else rng.choice(texts).encode() + b"\xff"
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return rng.choice([0, 1])
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return rng.random() < 0.5
    if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return rng.choice([0.0, 1.5, -1e30, float("inf"), float("nan"), 2.0**-20])
    bits = 64 if field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64) else 32
    isSigned = field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_INT32)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if isSigned else (0, 2**bits - 1)
    return rng.choice([0, 1, low, high, rng.randint(low, high)])


def comparable(value):
    """A JSON value whose numbers of 64 bits, which the package writes as strings, are comparable."""
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def expected(message):
    return comparable(json_format.MessageToDict(message, preserving_proto_field_name=True))


@pytest.mark.parametrize("syntax", ["proto3", "proto2"])
def test_messages_are_the_json_of_their_schema(syntax, tmp_path):
    rng = random.Random(1)
    descriptors, message_class = files(syntax)
    path = tmp_path / "with:colon.pb"
    path.write_bytes(descriptors.SerializeToString())
    messages = []
    for index in range(200):
        message = message_class()
        fill(rng, message)
        data = message.SerializeToString()
        if index % 4 == 0:
            # A message that is the continuation of another one.
            other = message_class()
            fill(rng, other)
            data += other.SerializeToString()
            message.MergeFrom(other)
        messages.append((data, message))
    result = received(*[data for data, _ in messages], options=["--decode", f"protobuf:{path}:t.v1.All"])
    lines = result.out.decode().splitlines()
    assert len(lines) == len(messages)
    for line, (_, message) in zip(lines, messages):
        assert comparable(json.loads(line)) == expected(message)


def test_without_a_schema_names_are_numbers():
    message = files("proto3")[1]()
    message.choice_string = "hé"
    message.one_All_sub.one_uint64 = 2**64 - 1
    message.many_bytes.extend([b"\0\xff", b"a"])
    fields = {name: str(field.number) for name, field in message.DESCRIPTOR.fields_by_name.items()}
    line = received(message.SerializeToString(), options=["--decode", "protobuf"]).out
    assert json.loads(line) == {
        fields["many_bytes"]: [{"base64": "AP8="}, "a"],
        fields["one_All_sub"]: {fields["one_uint64"]: 2**64 - 1},
        fields["choice_string"]: "hé",
    }


def test_a_bad_schema_is_one_error(tmp_path):
    descriptors = files("proto3")[0]
    complete, incomplete, other = (tmp_path / name for name in ["complete.pb", "incomplete.pb", "t.proto"])
    complete.write_bytes(descriptors.SerializeToString())
    incomplete.write_bytes(descriptor_pb2.FileDescriptorSet(file=descriptors.file[-1:]).SerializeToString())
    other.write_text('syntax = "proto3";\n')
    for name, reason in [
        (f"{tmp_path}/missing.pb:t.v1.All", "no such file"), (f"{complete}:t.v1.Trade", "the file has t.v1.All, google"),
        (f"{complete}:all", "did you mean t.v1.All?"), (f"{incomplete}:t.v1.All", "lacks the type google.protobuf."),
        (f"{other}:t.v1.All", "no descriptor set"), (str(complete), "expected protobuf:FILE:TYPE"),
    ]:
        assert_fails(wsx("connect", "--decode", f"protobuf:{name}", "ws://127.0.0.1:1"), 2, reason)
