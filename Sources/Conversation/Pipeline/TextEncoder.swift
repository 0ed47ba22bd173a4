import Formats
import WSCore

/// Encodes text messages, for `--encode`. The latest one is kept, so a message that is checked, sent, and recorded is encoded
/// once.
package final class TextEncoder {
    /// Appends the encoding of a text.
    package typealias Encoding = (RawSpan, inout ByteBuffer) throws(CodecError) -> Void

    /// The size of the storage that is kept between messages, in bytes.
    private static let keptBytes = 4 << 10
    private let append: Encoding?
    private var buffer = ByteBuffer()
    private var latest: (text: [UInt8], message: [UInt8])?

    /// Uses a function, such as that of a program.
    package init(_ append: @escaping Encoding) { self.append = append }

    /// Uses a codec, which can encode. Without one, messages stay unchanged.
    package init(_ codec: Codec?) {
        guard let codec else {
            append = nil
            return
        }
        append = { (text, buffer) throws(CodecError) in try codec.encode(text, to: &buffer) }
    }

    /// The encoding of a text.
    /// - Throws: ``CodecError`` if the text cannot be encoded, for instance because it is not JSON.
    private func encoded(_ text: RawSpan, by append: Encoding) throws(CodecError) -> [UInt8] {
        if let latest, text.isEqual(to: latest.text.span.bytes) { return latest.message }
        buffer.removeAll()
        try append(text, &buffer)
        let message = buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
        buffer.removeAll()
        buffer.releaseStorage(above: Self.keptBytes)
        latest = (text.withUnsafeBytes { Array($0) }, message)
        return message
    }

    /// Encodes a text message. Passes on other messages unchanged.
    /// - Parameter body: Receives the message as it is sent.
    /// - Throws: ``CodecError``.
    package func encode<Value>(
        _ payload: RawSpan, as kind: MessageKind, _ body: (RawSpan, MessageKind) -> Value
    ) throws(CodecError) -> Value {
        guard kind == .text, let append else { return body(payload, kind) }
        let message = try encoded(payload, by: append)
        return body(message.span.bytes, .binary)
    }

    /// The reason why a message cannot be encoded, or `nil` if it can.
    package func problem(with payload: RawSpan, as kind: MessageKind = .text) -> CodecError? {
        do throws(CodecError) {
            try encode(payload, as: kind) { _, _ in }
            return nil
        } catch {
            return error
        }
    }
}
