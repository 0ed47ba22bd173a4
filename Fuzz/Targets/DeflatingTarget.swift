import WSCore

extension FuzzTarget {
    /// Messages to compress. The first byte of the input selects the parameters.
    ///
    /// - Decompressing returns the messages, with every window, and in any order of repetitive and other messages.
    /// - A compressed message is shorter than the original.
    static let deflating = FuzzTarget(name: "deflating") { input in
        var choices = ChoiceReader(input)
        let choice = choices.byte()
        let parameters = DeflateParameters(
            serverNoContextTakeover: choice & 0x08 != 0, serverMaxWindowBits: 8 + Int(choice & 7))
        let memory = DeflateMemory()
        let decompressor = memory.makeCodec(for: parameters, role: .client).decompressor
        guard let compressor = memory.makeCodec(for: parameters, role: .server).compressor, let decompressor else {
            unexpected("there is no codec")
        }
        var message: [UInt8] = []
        while !choices.isAtEnd {
            let kind = choices.byte()
            if kind & 0x0F == 0 { _ = memory.releaseIdle() }
            if kind & 0x0F == 1 { compressor.forgetHistory() }
            change(&message, kind, &choices)
            // Only messages that repeat earlier ones several times leave zlib.
            for _ in 0...kind >> 4 {
                let byte = choices.byte()
                if !message.isEmpty { message[Int(byte) % message.count] ^= kind }
                exchange(message, compressor, decompressor)
            }
        }
    }

    /// Makes another message.
    private static func change(_ message: inout [UInt8], _ kind: UInt8, _ choices: inout ChoiceReader) {
        let byteCount = Int(choices.byte())
        switch kind & 3 {
        case 0: message = (0..<byteCount).map { _ in choices.byte() }
        case 1: message += (0..<byteCount).map { _ in choices.byte() }
        case 2: message = Array((message + message).suffix(byteCount * 20))
        // Bytes that do not repeat.
        default:
            var state = UInt32(byteCount) << 8 | UInt32(choices.byte())
            message = (0..<byteCount * 4).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(state >> 24)
            }
        }
    }

    private static func exchange(
        _ message: [UInt8], _ compressor: any MessageCompressor, _ decompressor: any MessageDecompressor
    ) {
        var compressed: [UInt8] = []
        let isCompressed = compressor.compress(message.span.bytes) { bytes in
            compressed = bytes.withUnsafeBytes { Array($0) }
        }
        guard isCompressed else { return }
        expect(compressed.count < message.count, "\(message.count) bytes became \(compressed.count)")
        var received = ByteBuffer()
        do throws(ProtocolError) {
            try decompressor.decompress(
                compressed.span.bytes, isMessageEnd: true, into: &received, limitBytes: message.count)
        } catch {
            unexpected("a message cannot be decompressed: \(error)")
        }
        expectEqual(contents(of: received), message, "a message and what returned")
        decompressor.recycle(&received)
    }
}
