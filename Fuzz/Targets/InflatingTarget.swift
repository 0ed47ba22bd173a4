import WSCore

extension FuzzTarget {
    /// A sequence of compressed messages. The first byte of the input selects the parameters.
    ///
    /// - The output never exceeds the limit.
    /// - The result does not depend on whether zlib's memory is released between messages.
    /// - The result does not depend on how a message is split. Windows smaller than DEFLATE's own are an exception:
    ///   zlib
    ///   accepts references beyond the window if they lead into the current output.
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

    /// The outcome of compressed messages.
    private struct Outcome: Equatable {
        var messages: [[UInt8]] = []
        var error: ProtocolError?

        init(
            _ compressed: [[UInt8]], _ parameters: DeflateParameters, limitBytes: Int, givesBack: Bool,
            cut: ([UInt8]) -> [ArraySlice<UInt8>]
        ) {
            let memory = DeflateMemory()
            guard let decompressor = memory.makeCodec(for: parameters, role: .client).decompressor else { return }
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
                // Memory used since the previous call survives one call, so the second call must release it.
                if givesBack, memory.releaseIdle() { expect(!memory.releaseIdle(), "memory was not given back") }
            }
        }
    }
}
