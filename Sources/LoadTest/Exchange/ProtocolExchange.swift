import Conversation
import WSCore

/// The application protocol of a connection, which opens the conversation, keeps it alive, and translates between lines
/// and messages.
///
///     received ─► session ─► events ─► LoadConnection.received(_:in:), then .proceed(_:in:)
///     line of the workload ─► session ─► messages ─► connection
internal final class ProtocolExchange: ConnectionExchange {
    private enum State {
        case opening
        case ready
        /// The connection is unusable; the value is the reason.
        case over(ProtocolProblem)
    }

    private let session: any ProtocolSession
    /// The requested actions of the session that are not done yet.
    private var pending = ProtocolOutput()
    private var state = State.opening
    /// When to try again to handle a deadline that a full connection has delayed, on the loop's clock in nanoseconds.
    private var retryTime: UInt64 = 0
    /// Whether a message that is not understood has been reported.
    private var hasReportedUnknown = false

    /// The time after which a full connection is asked again whether it has room, in nanoseconds.
    private static let retryNanoseconds: UInt64 = 100_000_000

    /// Prepares the conversation on a connection, before anything is received on it.
    /// - Parameter subprotocol: The subprotocol that the server selected, or `nil` if it selected none.
    init(_ session: any ProtocolSession, subprotocol: String?, in context: LoadContext) {
        self.session = session
        super.init(in: context)
        session.connectionOpened(subprotocol: subprotocol, at: context.now, &pending)
    }

    override var isReady: Bool { if case .ready = state { true } else { false } }
    private var isOver: Bool { if case .over = state { true } else { false } }
    override var deadline: UInt64? { isOver ? nil : session.deadline.map { max($0, retryTime) } }
    override func meaning(of code: CloseCode) -> String? { session.meaning(of: code) }

    override func begin(on connection: LoadConnection, in context: LoadContext) {
        execute(on: connection, in: context)
    }

    override func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, in context: LoadContext
    ) -> Bool {
        guard !isOver else { return true }
        session.received(payload, as: kind, at: context.now, &pending)
        execute(on: connection, in: context)
        return true
    }

    override func timePassed(on connection: LoadConnection, in context: LoadContext) {
        // A full connection is not read, so the session cannot know whether the peer is silent.
        guard connection.hasRoom else { return retryTime = context.now + Self.retryNanoseconds }
        session.timePassed(at: context.now, &pending)
        execute(on: connection, in: context)
    }

    override func finishTurn(on connection: LoadConnection, in context: LoadContext) {
        if connection.port != nil, !isOver { execute(on: connection, in: context) }
    }

    /// Sends a line. Events that result from it wait for the next turn, because the workload is sending.
    override func send(
        _ line: RawSpan, as kind: MessageKind, wantsReply: Bool, on connection: LoadConnection,
        in context: LoadContext
    ) throws(ProtocolInputError) -> SentMessage? {
        guard isReady, !connection.isClosing else { return nil }
        var items = ProtocolOutput()
        let key = try session.send(line, wantsReply: wantsReply, at: context.now, &items)
        var isSent = true
        for item in items.items {
            if case .send(let payload, let kind) = item {
                isSent = connection.transmit(payload.span.bytes, as: kind) && isSent
            } else {
                pending.append(item)
                context.finishInNextTurn(connection)
            }
        }
        return isSent ? SentMessage(replyKey: key) : nil
    }

    // MARK: Items

    private func execute(on connection: LoadConnection, in context: LoadContext) {
        let items = pending.items
        pending.removeAll()
        var hasEvents = false
        var becameReady = false
        for item in items where !isOver {
            switch item {
            case .send(let payload, let kind): _ = connection.transmit(payload.span.bytes, as: kind)
            case .event(let event): hasEvents = pass(event, to: connection, in: context) || hasEvents
            case .ready:
                becameReady = !isReady
                state = .ready
            case .failure(let words, let isAboutLogin):
                give(
                    up: connection, because: .refused(words, afterLogin: isReady, isAboutLogin: isAboutLogin),
                    in: context)
            case .disconnect(let reason), .lineRefused(let reason):
                give(up: connection, because: .unusable(reason), in: context)
            case .close(let code, let message):
                let problem = ProtocolProblem.ended(CloseFrame(code: code), meaning: message, afterLogin: isReady)
                give(up: connection, because: problem, in: context)
            // The workload counts the replies that are missing.
            case .lineWaits, .lineSent, .linesDropped, .renewed: break
            case .unknown(let reason):
                guard !hasReportedUnknown else { continue }
                hasReportedUnknown = true
                context.host?.protocolFailed(on: connection, because: .notUnderstood(reason))
            }
        }
        // The workload sends only after everything that the session sends.
        if becameReady, isReady { connection.exchangeIsReady(since: startTime, in: context) }
        if hasEvents { connection.proceed(in: context) }
        context.awaitDeadline(of: connection)
    }

    /// Passes an event to the workload. Returns whether it got it.
    private func pass(_ event: ProtocolEvent, to connection: LoadConnection, in context: LoadContext) -> Bool {
        switch event.role {
        case .hidden, .notice: return false
        case .refusal where !connection.takesRefusals:
            context.host?.protocolFailed(on: connection, because: .error(String(decoding: event.line, as: UTF8.self)))
            return false
        case .event, .reply, .refusal:
            connection.received(event, in: context)
            return true
        }
    }

    /// Ends the connection, which is unusable.
    private func give(up connection: LoadConnection, because problem: ProtocolProblem, in context: LoadContext) {
        state = .over(problem)
        connection.isClosing = true
        // Its end is not another error.
        connection.isEndExpected = true
        context.stopAwaiting(connection)
        context.host?.protocolFailed(on: connection, because: problem)
        if case .unusable = problem { connection.port?.terminate() } else { context.host?.close(connection) }
    }
}
