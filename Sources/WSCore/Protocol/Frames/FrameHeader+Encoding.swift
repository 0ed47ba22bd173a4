extension FrameHeader {
    /// Appends the encoded header, 2 to 14 bytes.
    @inlinable @inline(__always)
    package func encode(into buffer: inout ByteBuffer) {
        let target = buffer.reserve(Self.maximumBytes)
        let first = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue
        let mask: UInt8 = maskingKey == nil ? 0 : 0x80
        target.storeBytes(of: first, as: UInt8.self)
        var length = 2
        // RFC 6455 §5.2: the minimal number of bytes must be used to encode the length.
        if payloadBytes <= 125 {
            target.storeBytes(of: mask | UInt8(truncatingIfNeeded: payloadBytes), toByteOffset: 1, as: UInt8.self)
        } else if payloadBytes <= 0xFFFF {
            target.storeBytes(of: mask | 126, toByteOffset: 1, as: UInt8.self)
            let value = UInt16(truncatingIfNeeded: payloadBytes).bigEndian
            target.storeBytes(of: value, toByteOffset: 2, as: UInt16.self)
            length = 4
        } else {
            target.storeBytes(of: mask | 127, toByteOffset: 1, as: UInt8.self)
            let value = UInt64(truncatingIfNeeded: payloadBytes).bigEndian
            target.storeBytes(of: value, toByteOffset: 2, as: UInt64.self)
            length = 10
        }
        if let maskingKey {
            target.storeBytes(of: maskingKey.word, toByteOffset: length, as: UInt32.self)
            length += 4
        }
        buffer.commit(length)
    }
}
