import Formats
import Peer
import UserInterface
import WSCore

/// Encodes the text messages of a run, for `--encode`.
final class MessageEncoder {
    private let codec: Codec
    /// Encodes in place of the codec, or `nil` if the codec is no program.
    private let program: EncodingProgram?
    /// Whether the input is checked, as opposed to the calls made from it.
    private let checksInput: Bool
    private var buffer = ByteBuffer()
    /// The size of the storage that is kept between messages, in bytes.
    private static let keptBytes = 64 << 10

    /// Creates an encoder.
    /// - Parameters:
    ///   - codec: A codec that can encode, or that of `program`.
    ///   - checksInput: Whether input messages are encoded as they are.
    init(_ codec: Codec, program: EncodingProgram? = nil, checksInput: Bool = true) {
        self.codec = codec
        self.program = program
        self.checksInput = checksInput
    }

    /// Ends the program, if there is one, even if it ignores the request.
    func kill() { program?.kill() }

    /// Encodes a text message. Passes on other messages unchanged.
    /// - Parameter body: Receives the message as it is sent.
    /// - Throws: ``CodecError`` if the text cannot be encoded, for instance because it is not JSON.
    func encode<Value>(
        _ payload: RawSpan, as kind: MessageKind, _ body: (RawSpan, MessageKind) -> Value
    ) throws(CodecError) -> Value {
        guard kind == .text else { return body(payload, kind) }
        // The body may encode another message.
        var encoded = buffer.takeAll()
        encoded.removeAll()
        if let program {
            try program.encode(payload, to: &encoded)
        } else {
            try codec.encode(payload, to: &encoded)
        }
        let value = encoded.withReadableBytes { body($0, .binary) }
        encoded.removeAll()
        encoded.releaseStorage(above: Self.keptBytes)
        buffer = encoded
        return value
    }

    /// Why the program has ended, or `nil` if it works or there is none. It is the reason why the last message was not
    /// encoded.
    var programFailure: Failure? { program?.failure }

    /// The reason why an input message cannot be encoded, or `nil` if it can.
    func problem(with payload: RawSpan, as kind: MessageKind) -> CodecError? {
        checksInput ? encodingProblem(with: payload, as: kind) : nil
    }

    /// The reason why a message cannot be encoded, or `nil` if it can.
    func encodingProblem(with payload: RawSpan, as kind: MessageKind) -> CodecError? {
        do throws(CodecError) {
            try encode(payload, as: kind) { _, _ in }
            return nil
        } catch {
            return error
        }
    }
}
