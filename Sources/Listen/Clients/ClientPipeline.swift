import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// Makes the pipelines of a server: of its clients, and for the messages of the server of a relay.
struct PipelineFactory {
    /// The rules for first messages and answers, or `nil` if there are none.
    let rules: AutoReply.Rules?
    /// How the messages of clients, and of the server of a relay, are decoded, or `nil` if they are not.
    private let (clientCodecs, serverCodecs): (MessageCodecs?, MessageCodecs?)
    /// The conditions of messages that are dropped.
    let dropping: ScopedConditions
    private let unfinished: UnfinishedMessages

    init(_ settings: ListenSettings) {
        rules = settings.exchange.map { AutoReply.Rules($0) }
        (clientCodecs, serverCodecs) = (settings.codecs(of: .client), settings.codecs(of: .server))
        dropping = ScopedConditions(settings.arguments.transcript.dropped)
        unfinished = UnfinishedMessages(limitBytes: settings.maximumHeldBytes / 4 / (settings.share?.count ?? 1))
    }

    /// Whether a client's messages may need a pipeline. For most servers, none do, and each client costs less.
    func mayServeClients(decoding: Bool) -> Bool {
        rules != nil || dropping.isNotEmpty || (decoding && clientCodecs != nil)
    }

    /// A pipeline, or `nil` if there is no need for one.
    /// - Parameters:
    ///   - side: The side whose messages it receives.
    ///   - request: The client's request.
    ///   - rewrite: Returns the new text of a text, or `nil` if it stays. Without it, no messages change.
    ///   - held: Keeps messages for a page, or `nil` if none wait.
    /// - Returns: The pipeline, and its rules, or `nil` if there are none.
    fileprivate func makePipeline(
        for side: RelaySide, of request: RequestHead, decodes: Bool, rewriting rewrite: MessageEditor.Rewriting?,
        holding held: HeldMessages?, on loop: EventLoop
    ) -> (Pipeline, AutoReply?)? {
        let path = request.normalizedPath
        let answers = rules?.concerning(side, at: path).map { AutoReply($0, seed: .random(in: .min ... .max)) }
        answers?.variables.request = request
        let editor = MessageEditor(rewriting: rewrite, dropping: dropping.concerning(side, at: path))
        let isNeeded = answers != nil || editor != nil || held != nil
        let codecs = decodes || isNeeded ? side == .client ? clientCodecs : serverCodecs : nil
        guard codecs != nil || isNeeded else { return nil }
        let pipeline = Pipeline(
            codecs ?? MessageCodecs(), answers: answers, sharing: unfinished, clockOffset: loop.clockOffset)
        pipeline.editor = editor
        pipeline.held = held
        return (pipeline, answers)
    }
}

/// The end of a connection that gets the answers to its messages.
struct AnsweredPeer {
    /// Sends an answer, and records and shows it.
    let send: (RawSpan, MessageKind) -> Void
    /// Stops or resumes reading, because answers wait for programs.
    let pause: () -> Void
    let resume: () -> Void
}

/// The pipeline of a client of `wsx listen`, or of its server in `wsx relay`, with `--decode`, `--first-message`, or `--answer`:
/// decodes messages, greets the client, and answers.
final class ClientPipeline {
    private let pipeline: Pipeline
    private let number: Int
    private let side: RelaySide
    private let peer: AnsweredPeer
    /// The messages that wait on a page, or `nil` if none can.
    let held: HeldMessages?
    private unowned let run: ListenRun
    /// The answers of programs, or `nil` if no rule has one.
    private var programAnswers: ProgramAnswers?
    /// Whether it may answer messages, or send first ones.
    let answersMessages: Bool

    /// Prepares the pipeline of a newly accepted client, or of its server. Returns `nil` if there is no need for one.
    /// - Parameters:
    ///   - side: The side whose messages it receives.
    ///   - needsDecoding: Whether anything besides rules looks into messages.
    ///   - rewrite: Changes its messages, or `nil` if nothing does.
    init?(
        of client: AcceptedClient, from side: RelaySide = .client, in run: ListenRun, needsDecoding: Bool,
        rewriting rewrite: MessageEditor.Rewriting?, answering peer: AnsweredPeer
    ) {
        held = run.outputs.page?.holds?.makeQueue(
            from: side, client: client.number, at: client.upgrade.request.normalizedPath)
        let made = run.pipelines.makePipeline(
            for: side, of: client.upgrade.request, decodes: needsDecoding, rewriting: rewrite, holding: held,
            on: run.loop)
        guard let (pipeline, answers) = made else { return nil }
        self.pipeline = pipeline
        answersMessages = answers != nil
        number = client.number
        pipeline.opened(UInt64(number), subprotocol: nil, now: run.loop.nowNanoseconds)
        self.side = side
        self.peer = peer
        self.run = run
        guard let answers, let programs = run.answerPrograms else { return }
        let environment = RequestEnvironment(of: client, in: run).variables
        programAnswers = ProgramAnswers(answers, by: programs, environment: environment) { [unowned self] text in
            send(text.span.bytes, as: .text, for: .answer)
        } report: { [unowned self] problem in
            report(problem, for: .answer)
        } didChange: { [unowned self] in
            if !(programAnswers?.isFull ?? false) { peer.resume() }
        }
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
        defer { executeEffects() }
        return pipeline.received(
            payload, as: kind, at: run.loop.nowNanoseconds, arrived: arrived, deliver: deliver)
    }

    /// Passes on a message that has waited on a page, like one that has just arrived, or drops it.
    func settle(
        _ message: HeldMessage, _ verdict: HeldMessages.Verdict, arrived: Pipeline.Arrival, deliver: Pipeline.Delivery
    ) -> RecordEdit {
        pipeline.clockOffset = run.loop.clockOffset
        defer { executeEffects() }
        return pipeline.settle(
            message, verdict, at: run.loop.nowNanoseconds, arrived: arrived, deliver: deliver)
    }

    private func executeEffects() {
        endTurn()
        if let programAnswers, programAnswers.isFull { peer.pause() }
    }

    /// Gives up answers of programs, and drops what waits on a page, because a connection has ended.
    /// - Returns: The close frame that has waited, if any.
    @discardableResult
    func ended() -> CloseFrame? {
        programAnswers?.cancel()
        return held.flatMap { run.outputs.page?.holds?.remove($0) }
    }

    /// Why the last message was not decoded, or `nil` if it was.
    var incompleteMessage: CodecError? { pipeline.incompleteMessage }

    private func send(_ payload: RawSpan, as kind: MessageKind, for purpose: Pipeline.Purpose) {
        do throws(CodecError) {
            let encoder = side == .client ? run.broadcaster.encoder : run.serverEncoder
            try encoder.encode(payload, as: kind) { peer.send($0, $1) }
        } catch {
            report("\(error)", for: purpose)
        }
    }

    private func report(_ problem: String, for purpose: Pipeline.Purpose) {
        switch purpose {
        case .greeting: run.diagnostics.error("client \(number) was not greeted (--first-message): \(problem)")
        case .answer, .line, .application:
            let origin = side == .client ? "" : "the server for "
            run.diagnostics.error("a message of \(origin)client \(number) was not answered (--answer): \(problem)")
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
            case .notEdited(let error, let form): run.outputs.report(unedited: error, became: form, of: number)
            // There is neither an application protocol nor a login, and no codec is a program.
            default: break
            }
        }
    }
}
