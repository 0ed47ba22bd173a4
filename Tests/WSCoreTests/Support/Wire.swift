import WSCore

// Frames as they travel, built without the code under test.

/// A frame that is not masked: its first byte (FIN, RSV, opcode), the shortest length, and the payload.
func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    header(first, payloadBytes: payload.count) + payload
}

/// The header of a frame that is not masked, with the shortest length.
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

/// A frame that is not masked and carries the UTF-8 form of `payload`.
func frame(_ first: UInt8, _ payload: String) -> [UInt8] {
    frame(first, Array(payload.utf8))
}

/// A close frame with a code and a reason, not masked.
func closeFrame(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
}

/// The key of RFC 6455 §5.7's examples.
let exampleKey: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

/// The same frame as a client sends it: the MASK bit set, the key behind the length, the payload XORed with it.
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

/// XORs bytes with a key of four; eight bytes at a time, for the sake of payloads of megabytes in debug builds.
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

/// Frames as they reach an end of the given role: masked when they come from a client.
func wire(_ frames: [[UInt8]], receivedBy role: Role) -> [UInt8] {
    frames.flatMap { role == .server ? masked($0) : $0 }
}

/// Frames as an end of the given role sends them: those of a client are masked with ``countedKey(_:)`` 1, 2, 3 ….
func wire(_ frames: [[UInt8]], sentBy role: Role) -> [UInt8] {
    frames.enumerated().flatMap { index, frame in
        role == .client ? masked(frame, key: countedKey(UInt32(index) + 1)) : frame
    }
}

/// A source of the keys ``countedKey(_:)`` 1, 2, 3 ….
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

/// The bytes of the key number `count`.
func countedKey(_ count: UInt32) -> [UInt8] {
    withUnsafeBytes(of: countedWord(count)) { Array($0) }
}

/// A masking key from its four bytes.
func maskingKey(_ bytes: [UInt8]) -> MaskingKey {
    MaskingKey(bytes.span.bytes, at: 0)
}

/// A different word for each number, with four different bytes for most.
private func countedWord(_ count: UInt32) -> UInt32 {
    count &* 0x9E37_79B1
}

/// A buffer with these bytes.
func buffer(of bytes: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    bytes.withUnsafeBytes { buffer.append($0.bytes) }
    return buffer
}

/// The readable bytes of a buffer, copied.
func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
    buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
}
