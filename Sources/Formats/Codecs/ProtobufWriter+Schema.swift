import WSCore

/// Messages with a schema.
extension ProtobufWriter {
    /// Appends a message.
    /// - Parameters:
    ///   - pieces: The message in the data. A field that comes several times has several pieces, which are merged.
    ///   - type: The index of the type in the schema.
    mutating func append(
        _ data: RawSpan, _ pieces: [Range<Int>], _ type: Int, of schema: ProtobufSchema, depth: Int
    ) throws(CodecProblem) {
        guard depth <= Protobuf.maximumDepth else { throw .tooDeep(limit: Protobuf.maximumDepth) }
        let type = schema.messages[type]
        let held = heldCount
        var fields = try fields(of: type, in: data, pieces)
        if type.hasOneofs {
            // The last field of a oneof replaces the others.
            var last: [Int: Int32] = [:]
            for field in fields { if let oneof = type.fields[field.number]?.oneof { last[oneof] = field.number } }
            fields.removeAll { field in type.fields[field.number]?.oneof.map { last[$0] != field.number } ?? false }
        }
        if type.form == .value, let field = type.fields[fields.last?.number ?? 1] {
            let isKnown = try append(data, fields[...], field, of: schema, depth: depth, showsDefault: true)
            if !isKnown, !field.isRepeated { text.append(literal: "null") }
        } else if !appendTime(data, fields, type.form) {
            try appendObject(data, fields, type, of: schema, depth: depth)
        }
        heldCount = held
        guard text.count <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
    }

    private mutating func appendObject(
        _ data: RawSpan, _ fields: [ProtobufField], _ type: ProtobufSchema.Message, of schema: ProtobufSchema,
        depth: Int
    ) throws(CodecProblem) {
        text.append(literal: "{")
        let first = text.count
        try fields.forEachGroup { (values) throws(CodecProblem) in
            guard let field = type.fields[values.first?.number ?? 0] else { return }
            let start = text.count
            if start > first { text.append(literal: ",") }
            text.append(field.name.span.bytes)
            text.append(literal: ":")
            let isShown = try append(data, values, field, of: schema, depth: depth, showsDefault: field.hasPresence)
            if !isShown { text.removeLast(text.count - start) }
        }
        text.append(literal: "}")
    }

    /// Appends the value of a field.
    /// - Parameter values: The field in the data, in order. Without any, it has its default.
    /// - Returns: Whether there is an element, a known value, or another value than the default. If not, what was
    ///   appended may be removed.
    private mutating func append(
        _ data: RawSpan, _ values: ArraySlice<ProtobufField>, _ field: ProtobufSchema.Field, of schema: ProtobufSchema,
        depth: Int, showsDefault: Bool
    ) throws(CodecProblem) -> Bool {
        if field.isRepeated {
            return try appendElements(data, values, field, of: schema, depth: depth)
        } else if field.type == .message {
            try append(data, values.map(\.value), field.index, of: schema, depth: depth + 1)
            return true
        }
        let value = values.last ?? ProtobufField(number: 0, kind: .bytes, value: 0..<0)
        if !showsDefault, value.kind == .bytes ? value.value.isEmpty : field.type.bits(value.number(in: data)) == 0 {
            return false
        }
        return try append(data, value, field, of: schema, depth: depth)
    }

    /// Appends an array or a map.
    private mutating func appendElements(
        _ data: RawSpan, _ values: ArraySlice<ProtobufField>, _ field: ProtobufSchema.Field, of schema: ProtobufSchema,
        depth: Int
    ) throws(CodecProblem) -> Bool {
        let entry = field.type == .message ? schema.messages[field.index] : nil
        let isMap = entry?.form == .mapEntry
        text.append(literal: isMap ? "{" : "[")
        let first = text.count
        func append(_ writer: inout ProtobufWriter, _ value: ProtobufField) throws(CodecProblem) {
            let start = writer.text.count
            if start > first { writer.text.append(literal: ",") }
            let isKnown =
                if isMap, let entry {
                    try writer.appendEntry(data, value.value, entry, of: schema, depth: depth)
                } else {
                    try writer.append(data, value, field, of: schema, depth: depth)
                }
            if !isKnown { writer.text.removeLast(writer.text.count - start) }
            guard writer.text.count <= writer.limitBytes else { throw .tooBig(limitBytes: writer.limitBytes) }
        }
        for value in values {
            if value.kind == .bytes, field.type.wireKind != .bytes {
                try value.forEachNumber(field.type.wireKind, in: data) { (number) throws(CodecProblem) in
                    try append(&self, number)
                }
            } else {
                try append(&self, value)
            }
        }
        text.append(literal: isMap ? "}" : "]")
        return text.count > first + 1
    }

