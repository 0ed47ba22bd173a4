import Formats
import WSCore

/// Writes one JSON event, field by field, as one line.
///
///     {"type":"message","time":"2026-05-01T12:00:00.000000Z","direction":"in","opcode":"text","bytes":5,"data":"hello"}
struct JSONEvent: ~Copyable {
    private var line: ByteBuffer

    /// Begins an event at the end of `buffer`, which ``finish()`` gives back.
    /// - Parameter time: The text of an ``EventClock``.
    @inline(__always)
    init(_ type: StaticString, time: RawSpan, into buffer: consuming ByteBuffer) {
        line = buffer
        line.append(literal: "{\"type\":\"")
        line.append(literal: type)
        line.append(literal: "\",\"time\":\"")
        line.append(time)
        line.append(byte: UInt8(ascii: "\""))
    }

    /// Goes on with an event at the end of `buffer`, which has its beginning.
    init(continuing buffer: consuming ByteBuffer) {
        line = buffer
    }

    /// Gives the buffer back without ending the line: what is in it can be the beginning of many events.
    consuming func interrupt() -> ByteBuffer {
        line
    }

    /// Ends the line and gives the buffer back.
    consuming func finish() -> ByteBuffer {
        line.append(literal: "}\n")
        return line
    }

    /// Adds a string.
    mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        var value = value
        value.withUTF8 { JSONString.append(UnsafeRawBufferPointer($0).bytes, to: &line) }
    }

    /// Adds a string of the program's own that needs no escapes.
    @inline(__always)
    mutating func add(_ name: StaticString, _ word: StaticString) {
        begin(name)
        line.append(byte: UInt8(ascii: "\""))
        line.append(literal: word)
        line.append(byte: UInt8(ascii: "\""))
    }

    /// Adds a number.
    @inline(__always)
    mutating func add(_ name: StaticString, _ value: Int) {
        begin(name)
        line.append(decimal: value)
    }

    /// Adds true or false.
    mutating func add(_ name: StaticString, _ value: Bool) {
        begin(name)
        line.append(literal: value ? "true" : "false")
    }

    /// Adds bytes: as `data` where they are UTF-8 text, as `base64` elsewhere.
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
