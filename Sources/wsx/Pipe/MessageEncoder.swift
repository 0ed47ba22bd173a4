import Formats
import WSCore

/// Encodes the text messages of a run, for `--encode`.
final class MessageEncoder {
    private let codec: Codec
    /// Whether the input is checked, as opposed to the calls made from it.
    private let checksInput: Bool
    private var buffer = ByteBuffer()
    /// The size of the storage that is kept between messages, in bytes.
    private static let keptBytes = 64 << 10

    /// Creates an encoder.
    /// - Parameters:
    ///   - codec: A codec that can encode.
    ///   - checksInput: Whether input messages are encoded as they are.
    init(_ codec: Codec, checksInput: Bool = true) {
        self.codec = codec
        self.checksInput = checksInput
    }

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
        try codec.encode(payload, to: &encoded)
        let value = encoded.withReadableBytes { body($0, .binary) }
        encoded.removeAll()
        encoded.releaseStorage(above: Self.keptBytes)
        buffer = encoded
        return value
    }

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
