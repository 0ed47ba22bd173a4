import Formats
import WSCore

/// Decodes the messages of a recording in the same way as a connection decodes received ones.
package final class RecordedMessageDecoder {
    private var chain: CodecChain
    private var records = MessageRecords()

    /// Prepares the codecs, the outermost first.
    /// - Parameter limitBytes: The maximum size of a decoded message.
    package init(_ codecs: [Codec], limitBytes: Int) {
        chain = CodecChain(codecs, limitBytes: limitBytes)
    }

    /// The records of a message, of which there are none if it ends in a later one. A message of another format stays
    /// unchanged.
    package func decode(_ message: [UInt8], as kind: MessageKind) -> [(payload: [UInt8], kind: MessageKind)] {
        guard kind == .binary || chain.splitsText else { return [(message, kind)] }
        do throws(CodecError) {
            switch try chain.decode(message.span.bytes, isText: kind == .text, into: &records) {
            case .decoded:
                return (0..<records.count).map { index in
                    let payload = records.withRecord(index, of: message.span.bytes) { $0.withUnsafeBytes { Array($0) } }
                    return (payload, records.isText(index) ? .text : .binary)
                }
            case .incomplete: return []
            case .unchanged, .program: return [(message, kind)]
            }
        } catch {
            return [(message, kind)]
        }
    }
}
