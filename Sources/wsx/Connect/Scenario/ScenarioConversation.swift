import Conversation
import WSCore

/// The application protocol under a scenario: it opens the conversation, and translates between lines and messages.
final class ScenarioConversation {
    /// Something to happen, in order.
    enum Item {
        /// Send a message of the protocol.
        case send([UInt8], MessageKind)
        /// Start the scenario.
        case ready
        /// Pass an event to the scenario.
        case message(ProtocolEvent)
        /// Tell the user about a message that is not understood.
        case notice(String)
        /// End the run.
        case failure(Failure)
        /// The peer has ended the conversation, which is a failure unless all steps are done.
        case ended(Failure)
    }

    private let name: String
    private let session: any ProtocolSession
    private let readinessTimeout: Duration
    /// The requested actions of the session. Those before ``nextIndex`` are done.
    private var output = ProtocolOutput()
    private var nextIndex = 0
    private var isReady = false
    /// When the server has to be ready, on the loop's clock in nanoseconds.
    private var readinessDeadline: UInt64?
    private var isLate = false

    /// Prepares the conversation on a connection.
    init(_ selection: ProtocolSelection, clockOffset: UInt64, readinessTimeout: Duration) {
        name = selection.descriptor.name
        session = selection.makeSession(connection: 1, clockOffset: clockOffset)
        self.readinessTimeout = readinessTimeout
    }

    // MARK: Events

    /// Begins the connection, before anything is received on it.
    func connectionOpened(subprotocol: String?, at now: UInt64) {
        readinessDeadline = now + readinessTimeout.wholeNanoseconds
        session.connectionOpened(subprotocol: subprotocol, at: now, &output)
    }

    /// Handles a received message.
    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64) {
        session.received(payload, as: kind, at: now, &output)
    }

    /// When ``timePassed(at:)`` has to be called next, on the loop's clock in nanoseconds, or `nil` for never.
    var deadline: UInt64? { [session.deadline, isReady ? nil : readinessDeadline].compactMap { $0 }.min() }

    /// Handles the passing of time.
    func timePassed(at now: UInt64) {
        if let deadline = session.deadline, deadline <= now { session.timePassed(at: now, &output) }
        if !isReady, let readinessDeadline, readinessDeadline <= now { isLate = true }
    }

    /// The failure for a connection that the server has ended, if the protocol has more to say about it.
    func failure(of end: ConnectionEnd) -> Failure? {
        guard end.violation == nil, !end.closing.wasStartedHere else { return nil }
        let frame = end.closing.received
        // After the login, a step may expect the end.
        return isReady
            ? nil
            : failure(.ended(frame, meaning: frame?.code.flatMap { session.meaning(of: $0) }, afterLogin: false))
    }

    private func failure(_ problem: ProtocolProblem) -> Failure {
        .application(ApplicationFailure(name: name, problem: problem))
    }

    // MARK: Sending

    /// The messages for a line of the scenario.
    func messages(
        for line: RawSpan, at now: UInt64
    ) throws(ScenarioFailure.Reason) -> [(payload: [UInt8], kind: MessageKind)] {
        var items = ProtocolOutput()
        do throws(ProtocolInputError) {
            // Replies are messages for the steps.
            _ = try session.send(line, wantsReply: true, at: now, &items)
        } catch {
            throw .unsendable(error.description)
        }
        var messages: [(payload: [UInt8], kind: MessageKind)] = []
        for item in items.items {
            if case .send(let payload, let kind) = item {
                messages.append((payload, kind))
            } else {
                output.append(item)
            }
        }
        return messages
    }

    // MARK: Items

    /// Removes what has to happen next, or returns `nil` if there is nothing.
    func next() -> Item? {
        while nextIndex < output.items.count {
            let item = output.items[nextIndex]
            nextIndex += 1
            switch item {
            case .send(let payload, let kind): return .send(payload, kind)
            case .ready where !isReady:
                isReady = true
                return .ready
            case .ready: break
            case .event(let event):
                switch event.role {
                case .event, .reply, .refusal: return .message(event)
                case .notice, .hidden: break
                }
            case .failure(let words, let isAboutLogin):
                return .failure(failure(.refused(words, afterLogin: isReady, isAboutLogin: isAboutLogin)))
            case .disconnect(let words): return .failure(failure(.unusable(words)))
            case .lineRefused(let words): return .failure(failure(.refusedLine(words)))
            case .close(let code, let message):
                return .ended(failure(.ended(CloseFrame(code: code), meaning: message, afterLogin: isReady)))
            // The step that waits for the reply to a dropped line fails.
            case .lineWaits, .lineSent, .linesDropped, .renewed: break
            case .unknown(let reason): return .notice("wsx: \(name): a message is not understood: \(reason)")
            }
        }
        output.removeAll()
        nextIndex = 0
        return isLate ? .failure(failure(.notReady(after: readinessTimeout))) : nil
    }
}
