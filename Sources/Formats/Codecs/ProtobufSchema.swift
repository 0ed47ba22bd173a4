import WSCore

/// A message type with all types that it uses, from a `FileDescriptorSet` (descriptor.proto), which
/// `protoc --descriptor_set_out=FILE --include_imports` writes.
package final class ProtobufSchema: Hashable, Sendable {
    /// The types of fields, with their numbers in `FieldDescriptorProto.Type`.
    enum FieldType: Int {
        case double = 1
        case float, int64, uint64, int32, fixed64, fixed32, bool, string, group, message, bytes, uint32, enumeration
        case sfixed32, sfixed64, sint32, sint64

        var wireKind: ProtobufField.Kind {
            switch self {
            case .double, .fixed64, .sfixed64: .fixed64
            case .float, .fixed32, .sfixed32: .fixed32
            case .string, .bytes, .message, .group: .bytes
            default: .varint
            }
        }

        /// The bits of a number that count.
        func bits(_ number: UInt64) -> UInt64 {
            switch self {
            case .int32, .uint32, .sint32, .enumeration: UInt64(UInt32(truncatingIfNeeded: number))
            default: number
            }
        }

        /// Whether maps may have such keys.
        fileprivate var isMapKey: Bool { self == .string || wireKind != .bytes && self != .double && self != .float }
    }

    struct Field {
        /// The name as a JSON string.
        let name: [UInt8]
        let type: FieldType
        /// The type in ``ProtobufSchema/messages`` or ``ProtobufSchema/enumerations``; otherwise 0.
        let index: Int
        let isRepeated: Bool
        /// Whether a default value that is present is shown.
        let hasPresence: Bool
        let oneof: Int?

        /// Whether a value of this wire type belongs to the field; otherwise, it is unknown. Numbers may be packed.
        func accepts(_ wireKind: ProtobufField.Kind) -> Bool {
            wireKind == type.wireKind || isRepeated && wireKind == .bytes
        }
    }

    struct Message {
        /// The JSON form.
        enum Form: Equatable {
            case object
            /// A member of the object for a map.
            case mapEntry
            /// `Timestamp` or `Duration`.
            case time(isDuration: Bool)
            /// Only the value of the field that is set, or else of the first one: a wrapper, `Struct`, `Value`, or `ListValue`.
            case value
        }

        var form = Form.object
        /// The fields by number, without groups.
        var fields: [Int32: Field] = [:]
        var hasOneofs = false
    }

    struct Enumeration {
        /// The names as JSON strings, the first for each number.
        var names: [Int32: [UInt8]] = [:]
        /// Whether other numbers are unknown values (proto2).
        let isClosed: Bool
    }

    /// The index of the message in ``messages``.
    static let root = 0
    /// Stands for all schemas in the help.
    static let example = ProtobufSchema()

    /// The name in `--decode`, after `protobuf:`.
    package let name: String
    private let set: [UInt8]
    let messages: [Message]
    let enumerations: [Enumeration]

    private init() { (name, set, messages, enumerations) = ("", [], [Message()], []) }

    /// Reads the descriptor set of a name in `--decode`.
    /// - Parameter name: The file, and after the last colon the full name of the message type.
    /// - Throws: ``CodecNameProblem``.
    init(named name: String, file: Codec.FileReader) throws(CodecNameProblem) {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")), colon > name.startIndex,
            name.utf8.index(after: colon) < name.endIndex
        else { throw .noType }
        let set = try file(String(name[..<colon]))
        do throws(ProtobufSchemaProblem) {
            let builder = try ProtobufSchemaBuilder(set, type: String(name[name.utf8.index(after: colon)...]))
            (messages, enumerations) = (builder.messages, builder.enumerations)
        } catch {
            throw .noSchema(error)
        }
        (self.name, self.set) = (name, set)
    }

    package static func == (left: ProtobufSchema, right: ProtobufSchema) -> Bool {
        left.name == right.name && left.set == right.set
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Why a file is no schema of a message type.
package enum ProtobufSchemaProblem: Error, Equatable {
    /// The file is no descriptor set.
    case malformed(CodecProblem)
    /// The set has no message types.
    case empty
    /// The set lacks the message type.
    case unknownType(String, known: [String])
    /// The set lacks a type that another one uses.
    case missingType(String)

    /// The reason in words, to follow a colon.
    var words: String {
        let command = "write it with protoc --descriptor_set_out=FILE --include_imports"
        switch self {
        case .malformed(let problem): return "no descriptor set: \(problem); \(command)"
        case .empty: return "the descriptor set has no message types; \(command)"
        case .missingType(let name): return "the descriptor set lacks the type \(name); \(command)"
        case .unknownType(let type, let known):
            let similar = known.filter { ("." + $0).lowercased().hasSuffix("." + type.lowercased()) }
            if let first = similar.first { return "no message type \(type); did you mean \(first)?" }
            let others = known.count > 10 ? ", and \(known.count - 10) more" : ""
            return "no message type \(type); the file has \(known.prefix(10).joined(separator: ", "))\(others)"
        }
    }
}

/// A message in a descriptor set. Its fields are found by their numbers in descriptor.proto.
private struct Descriptor {
    private let set: [UInt8]
    private let fields: [ProtobufField]

    init(_ set: [UInt8], _ range: Range<Int>) throws(ProtobufSchemaProblem) {
        var fields: [ProtobufField] = []
        do throws(CodecProblem) {
            try ProtobufField.read(set.span.bytes, range, skipsGroups: false) { fields.append($0) }
        } catch {
            throw .malformed(error)
        }
        (self.set, self.fields) = (set, fields)
    }

    /// Whether this is the type of the entries of a map, which has no name in the source.
    var isMapEntry: Bool {
        // DescriptorProto: options = 7. MessageOptions: map_entry = 7.
        (try? messages(7))?.last?.number(7) == 1
    }

    /// The last field with a number, or `nil` if there is none.
    func number(_ number: Int32) -> Int? {
        let field = fields.last { $0.number == number }
        return field.map { Int(truncatingIfNeeded: $0.number(in: set.span.bytes)) }
    }

    func string(_ number: Int32) -> String {
        let field = fields.last { $0.number == number && $0.kind == .bytes }
        return String(decoding: set[field?.value ?? 0..<0], as: UTF8.self)
    }

    func messages(_ number: Int32) throws(ProtobufSchemaProblem) -> [Descriptor] {
        var messages: [Descriptor] = []
        for field in fields where field.number == number && field.kind == .bytes {
            messages.append(try Descriptor(set, field.value))
        }
        return messages
    }
}

/// Finds the types that a message uses.
private struct ProtobufSchemaBuilder {
    private(set) var messages: [ProtobufSchema.Message] = []
    private(set) var enumerations: [ProtobufSchema.Enumeration] = []
    /// All types in the set by their full names, which begin with a point.
    private var types: [String: (descriptor: Descriptor, isProto3: Bool, isEnumeration: Bool)] = [:]
    /// The indices of the types that are used.
    private var indices: [String: Int] = [:]
    /// Those that are not built yet.
    private var pending: [String] = []

    init(_ set: [UInt8], type: String) throws(ProtobufSchemaProblem) {
        // FileDescriptorSet: file = 1.
        for file in try Descriptor(set, 0..<set.count).messages(1) {
            // FileDescriptorProto: package = 2, syntax = 12 ("proto3" or "editions"; none for proto2).
            let package = file.string(2)
            try addTypes(
                of: file, numbers: (message: 4, enumeration: 5), in: package.isEmpty ? "" : "." + package,
                isProto3: !["", "proto2"].contains(file.string(12)), depth: 1)
        }
        let names = types.filter { !$0.value.isEnumeration && !$0.value.descriptor.isMapEntry }
            .map { String($0.key.dropFirst()) }
        if names.isEmpty { throw .empty }
        guard names.contains(type) else {
            // Those of Google follow the others.
            let isGoogle = { (name: String) in name.hasPrefix("google.protobuf.") }
            throw .unknownType(type, known: names.filter { !isGoogle($0) }.sorted() + names.filter(isGoogle).sorted())
        }
        _ = try index(of: "." + type)
        while let name = pending.popLast() {
            guard let type = types[name], let index = indices[name] else { continue }
            if type.isEnumeration {
                try buildEnumeration(name, type.descriptor, index)
            } else {
                try buildMessage(name, type.descriptor, index, isProto3: type.isProto3)
            }
        }
    }

    /// Adds the types in a file or message.
    private mutating func addTypes(
        of parent: Descriptor, numbers: (message: Int32, enumeration: Int32), in scope: String, isProto3: Bool,
        depth: Int
    ) throws(ProtobufSchemaProblem) {
        guard depth <= Protobuf.maximumDepth else { throw .malformed(.tooDeep(limit: Protobuf.maximumDepth)) }
        for descriptor in try parent.messages(numbers.enumeration) {
            types["\(scope).\(descriptor.string(1))"] = (descriptor, isProto3, isEnumeration: true)
        }
        for descriptor in try parent.messages(numbers.message) {
            let name = "\(scope).\(descriptor.string(1))"
            types[name] = (descriptor, isProto3, isEnumeration: false)
            // DescriptorProto: name = 1, nested_type = 3, enum_type = 4.
            try addTypes(
                of: descriptor, numbers: (message: 3, enumeration: 4), in: name, isProto3: isProto3, depth: depth + 1)
        }
    }

    /// The index of a type, which will be built.
    private mutating func index(
        of name: String, isEnumeration: Bool = false
    ) throws(ProtobufSchemaProblem) -> Int {
        guard let type = types[name], type.isEnumeration == isEnumeration else {
            throw .missingType(String(name.dropFirst()))
        }
        if let index = indices[name] { return index }
        let index = isEnumeration ? enumerations.count : messages.count
        if isEnumeration {
            enumerations.append(ProtobufSchema.Enumeration(isClosed: !type.isProto3))
        } else {
            messages.append(ProtobufSchema.Message())
        }
        pending.append(name)
        indices[name] = index
        return index
    }

    private mutating func buildMessage(
        _ name: String, _ descriptor: Descriptor, _ index: Int, isProto3: Bool
    ) throws(ProtobufSchemaProblem) {
        var message = ProtobufSchema.Message()
        for field in try descriptor.messages(2) {
            // FieldDescriptorProto: name = 1, number = 3, label = 4, type = 5, type_name = 6, oneof_index = 9. An optional
            // field of proto3 is the only one of a oneof.
            guard let type = ProtobufSchema.FieldType(rawValue: field.number(5) ?? 0) else {
                throw .malformed(.malformed(offset: 0))
            }
            if type == .group { continue }
            var typeIndex = 0
            if type == .message || type == .enumeration {
                typeIndex = try self.index(of: field.string(6), isEnumeration: type == .enumeration)
            }
            message.fields[Int32(truncatingIfNeeded: field.number(3) ?? 0)] = ProtobufSchema.Field(
                name: Self.literal(field.string(1)), type: type, index: typeIndex, isRepeated: field.number(4) == 3,
                hasPresence: !isProto3 || field.number(9) != nil, oneof: field.number(9))
            if field.number(9) != nil { message.hasOneofs = true }
        }
        if descriptor.isMapEntry, let key = message.fields[1], key.type.isMapKey, !key.isRepeated {
            message.form = .mapEntry
        }
        switch name {
        case ".google.protobuf.Timestamp": message.form = .time(isDuration: false)
        case ".google.protobuf.Duration": message.form = .time(isDuration: true)
        case ".google.protobuf.Struct", ".google.protobuf.Value", ".google.protobuf.ListValue",
            ".google.protobuf.DoubleValue", ".google.protobuf.FloatValue", ".google.protobuf.Int64Value",
            ".google.protobuf.UInt64Value", ".google.protobuf.Int32Value", ".google.protobuf.UInt32Value",
            ".google.protobuf.BoolValue", ".google.protobuf.StringValue", ".google.protobuf.BytesValue":
            message.form = .value
        default: break
        }
        messages[index] = message
    }

    private mutating func buildEnumeration(
        _ name: String, _ descriptor: Descriptor, _ index: Int
    ) throws(ProtobufSchemaProblem) {
        // EnumDescriptorProto: value = 2. EnumValueDescriptorProto: name = 1, number = 2.
        for value in try descriptor.messages(2) {
            let number = Int32(truncatingIfNeeded: value.number(2) ?? 0)
            let isNull = name == ".google.protobuf.NullValue"
            guard enumerations[index].names[number] == nil else { continue }
            enumerations[index].names[number] = isNull ? Array("null".utf8) : Self.literal(value.string(1))
        }
    }

    /// A name as a JSON string.
    private static func literal(_ name: String) -> [UInt8] {
        var literal = ByteBuffer()
        JSONString.append(Array(name.utf8).span.bytes, to: &literal)
        return literal.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}
