import Conversation
import Formats
import WSCore

/// The codecs of `--decode` and `--encode` under a scenario.
final class ScenarioCodecs {
    private var chain: CodecChain
    private let encoder: Codec?
    private let console: Console
    private var decoded = ByteBuffer()
    private var hasWarned = false

    /// Prepares the codecs of a connection.
    /// - Throws: ``Failure/badArgument(what:why:)`` if a codec is a program.
    init(_ arguments: CodecArguments, limitBytes: Int, console: Console) throws(Failure) {
        if let program = arguments.decoders.first(where: { $0.program != nil }) {
            throw .badArgument(
                what: "--decode \(escapingControls(program.name))", why: "scenarios run no programs; use another codec")
        }
        chain = CodecChain(arguments.decoders, limitBytes: limitBytes)
        encoder = arguments.encoder
        self.console = console
    }

    /// Decodes a received message. Messages that cannot be decoded stay unchanged, with a warning for the first one.
    /// - Parameter body: Receives the message, unless it ends in a later one.
    func decode(_ payload: RawSpan, as kind: MessageKind, _ body: (RawSpan, MessageKind) -> Void) {
        guard kind == .binary, !chain.codecs.isEmpty else { return body(payload, kind) }
        do throws(CodecError) {
            switch try chain.decode(payload, into: &decoded) {
            case .decoded(let isText): decoded.withReadableBytes { body($0, isText ? .text : .binary) }
            case .incomplete: break
            case .unchanged, .program: throw .notDetected
            }
        } catch {
            if !hasWarned { console.notice("wsx: warning: a message was not decoded: \(error)") }
            hasWarned = true
            body(payload, kind)
        }
    }

    /// Encodes a text message. Other messages stay unchanged.
    func encode(
        _ payload: RawSpan, as kind: MessageKind
    ) throws(ScenarioFailure.Reason) -> (payload: [UInt8], kind: MessageKind) {
        guard let encoder, kind == .text else { return (payload.withUnsafeBytes { Array($0) }, kind) }
        do throws(CodecError) {
            return (try encoder.encoded(payload), .binary)
        } catch {
            throw .unsendable("\(error)")
        }
    }
}
