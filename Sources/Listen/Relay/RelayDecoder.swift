import Conversation
import Formats
import Peer
import UserInterface
import WSCore

extension ListenMode {
    /// Decodes what the relay shows, or `nil` for other modes and without `--decode`.
    /// - Parameter limitBytes: The maximum size of a decoded message.
    func decoder(limitBytes: Int) -> RelayDecoder? {
        guard case .relay(let mode) = self, !mode.codecs.decoders.isEmpty else { return nil }
        return RelayDecoder(mode.codecs.decoders, limitBytes: limitBytes)
    }

    /// Encodes what is typed at the prompt of a relay, or `nil` for other modes and without `--encode`.
    var encoder: Codec? {
        if case .relay(let mode) = self { mode.codecs.encoder } else { nil }
    }
}

/// Decodes the binary messages that `wsx relay` shows. What it forwards and records stays as it is.
final class RelayDecoder {
    /// The form in which a message is shown.
    enum Outcome {
        /// Another payload. If the message could not be decoded, it is the original.
        case shown([UInt8], MessageKind, Decoding)
        /// The message is empty or of another format.
        case unchanged
        /// The message ends in a later one.
        case incomplete
    }

    /// The messages of one side of a client's connection, which may be one compressed stream.
    private struct Source: Hashable {
        let client: Int
        let side: RelaySide
    }

    /// The codecs of one side of a client's connection.
    private final class State {
        var chain: CodecChain

        init(_ codecs: [Codec], limitBytes: Int) { chain = CodecChain(codecs, limitBytes: limitBytes) }
    }

    private let codecs: [Codec]
    private let limitBytes: Int
    private var states: [Source: State] = [:]
    private var output = ByteBuffer()

    /// Decodes by codecs, the outermost first. Programs are not among them.
    /// - Parameter limitBytes: The maximum size of a decoded message.
    init(_ codecs: [Codec], limitBytes: Int) {
        self.codecs = codecs
        self.limitBytes = limitBytes
    }

    /// Decodes a binary message that a client, or the server for it, has sent.
    func decode(_ payload: RawSpan, from side: RelaySide, client: Int) -> Outcome {
        guard payload.byteCount > 0 else { return .unchanged }
        let source = Source(client: client, side: side)
        let state = states[source] ?? State(codecs, limitBytes: limitBytes)
        states[source] = state
        defer {
            output.removeAll()
            output.releaseStorage(above: 0)
        }
        do throws(CodecError) {
            switch try state.chain.decode(payload, into: &output) {
            case .decoded(let isText):
                let names = state.chain.applied.map(\.shortName).joined(separator: "+")
                let bytes = output.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
                let decoding = Decoding(result: .decoded(by: names), byteCount: payload.byteCount)
                return .shown(bytes, isText ? .text : .binary, decoding)
            case .incomplete: return .incomplete
            case .unchanged: return undecoded(payload, CodecError(codec: .auto, problem: .notDetected))
            case .program: return .unchanged
            }
        } catch {
            return undecoded(payload, error)
        }
    }

    private func undecoded(_ payload: RawSpan, _ error: CodecError) -> Outcome {
        let decoding = Decoding(result: .failed("\(error)"), byteCount: payload.byteCount)
        return .shown(payload.withUnsafeBytes { Array($0) }, .binary, decoding)
    }

    /// Forgets the streams of a client that has left.
    func clientLeft(_ client: Int) {
        for side in RelaySide.allCases { states[Source(client: client, side: side)] = nil }
    }
}
