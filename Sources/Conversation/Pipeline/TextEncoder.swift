import Formats
import WSCore

/// Encodes text messages, for `--encode`. The latest one is kept, so a message that is checked, sent, and recorded is encoded
/// once.
package final class TextEncoder {
    /// Appends the encoding of a text.
    package typealias Encoding = (RawSpan, inout ByteBuffer) throws(CodecError) -> Void

    /// The size of the storage that is kept between messages, in bytes.
    private static let keptBytes = 4 << 10
    private let codecs: [Codec]
    private let program: Encoding?
    private var input = ByteBuffer()
    private var output = ByteBuffer()
    private var latest: (text: [UInt8], message: [UInt8], kind: MessageKind)?

    /// Uses codecs, the outermost first. Without one, messages stay unchanged.
    /// - Parameter program: Encodes for the codec that is a program.
    package init(_ codecs: [Codec], program: Encoding? = nil) {
        self.codecs = codecs
        self.program = program
    }

    /// The encoding of a text, and its kind.
    /// - Throws: ``CodecError`` if the text cannot be encoded, for instance because it is not JSON.
    private func encoded(_ text: RawSpan) throws(CodecError) -> (message: [UInt8], kind: MessageKind) {
        if let latest, text.isEqual(to: latest.text.span.bytes) { return (latest.message, latest.kind) }
        defer {
            output.removeAll()
            output.releaseStorage(above: Self.keptBytes)
            input.releaseStorage(above: Self.keptBytes)
        }
        var kind = MessageKind.text
        output.append(text)
        for codec in codecs.reversed() {
            swap(&input, &output)
            var encoding = output.takeAll()
            defer {
                input.removeAll()
                output = encoding.takeAll()
            }
            try input.withReadableBytes { (input) throws(CodecError) in
                if case .program = codec, let program {
                    try program(input, &encoding)
                } else {
                    try codec.encode(input, isText: kind == .text, to: &encoding)
                }
            }
            if !codec.keepsKind { kind = .binary }
        }
        let message = output.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
        latest = (text.withUnsafeBytes { Array($0) }, message, kind)
        return (message, kind)
    }

    /// Encodes a text message. Passes on other messages unchanged.
    /// - Parameter body: Receives the message as it is sent.
    /// - Throws: ``CodecError``.
    package func encode<Value>(
        _ payload: RawSpan, as kind: MessageKind, _ body: (RawSpan, MessageKind) -> Value
    ) throws(CodecError) -> Value {
        guard kind == .text, !codecs.isEmpty else { return body(payload, kind) }
        let (message, kind) = try encoded(payload)
        return body(message.span.bytes, kind)
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
