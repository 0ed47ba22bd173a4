import Formats
import WSCore

/// Decodes the binary messages of a recording in the same way as the connection that plays it decodes received ones.
final class RecordedMessageDecoder {
    private var chain: CodecChain
    private var decoded = ByteBuffer()

    /// Prepares the codecs, the outermost first.
    /// - Parameter limitBytes: The maximum size of a decoded message.
    init(_ codecs: [Codec], limitBytes: Int) {
        chain = CodecChain(codecs, limitBytes: limitBytes)
    }

    /// The message to expect, or `nil` if it ends in a later one. A message of another format stays unchanged.
    func decode(_ payload: [UInt8]) -> (kind: MessageKind, payload: [UInt8])? {
        do throws(CodecError) {
            switch try chain.decode(payload.span.bytes, into: &decoded) {
            case .decoded(let isText):
                let message = decoded.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
                return (isText ? .text : .binary, message)
            case .incomplete: return nil
            case .unchanged, .program: return (.binary, payload)
            }
        } catch {
            return (.binary, payload)
        }
    }
}
