import Conversation
import Formats
import WSCore

/// Decodes received binary messages, and encodes sent text messages, in front of another exchange or the workload.
///
///     binary message ─► CodecChain ─► inner exchange ─► LoadConnection.received(_:in:), then .proceed(_:in:)
///     text message of the workload ─► encoder ─► binary message
internal final class CodecExchange: ConnectionExchange {
    private let inner: ConnectionExchange?
    private let encoder: Codec?
    private var chain: CodecChain
    private var decoded = ByteBuffer()
    /// Why the last message cannot be decoded, unless that has been reported.
    private var problem: CodecError?
    /// Whether a message that cannot be decoded has been reported.
    private var hasReportedProblem = false

    /// Prepares the codecs of a connection.
    /// - Parameter inner: The exchange that handles decoded messages, or `nil` if there is none.
    init(_ codecs: LoadCodecs, inner: ConnectionExchange?, in context: LoadContext) {
        self.inner = inner
        encoder = codecs.encoder
        chain = CodecChain(codecs.decoders, limitBytes: codecs.limitBytes)
        super.init(in: context)
    }

    override var isReady: Bool { inner?.isReady ?? true }
    override var deadline: UInt64? { inner?.deadline }
    override var automaticCount: UInt64 { inner?.automaticCount ?? 0 }
    override func meaning(of code: CloseCode) -> String? { inner?.meaning(of: code) }

    override func begin(on connection: LoadConnection, in context: LoadContext) {
        inner?.begin(on: connection, in: context)
    }

    override func startHeartbeats(on connection: LoadConnection, in context: LoadContext) {
        inner?.startHeartbeats(on: connection, in: context)
    }

    override func timePassed(on connection: LoadConnection, in context: LoadContext) {
        inner?.timePassed(on: connection, in: context)
    }

    override func finishTurn(on connection: LoadConnection, in context: LoadContext) {
        inner?.finishTurn(on: connection, in: context)
    }

    override func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, in context: LoadContext
    ) -> Bool {
        var message = decoded.takeAll()
        problem = nil
        let isTaken: Bool
        switch decode(payload, as: kind, into: &message, on: connection, in: context) {
        case .incomplete: isTaken = true
        case .decoded(let isText):
            message.withReadableBytes {
                pass($0, as: isText ? .text : .binary, to: connection, in: context)
            }
            isTaken = true
        case .unchanged, .program:
            isTaken = inner?.receive(payload, as: kind, on: connection, in: context) ?? false
        }
        decoded = message
        return isTaken
    }

    private func decode(
        _ payload: RawSpan, as kind: MessageKind, into message: inout ByteBuffer, on connection: LoadConnection,
        in context: LoadContext
    ) -> CodecChain.Outcome {
        guard kind == .binary, !chain.codecs.isEmpty else { return .unchanged }
        do throws(CodecError) {
            let outcome = try chain.decode(payload, into: &message)
            guard outcome == .unchanged else { return outcome }
            throw .notDetected
        } catch {
            problem = error
            if !connection.takesUndecodable { messageWasUnexpected(on: connection, in: context) }
            return .unchanged
        }
    }

    override func messageWasUnexpected(on connection: LoadConnection, in context: LoadContext) {
        guard let problem, !hasReportedProblem else { return }
        hasReportedProblem = true
        context.host?.protocolFailed(on: connection, because: .undecodable("\(problem)"))
    }

    /// Passes a decoded message on.
    private func pass(
        _ payload: RawSpan, as kind: MessageKind, to connection: LoadConnection, in context: LoadContext
    ) {
        if inner?.receive(payload, as: kind, on: connection, in: context) == true { return }
        let bytes = payload.withUnsafeBytes { Array($0) }
        // The opcode of a scenario's step is that of the message as received, and only binary ones are decoded.
        connection.received(ProtocolEvent(.event(), payload: bytes, isText: false), in: context)
        connection.proceed(in: context)
    }

    override func send(
        _ payload: RawSpan, as kind: MessageKind, wantsReply: Bool, on connection: LoadConnection,
        in context: LoadContext
    ) throws(ProtocolInputError) -> SentMessage? {
        if let inner { return try inner.send(payload, as: kind, wantsReply: wantsReply, on: connection, in: context) }
        guard let encoder, kind == .text else {
            return try super.send(payload, as: kind, wantsReply: wantsReply, on: connection, in: context)
        }
        let message: [UInt8]
        do throws(CodecError) {
            message = try encoder.encoded(payload)
        } catch {
            throw ProtocolInputError("\(error)")
        }
        return connection.transmit(message.span.bytes, as: .binary) ? SentMessage(replyKey: nil) : nil
    }
}
