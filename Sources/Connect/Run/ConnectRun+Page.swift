import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The live page.
extension ConnectRun {
    /// Starts the page, if there is one.
    func startPage() throws(Failure) {
        outputs.page?.send = { [unowned self] (item, payload, _, toServer) throws(PageProblem) in
            guard toServer else { throw PageProblem("there is no client to send to") }
            try sendFromPage(item, payload)
        }
        try outputs.page?.start()
    }

    /// Sends an item of the page like a typed one.
    private func sendFromPage(_ item: InputItem, _ payload: [UInt8]) throws(PageProblem) {
        guard let connection, !connection.isClosing else {
            throw PageProblem("not sent: there is no open connection")
        }
        guard !connection.isFull else { throw PageProblem("not sent: the server does not read; try again later") }
        switch item {
        case .message(let kind):
            // What a line becomes there may not be a message, which would end the run.
            guard
                settings.hasPrompt
                    || (!lines.areRequests && settings.wrapKind == nil && !settings.arguments.linesAreTemplates)
            else {
                throw PageProblem("not sent: the messages of this run are requests or templates from its input")
            }
            if let problem = stages.encoder?.problem(with: payload.span.bytes, as: kind) {
                throw PageProblem("not sent: \(problem)")
            }
            sendTyped(payload.span.bytes, as: kind)
        case .ping: send(control: .ping, payload.span.bytes)
        case .pong: send(control: .pong, payload.span.bytes)
        case .close(let frame?), .end(let frame): close(with: frame)
        case .close(nil): break
        }
    }

    /// Lets messages of the connection that opens wait on the page.
    func holdForPage() {
        guard let pipeline = stages.pipeline, let holds = outputs.page?.holds else { return }
        let held = holds.makeQueue(from: nil, client: nil, at: nil)
        pipeline.held = held
        held.pass = { [unowned self, unowned pipeline] message, verdict in
            guard !state.ignoresIncoming else { return }
            pipeline.clockOffset = loop.clockOffset
            let kind = message.kind(after: verdict)
            take(kind, from: pipeline) {
                pipeline.settle(message, verdict, at: loop.nowNanoseconds, arrived: $0, deliver: $1)
            }
        }
    }

    /// Lets everything pass that waits on the page, because the connection has ended.
    func releaseHeld() {
        guard let held = stages.pipeline?.held else { return }
        held.conditions = []
        held.releaseAll(because: .released)
        outputs.page?.holds?.remove(held)
        stages.pipeline?.held = nil
    }

    /// Whether messages wait on the page.
    var holdsMessages: Bool { stages.pipeline?.held?.isEmpty == false }
}
