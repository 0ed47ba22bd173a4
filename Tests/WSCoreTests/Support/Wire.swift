@testable import WSCore

// Frames on the wire, built independently of the tested code.

/// Returns an unmasked frame from its first byte (FIN, RSV, opcode) and payload, with the minimal length encoding.
func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    header(first, payloadBytes: payload.count) + payload
}

/// Returns the header of an unmasked frame, with the minimal length encoding.
func header(_ first: UInt8, payloadBytes count: Int) -> [UInt8] {
    var bytes = [first]
    if count <= 125 {
        bytes.append(UInt8(count))
    } else if count <= 0xFFFF {
        bytes += [126, UInt8(count >> 8), UInt8(count & 0xFF)]
    } else {
        bytes.append(127)
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8((count >> shift) & 0xFF)) }
    }
    return bytes
}

/// Returns an unmasked frame with a text payload.
func frame(_ first: UInt8, _ payload: String) -> [UInt8] {
    frame(first, Array(payload.utf8))
}

/// Returns an unmasked close frame with a code and a reason.
func closeFrame(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
}

/// The masking key of the examples in RFC 6455 §5.7.
let exampleKey: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

/// Masks a frame as a client does: sets the MASK bit, inserts the key after the length, and XORs the payload.
func masked(_ frame: [UInt8], key: [UInt8] = exampleKey) -> [UInt8] {
    guard frame.count >= 2 else { return frame }
    let lengthBytes = [126: 2, 127: 8][frame[1] & 0x7F] ?? 0
    let headerBytes = min(frame.count, 2 + lengthBytes)
    var bytes = [frame[0], frame[1] | 0x80]
    bytes += frame[2..<headerBytes]
    bytes += key
    let payloadStart = bytes.count
    bytes += frame[headerBytes...]
    bytes.withUnsafeMutableBytes { xor(UnsafeMutableRawBufferPointer(rebasing: $0[payloadStart...]), with: key) }
    return bytes
}

/// XORs bytes with a four-byte key, eight bytes per step for speed in debug builds.
private func xor(_ bytes: UnsafeMutableRawBufferPointer, with key: [UInt8]) {
    let word = (key + key).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    var offset = 0
    while offset + 8 <= bytes.count {
        let masked = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ word
        bytes.storeBytes(of: masked, toByteOffset: offset, as: UInt64.self)
        offset += 8
    }
    for index in offset..<bytes.count { bytes[index] ^= key[index % 4] }
}

/// Returns frames as received by an endpoint of this role: masked if they come from a client.
func wire(_ frames: [[UInt8]], receivedBy role: Role) -> [UInt8] {
    frames.flatMap { role == .server ? masked($0) : $0 }
}

/// Returns frames as sent by an endpoint of this role. A client masks them with ``countedKey(_:)`` 1, 2, 3 ….
func wire(_ frames: [[UInt8]], sentBy role: Role) -> [UInt8] {
    frames.enumerated().flatMap { index, frame in
        role == .client ? masked(frame, key: countedKey(UInt32(index) + 1)) : frame
    }
}

/// Returns a source of the keys ``countedKey(_:)`` 1, 2, 3 ….
func countingKeys() -> MaskingKeySource {
    var count: UInt32 = 0
    return MaskingKeySource { buffer in
        let words = buffer.bindMemory(to: UInt32.self)
        var index = 0
        while index < words.count {
            count += 1
            words[index] = countedWord(count)
            index += 1
        }
    }
}

/// Returns the bytes of key number `count`.
func countedKey(_ count: UInt32) -> [UInt8] {
    withUnsafeBytes(of: countedWord(count)) { Array($0) }
}

/// Creates a masking key from its four bytes.
func maskingKey(_ bytes: [UInt8]) -> MaskingKey {
    MaskingKey(bytes.span.bytes, at: 0)
}

/// Returns a different word for each number, usually with four different bytes.
private func countedWord(_ count: UInt32) -> UInt32 {
    count &* 0x9E37_79B1
}

/// Creates a buffer with these bytes.
func buffer(of bytes: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    bytes.withUnsafeBytes { buffer.append($0.bytes) }
    return buffer
}

/// Copies the readable bytes of a buffer.
func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
    buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
}

/// Removes and returns everything waiting to be written.
func takeContents(of outbox: inout Outbox) -> [UInt8] {
    var all: [UInt8] = []
    while outbox.queuedBytes > 0 {
        var piece = ByteBuffer()
        outbox.moveFirst(to: &piece)
        all += contents(of: piece)
    }
    return all
}
