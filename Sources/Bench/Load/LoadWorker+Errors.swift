import Conversation
import LoadTest
import Peer
import UserInterface
import WSCore

// Counting errors.
extension LoadWorker {
    /// Counts an error, if there is one, and keeps the first failure of each kind.
    func note(_ failure: Failure?, as kind: LoadErrorKind) {
        guard let failure else { return }
        context.measurement.advance(to: loop.nowNanoseconds)
        context.measurement.count(kind, cause: failure.cause)
        failures.add(failure, as: kind)
    }

    /// Records the secrets of a connection if its failure may be one that is kept.
    func recordSecrets(of number: UInt64) {
        if !failures.isFull { opener.recordSecrets(of: number) }
    }

    /// Counts the end of a connection if it is an error.
    func note(_ end: ConnectionEnd, of connection: LoadConnection) {
        if !connection.isClosing { recordSecrets(of: connection.number) }
        let failure = Failure.failure(of: end, closeTimeout: settings.arguments.client.limits.closeTimeout)
        switch failure {
        case .violation(_)?, .http2Violation(_)?: note(failure, as: .violation)
        case .limitExceeded(_)?: note(failure, as: .closed)
        case .closingTimedOut? where connection.isClosing: note(failure, as: .timeout)
        default:
            if connection.isEndExpected { return }
            guard !connection.isClosing else { return note(failure, as: .closed) }
            if let failure = applicationFailure(end, of: connection) {
                return note(failure, as: connection.pipeline?.isReady == true ? .closed : .login)
            }
            note(end.closing.received.map { .closed($0) } ?? .lost(end.failure), as: .closed)
        }
    }

    /// A failure of the application protocol.
    func application(_ problem: ProtocolProblem) -> Failure {
        let name = context.plan.conversation.applicationProtocol?.name ?? ""
        return .application(ApplicationFailure(name: name, problem: problem))
    }

    /// The failure for a connection that the server has ended, if the application protocol has more to say about it.
    private func applicationFailure(_ end: ConnectionEnd, of connection: LoadConnection) -> Failure? {
        guard context.plan.conversation.applicationProtocol != nil, let pipeline = connection.pipeline else {
            return nil
        }
        let frame = end.closing.received
        let meaning = frame?.code.flatMap { pipeline.meaning(of: $0) }
        guard meaning != nil || !pipeline.isReady else { return nil }
        return application(.ended(frame, meaning: meaning, afterLogin: pipeline.isReady))
    }

    /// Ends the run because of a failure on this side.
    func end(because failure: Failure) {
        failures.end = failure
        drain()
    }

    /// Counts a failed connection attempt. Without a request for the connection, there is none, and the run ends.
    func note(_ error: ConnectionOpener.OpeningError) {
        switch error {
        case .connecting(let error, let url): note(error, at: url)
        case .noRequest(let failure): end(because: failure)
        }
    }

    /// - Parameter url: The URL to which the server has redirected, or `nil` for the URL of the run.
    func note(_ error: ConnectError, at url: String? = nil) {
        let failure = Failure.connecting(url: url ?? settings.requests.url.shown, error)
        switch failure.status {
        case .timedOut: note(failure, as: .timeout)
        case .refused, .violation: note(failure, as: .handshake)
        default: note(failure, as: .connect)
        }
    }
}