    /// Appends an entry of a map as a member.
    private mutating func appendEntry(
        _ data: RawSpan, _ range: Range<Int>, _ entry: ProtobufSchema.Message, of schema: ProtobufSchema, depth: Int
    ) throws(CodecProblem) -> Bool {
        guard let key = entry.fields[1], let value = entry.fields[2] else { return false }
        let held = heldCount
        let fields = try fields(of: entry, in: data, [range])
        if key.type != .string { text.append(literal: "\"") }
        let keys = fields.filter { $0.number == 1 }
        _ = try append(data, keys[...], key, of: schema, depth: depth, showsDefault: true)
        text.append(literal: key.type != .string ? "\":" : ":")
        let values = fields.filter { $0.number == 2 }
        let isKnown = try append(data, values[...], value, of: schema, depth: depth + 1, showsDefault: true)
        heldCount = held
        return isKnown
    }

    /// Appends a single value.
    /// - Returns: Whether it is known.
    private mutating func append(
        _ data: RawSpan, _ value: ProtobufField, _ field: ProtobufSchema.Field, of schema: ProtobufSchema, depth: Int
    ) throws(CodecProblem) -> Bool {
        let bytes = data.extracting(value.value)
        let number = value.number(in: data)
        let low = UInt32(truncatingIfNeeded: number)
        switch field.type {
        case .message: try append(data, [value.value], field.index, of: schema, depth: depth + 1)
        case .string:
            guard UTF8Validator.isValid(bytes) else { throw .notUTF8 }
            JSONString.append(bytes, to: &text)
        case .bytes: appendBase64(bytes)
        case .double: append(Double(bitPattern: number))
        case .float: append(Float(bitPattern: low))
        case .int32, .sfixed32: text.append(decimal: Int(Int32(bitPattern: low)))
        case .int64, .sfixed64: text.append(decimal: Int(Int64(bitPattern: number)))
        case .uint32, .fixed32, .uint64, .fixed64: text.append(field.type.bits(number).description)
        // The lowest bit is the sign.
        case .sint32: text.append(decimal: Int(Int32(bitPattern: low >> 1) ^ -Int32(bitPattern: low & 1)))
        case .sint64: text.append(decimal: Int(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)))
        case .bool: text.append(literal: number == 0 ? "false" : "true")
        case .enumeration:
            let enumeration = schema.enumerations[field.index]
            if let name = enumeration.names[Int32(bitPattern: low)] {
                text.append(name.span.bytes)
            } else if enumeration.isClosed {
                return false
            } else {
                text.append(decimal: Int(Int32(bitPattern: low)))
            }
        case .group: return false
        }
        return true
    }

    private mutating func append<Number: BinaryFloatingPoint & CustomStringConvertible>(_ number: Number) {
        if number.isFinite {
            // The shortest digits that identify the value.
            text.append(number.description)
        } else {
            text.append(literal: number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        }
    }

    /// Appends a `Timestamp` in RFC 3339, or a `Duration` in seconds.
    /// - Returns: Whether it is one of them, and in the range that timestamp.proto and duration.proto allow.
    private mutating func appendTime(
        _ data: RawSpan, _ fields: [ProtobufField], _ form: ProtobufSchema.Message.Form
    ) -> Bool {
        guard case .time(let isDuration) = form else { return false }
        // Both: seconds = 1, nanos = 2.
        let seconds = Int(truncatingIfNeeded: fields.last { $0.number == 1 }?.number(in: data) ?? 0)
        let nanoseconds = Int(Int32(truncatingIfNeeded: fields.last { $0.number == 2 }?.number(in: data) ?? 0))
        // 10,000 years, or from 0001-01-01 to 9999-12-31.
        let range = isDuration ? -315_576_000_000...315_576_000_000 : -62_135_596_800...253_402_300_799
        guard range ~= seconds, abs(nanoseconds) < 1_000_000_000,
            isDuration ? seconds.signum() * nanoseconds.signum() >= 0 : nanoseconds >= 0
        else { return false }
        let digitCount = nanoseconds % 1_000_000 == 0 ? 3 : nanoseconds % 1000 == 0 ? 6 : 9
        let fraction = nanoseconds == 0 ? "" : "." + padded(abs(nanoseconds), to: 9).prefix(digitCount)
        if isDuration {
            text.append(literal: seconds < 0 || nanoseconds < 0 ? "\"-" : "\"")
            text.append("\(seconds.magnitude)\(fraction)s\"")
        } else {
            let time = CalendarTime(WallTime(seconds: seconds, microseconds: 0), in: .utc)
            text.append("\"\(padded(time.year, to: 4))-\(padded(time.month))-\(padded(time.day))T")
            text.append("\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))\(fraction)Z\"")
        }
        return true
    }
}
