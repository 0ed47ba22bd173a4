import WSCore

extension FuzzTarget {
    /// Compressed messages, one after the other, of which the first byte of the input says under which parameters.
    ///
    /// - What comes out is never more than the limit.
    /// - It makes no difference whether zlib's memory is given back between messages.
    /// - A message comes out, or is refused, in any pieces; what comes out is the same. But for a window smaller than
    ///   DEFLATE's own: zlib does not hold references to it as long as they lead into what it has just put out.
    static let inflating = FuzzTarget(name: "inflating") { input in
        var choices = ChoiceReader(input)
        let choice = choices.byte()
        let parameters = DeflateParameters(
            serverNoContextTakeover: choice & 0x08 != 0, serverMaxWindowBits: 8 + Int(choice & 7))
        let limitBytes = choice & 0x10 != 0 ? 100 : 1 << 20
        var messages: [[UInt8]] = []
        while !choices.isAtEnd {
            let byteCount = Int(choices.byte())
            messages.append((0..<byteCount).compactMap { _ in choices.isAtEnd ? nil : choices.byte() })
        }
        let whole = Outcome(messages, parameters, limitBytes: limitBytes, givesBack: false) { [$0[...]] }
        let idling = Outcome(messages, parameters, limitBytes: limitBytes, givesBack: true) { [$0[...]] }
        expectEqual(whole, idling, "with memory kept and given back")
        guard parameters.serverMaxWindowBits == 15 else { return }
        let bytewise = Outcome(messages, parameters, limitBytes: limitBytes, givesBack: false) { message in
            message.indices.map { message[$0...$0] } + [[]]
        }
        expectEqual(whole, bytewise, "whole and byte by byte")
        let halved = Outcome(messages, parameters, limitBytes: limitBytes, givesBack: false) { message in
            [message[..<(message.count / 2)], message[(message.count / 2)...]]
        }
        expectEqual(whole, halved, "whole and in halves")
    }

    /// What becomes of compressed messages.
    private struct Outcome: Equatable {
        var messages: [[UInt8]] = []
        var error: ProtocolError?

        init(
            _ compressed: [[UInt8]], _ parameters: DeflateParameters, limitBytes: Int, givesBack: Bool,
            cut: ([UInt8]) -> [ArraySlice<UInt8>]
        ) {
            let memory = DeflateMemory()
            let decompressor = memory.makeCodec(for: parameters, role: .client).decompressor
            var message = ByteBuffer()
            for whole in compressed {
                let pieces = cut(whole)
                for (index, piece) in pieces.enumerated() {
                    do throws(ProtocolError) {
                        try decompressor.decompress(
                            piece.span.bytes, isMessageEnd: index == pieces.count - 1, into: &message,
                            limitBytes: limitBytes)
                    } catch {
                        self.error = error
                        expect(message.count <= limitBytes, "more came out than the limit")
                        return
                    }
                    expect(message.count <= limitBytes, "more came out than the limit")
                }
                messages.append(contents(of: message))
                decompressor.recycle(&message)
                // Twice: what has been used since the last time stays.
                if givesBack, memory.releaseIdle() { expect(!memory.releaseIdle(), "memory was not given back") }
            }
        }
    }
}
