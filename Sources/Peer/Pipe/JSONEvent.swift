import Formats
import WSCore

/// Builds one JSON event, field by field, on one line.
///
///     {"type":"message","time":"2026-05-01T12:00:00.000000Z","direction":"in","opcode":"text","bytes":5,"data":"hello"}
package struct JSONEvent: ~Copyable {
    private var line: ByteBuffer

    /// Begins an event at the end of `buffer`. ``finish()`` returns the buffer.
    /// - Parameter time: The text of an ``EventClock``.
    @inline(__always)
    package init(_ type: StaticString, time: RawSpan, into buffer: consuming ByteBuffer) {
        line = buffer
        line.append(literal: "{\"type\":\"")
        line.append(literal: type)
        line.append(literal: "\",\"time\":\"")
        line.append(time)
        line.append(byte: UInt8(ascii: "\""))
    }

    /// Continues an event that begins at the end of `buffer`.
    init(continuing buffer: consuming ByteBuffer) {
        line = buffer
    }

    /// Returns the buffer with an unfinished line, which can be the common beginning of several events.
    consuming func interrupt() -> ByteBuffer {
        line
    }

    /// Ends the line and returns the buffer.
    package consuming func finish() -> ByteBuffer {
        line.append(literal: "}\n")
        return line
    }

    /// Adds a string.
    package mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        var value = value
        value.withUTF8 { JSONString.append(UnsafeRawBufferPointer($0).bytes, to: &line) }
    }

    /// Adds a constant string that needs no escapes.
    @inline(__always)
    package mutating func add(_ name: StaticString, _ word: StaticString) {
        begin(name)
        line.append(byte: UInt8(ascii: "\""))
        line.append(literal: word)
        line.append(byte: UInt8(ascii: "\""))
    }

    /// Adds a number.
    @inline(__always)
    package mutating func add(_ name: StaticString, _ value: Int) {
        begin(name)
        line.append(decimal: value)
    }

    /// Adds a Boolean.
    mutating func add(_ name: StaticString, _ value: Bool) {
        begin(name)
        line.append(literal: value ? "true" : "false")
    }

    /// Adds an array of numbers.
    mutating func add(_ name: StaticString, _ values: [Int]) {
        addArray(name, values) { $1.append(decimal: $0) }
    }

    /// Adds an array of strings.
    mutating func add(_ name: StaticString, _ values: [String]) {
        addArray(name, values) { JSONString.append(Array($0.utf8).span.bytes, to: &$1) }
    }

    private mutating func addArray<Value>(
        _ name: StaticString, _ values: [Value], _ append: (Value, inout ByteBuffer) -> Void
    ) {
        begin(name)
        line.append(byte: UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { line.append(byte: UInt8(ascii: ",")) }
            append(value, &line)
        }
        line.append(byte: UInt8(ascii: "]"))
    }

    /// Adds a complete JSON object.
    package mutating func add(_ name: StaticString, _ object: borrowing JSONWriter) {
        begin(name)
        object.text.withReadableBytes { line.append($0) }
    }

    /// Adds a payload: as `data` if it is UTF-8 text, and as `base64` otherwise.
    @inline(__always)
    mutating func addPayload(_ payload: RawSpan, isText: Bool) {
        if isText || UTF8Validator.isValid(payload) {
            begin("data")
            JSONString.append(payload, to: &line)
        } else {
            begin("base64")
            line.append(byte: UInt8(ascii: "\""))
            Base64.append(payload, to: &line)
            line.append(byte: UInt8(ascii: "\""))
        }
    }

    @inline(__always)
    private mutating func begin(_ name: StaticString) {
        line.append(literal: ",\"")
        line.append(literal: name)
        line.append(literal: "\":")
    }
}

/// The direction of a frame in events.
package enum EventDirection {
    case incoming
    case outgoing

    /// The word used in events.
    var word: StaticString {
        switch self {
        case .incoming: "in"
        case .outgoing: "out"
        }
    }

    /// Parses the word of an event. Returns `nil` for other words.
    init?(word: String) {
        switch word {
        case "in": self = .incoming
        case "out": self = .outgoing
        default: return nil
        }
    }
}
