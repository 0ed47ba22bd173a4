import CMessagePack
import WSCore

/// Converts between MessagePack and JSON with the markers of ``MarkedJSONWriter``.
package enum MessagePack {
    /// Replaces the contents of a buffer by the JSON text of a single value.
    /// - Parameter limitBytes: The maximum size of the text.
    /// - Throws: ``CodecProblem``. The buffer is empty.
    package static func decode(
        _ data: RawSpan, into buffer: inout ByteBuffer, limitBytes: Int
    ) throws(CodecProblem) {
        buffer.removeAll()
        var decoding = Decoding(
            writer: MarkedJSONWriter(buffer.takeAll(), inputBytes: data.byteCount, limitBytes: limitBytes),
            inputBytes: data.byteCount)
        var decodedCount = 0
        let result = withUnsafeMutablePointer(to: &decoding) { decoding in
            data.withUnsafeBytes { bytes in
                wsx_msgpack_decode(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &decodedCount, receive, decoding)
            }
        }
        if let problem = decoding.problem { throw problem }
        guard result != 0 else { throw .truncated }
        guard result > 0 else { throw .malformed(offset: decodedCount) }
        guard decodedCount == data.byteCount else { throw .trailing(byteCount: data.byteCount - decodedCount) }
        buffer = decoding.finish()
    }

    /// Appends the encoding of a JSON text.
    /// - Throws: ``CodecProblem``. A part may already have been appended.
    package static func encode(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        try MarkedJSONReader<MessagePack>.encode(text, to: &buffer)
    }

    private struct Decoding: ~Copyable {
        var writer: MarkedJSONWriter
        let inputBytes: Int
        var problem: CodecProblem?

        consuming func finish() -> ByteBuffer { writer.finish() }

        mutating func receive(_ value: wsx_msgpack_value) throws(CodecProblem) {
            let bytes = UnsafeRawBufferPointer(start: value.bytes, count: value.byte_count).bytes
            switch Int(value.kind) {
            case WSX_MSGPACK_UNSIGNED: try writer.add(Int128(value.number))
            case WSX_MSGPACK_SIGNED: try writer.add(Int128(Int64(bitPattern: value.number)))
            case WSX_MSGPACK_FLOAT: try writer.add(value.real)
            case WSX_MSGPACK_NIL: try writer.add(literal: "null")
            case WSX_MSGPACK_BOOLEAN: try writer.add(literal: value.number == 0 ? "false" : "true")
            case WSX_MSGPACK_TEXT: try writer.addText(bytes)
            case WSX_MSGPACK_BYTES: try writer.addBytes(bytes)
            case WSX_MSGPACK_EXTENSION:
                // The template's length of an extension with its type overflows to zero for 2^32 - 1 bytes.
                guard bytes.byteCount > 0 else { throw .truncated }
                let type = bytes.unsafeLoad(fromByteOffset: 0, as: Int8.self)
                try writer.addExtension(type: type, bytes.extracting(droppingFirst: 1))
            // Each value takes at least a byte.
            case _ where value.number > UInt64(inputBytes): throw .truncated
            case WSX_MSGPACK_ARRAY: try writer.beginArray(count: value.number)
            default: try writer.beginMap(count: value.number)
            }
        }
    }

    private static let receive: wsx_msgpack_receiver = { context, value in
        guard let decoding = context?.assumingMemoryBound(to: Decoding.self), let value else { return -1 }
        do throws(CodecProblem) {
            try decoding.pointee.receive(value.pointee)
            return 0
        } catch {
            decoding.pointee.problem = error
            return -1
        }
    }
}

extension MessagePack: BinaryFormat {
    /// Appends a piece that the library encodes into at least 16 bytes.
    private static func append(to buffer: inout ByteBuffer, _ encode: (UnsafeMutableRawPointer) -> Int) {
        buffer.commit(encode(buffer.reserve(16)))
    }

    static func appendNull(to buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_nil($0) }
    }

    static func append(_ value: Bool, to buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_boolean(value ? 1 : 0, $0) }
    }

    static func append(_ number: Int128, to buffer: inout ByteBuffer) throws(CodecProblem) {
        if let number = Int64(exactly: number) {
            append(to: &buffer) { wsx_msgpack_signed(number, $0) }
        } else if let number = UInt64(exactly: number) {
            append(to: &buffer) { wsx_msgpack_unsigned(number, $0) }
        } else {
            throw .numberOutOfRange(number.description)
        }
    }

    static func append(_ number: Double, to buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_double(number, $0) }
    }

    static func appendText(_ text: RawSpan, to buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_text(UInt32(clamping: text.byteCount), $0) }
        buffer.append(text)
    }

    static func appendBytes(_ bytes: RawSpan, to buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_bytes(UInt32(clamping: bytes.byteCount), $0) }
        buffer.append(bytes)
    }

    static func appendExtension(type: Int8, _ bytes: RawSpan, to buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_extension(UInt32(clamping: bytes.byteCount), type, $0) }
        buffer.append(bytes)
    }

    static func beginArray(count: Int, in buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_array(UInt32(clamping: count), $0) }
    }

    static func beginMap(count: Int, in buffer: inout ByteBuffer) {
        append(to: &buffer) { wsx_msgpack_map(UInt32(clamping: count), $0) }
    }
}

extension LibraryVersion {
    /// The version of msgpack-c, from its headers.
    package static var msgpack: LibraryVersion {
        let numbers = [MSGPACK_VERSION_MAJOR, MSGPACK_VERSION_MINOR, MSGPACK_VERSION_REVISION]
        return LibraryVersion(name: "msgpack-c", text: numbers.map(String.init).joined(separator: "."))
    }
}
