import Conversation
import Formats
import UserInterface
import WSCore

/// Makes the pipelines of a server: of its clients, and for the messages of the server of a relay.
struct PipelineFactory {
    /// The rules for first messages and answers, or `nil` if there are none.
    let rules: AutoReply.Rules?
    /// How the messages of clients, and of the server of a relay, are decoded, or `nil` if they are not.
    private let (clientCodecs, serverCodecs): (MessageCodecs?, MessageCodecs?)
    /// The conditions of messages that are dropped.
    private let dropping: ScopedConditions
    private let unfinished: UnfinishedMessages

    init(_ settings: ListenSettings) {
        rules = settings.exchange.map { AutoReply.Rules($0) }
        (clientCodecs, serverCodecs) = (settings.codecs(of: .client), settings.codecs(of: .server))
        dropping = ScopedConditions([])
        unfinished = UnfinishedMessages(limitBytes: settings.maximumHeldBytes / 4 / (settings.share?.count ?? 1))
    }

    /// A pipeline, or `nil` if there is no need for one.
    /// - Parameters:
    ///   - side: The side whose messages it receives.
    ///   - path: The path of the client's request in normalized form, or `nil` if it has none.
    ///   - rewrite: Returns the new text of a text, or `nil` if it stays. Without it, no messages change.
    func makePipeline(
        for side: RelaySide, at path: String?, decodes: Bool, rewriting rewrite: MessageEditor.Rewriting?,
        on loop: EventLoop
    ) -> Pipeline? {
        let rules = rules?.concerning(side, at: path)
        let editor = MessageEditor(rewriting: rewrite, dropping: dropping.concerning(side, at: path))
        let codecs = decodes || rules != nil || editor != nil ? side == .client ? clientCodecs : serverCodecs : nil
        guard codecs != nil || rules != nil || editor != nil else { return nil }
        let pipeline = Pipeline(
            codecs ?? MessageCodecs(), answers: rules.map { AutoReply($0, seed: .random(in: .min ... .max)) },
            sharing: unfinished, clockOffset: loop.clockOffset)
        pipeline.editor = editor
        return pipeline
    }
}

/// The pipeline of a client of `wsx listen`, for servers with `--decode`, `--first-message`, or `--answer`: decodes its messages,
/// greets it, and answers.
final class ClientPipeline {
    private let pipeline: Pipeline
    private let number: Int
    private unowned let run: ListenRun

    /// Prepares the pipeline of a newly accepted client. Returns `nil` if there is no need for one.
    /// - Parameters:
    ///   - path: The path of its request in normalized form, or `nil` if it has none.
    ///   - needsDecoding: Whether anything besides rules looks into messages.
    ///   - rewrite: Changes its messages, or `nil` if nothing does.
    init?(
        of number: Int, at path: String?, in run: ListenRun, needsDecoding: Bool,
        rewriting rewrite: MessageEditor.Rewriting?
    ) {
        let pipeline = run.pipelines.makePipeline(
            for: .client, at: path, decodes: needsDecoding, rewriting: rewrite, on: run.loop)
        guard let pipeline else { return nil }
        self.pipeline = pipeline
        pipeline.opened(UInt64(number), subprotocol: nil, now: run.loop.nowNanoseconds)
        self.number = number
        self.run = run
    }

    /// Greets the client at the end of the turn, or before its first answer: the response to its request is sent first.
    func begin() {
        if pipeline.hasEffects { run.loop.atEndOfTurn(self) }
    }

    /// Decodes a message, and answers it if a rule matches. A message that ends in a later one is not delivered.
    /// - Returns: What is to be passed on.
    func received(
        _ payload: RawSpan, as kind: MessageKind, arrived: Pipeline.Arrival, deliver: Pipeline.Delivery
    ) -> RecordEdit {
        pipeline.clockOffset = run.loop.clockOffset
        defer { endTurn() }
        return pipeline.received(
            payload, as: kind, at: run.loop.nowNanoseconds, arrived: arrived, deliver: deliver)
    }

    /// Why the last message was not decoded, or `nil` if it was.
    var incompleteMessage: CodecError? { pipeline.incompleteMessage }

    private func send(_ payload: RawSpan, as kind: MessageKind, for purpose: Pipeline.Purpose) {
        do throws(CodecError) {
            try run.broadcaster.encoder.encode(payload, as: kind) { run.broadcaster.answer(number, with: $0, as: $1) }
        } catch {
            report("\(error)", for: purpose)
        }
    }

    private func report(_ problem: String, for purpose: Pipeline.Purpose) {
        switch purpose {
        case .greeting: run.diagnostics.error("client \(number) was not greeted (--first-message): \(problem)")
        case .answer, .line, .application:
            run.diagnostics.error("a message of client \(number) was not answered (--answer): \(problem)")
        }
    }
}

extension ClientPipeline: EndOfTurnWork {
    /// Sends first messages and answers.
    func endTurn() {
        while let effect = pipeline.next() {
            switch effect {
            case .send(let payload, let kind, let purpose): send(payload.span.bytes, as: kind, for: purpose)
            case .unanswered(let error): report("\(error)", for: .answer)
            case .notGreeted(let error): report("\(error)", for: .greeting)
            case .notEdited(let error): run.outputs.report(unedited: error, of: number)
            // There is neither an application protocol nor a login, and no codec is a program.
            default: break
            }
        }
    }
}
