import Conversation
import WSCore

// The pipelines of connections: logins, keepalives, automatic answers, and codecs.
//
//      received ─► pipeline ─► the workload, or LoadConnection.received(_:in:), then .proceed(in:)
//      the workload ─► submit ─► pipeline ─► connection
extension LoadContext {
    /// The time after which a full connection is asked again whether it has room, in nanoseconds.
    private static let retryNanoseconds: UInt64 = 100_000_000

    /// Creates the pipeline of a connection that is being opened, if it needs one.
    /// - Parameter subprotocol: The subprotocol that the server selected, or `nil` if it selected none.
    package func openPipeline(of connection: LoadConnection, subprotocol: String?) {
        let number = connection.number
        guard let pipeline = factory.makePipeline(of: number, seed: connections.seed(of: number)) else { return }
        pipeline.opened(
            number + 1, after: connections.earlier(number).automaticCount, subprotocol: subprotocol, now: now)
        connection.pipeline = pipeline
        if pipeline.hasProtocol || !pipeline.isReady { connections.unready.insert(number) }
    }

    /// Sends the first messages on a connection that has been opened.
    package func beginPipeline(of connection: LoadConnection) {
        executeEffects(of: connection)
        if connection.pipeline?.isReady == true { startHeartbeats(on: connection) }
    }

    /// Starts the heartbeats, if there are any, unless the connection is still logging in.
    internal func startHeartbeats(on connection: LoadConnection) {
        guard !connection.isLoggingIn else { return }
        connection.pipeline?.startHeartbeats(at: now)
        awaitDeadline(of: connection)
    }

    /// Passes a received message through the pipeline of a connection.
    /// - Parameter body: Handles the message, or each of its records, if it is the workload's.
    @inline(__always)
    internal func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, _ body: (RawSpan) -> Void
    ) {
        guard let pipeline = connection.pipeline else { return body(payload) }
        receive(payload, as: kind, on: connection, through: pipeline, body)
    }

    private func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, through pipeline: Pipeline,
        _ body: (RawSpan) -> Void
    ) {
        pipeline.received(payload, as: kind, at: now) { payload, _, role, _ in
            if role == .message { body(payload) }
        }
        if !connection.takesUndecodable { reportUndecodable(on: connection) }
        executeEffects(of: connection)
    }

    /// Reports the last message if it could not be decoded, and none has been reported yet.
    internal func reportUndecodable(on connection: LoadConnection) {
        guard !connection.hasReportedUndecodable, let problem = connection.pipeline?.undecodable else { return }
        connection.hasReportedUndecodable = true
        host?.protocolFailed(on: connection, because: .undecodable(problem))
    }

    /// Sends a message of the workload through the pipeline of a connection. Events that result from it wait for the next
    /// turn, because the workload is sending. It then calls ``awaitDeadline(of:)``.
    /// - Parameter wantsReply: Whether the workload waits for a reply.
    /// - Returns: Whether it was sent, as opposed to a connection that is closing, and what becomes of it.
    /// - Throws: ``ProtocolInputError``. Nothing has been sent.
    internal func submit(
        _ payload: RawSpan, as kind: MessageKind, wantsReply: Bool, on connection: LoadConnection,
        through pipeline: Pipeline
    ) throws(ProtocolInputError) -> (isSent: Bool, receipt: LineReceipt) {
        guard connection.takesMessages else { return (false, LineReceipt()) }
        let outcome = try pipeline.submit(payload, as: kind, wantsReply: wantsReply, at: now) {
            connection.transmit($0, as: $1)
        }
        if pipeline.hasEffects, let handler = connections[connection.number] { host?.fillInNextTurn(handler) }
        return outcome
    }

    /// Sends a message that needs no reply through the pipeline of a connection. Reports one that cannot be sent.
    /// - Returns: Whether it was sent.
    internal func send(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, through pipeline: Pipeline
    ) -> Bool {
        guard connection.hasRoom else { return false }
        do throws(ProtocolInputError) {
            let sent = try submit(payload, as: kind, wantsReply: false, on: connection, through: pipeline)
            awaitDeadline(of: connection)
            return sent.isSent
        } catch {
            host?.protocolFailed(on: connection, because: .unsendable(error.description))
            return false
        }
    }

    /// Handles the deadline of the pipeline of a connection.
    internal func pipelineTimePassed(on connection: LoadConnection) {
        guard let pipeline = connection.pipeline, let deadline = pipeline.deadline, deadline <= now else { return }
        guard !connection.isClosing else { return connection.retryTime = .max }
        guard connection.hasRoom else {
            // A full connection shows activity without a heartbeat. It is not read, so a session cannot know whether the peer
            // is silent.
            guard pipeline.hasProtocol else { return pipeline.skipHeartbeat(at: now) }
            return connection.retryTime = now + Self.retryNanoseconds
        }
        pipeline.timePassed(at: now)
        executeEffects(of: connection)
    }

    // MARK: Effects

    internal func executeEffects(of connection: LoadConnection) {
        guard let pipeline = connection.pipeline else { return }
        var hasEvents = false
        var becameReady = false
        while let effect = pipeline.next() {
            switch effect {
            case .send(let payload, let kind, _): _ = connection.transmit(payload.span.bytes, as: kind)
            case .event(let event): hasEvents = pass(event, to: connection) || hasEvents
            case .ready: becameReady = true
            case .failed(let problem): end(connection, because: problem)
            case .notUnderstood(_, _, _, let reason):
                guard !connection.hasReportedUnknown else { continue }
                connection.hasReportedUnknown = true
                host?.protocolFailed(on: connection, because: .notUnderstood(reason))
            // The workload counts the replies that are missing.
            case .lineSent, .linesDropped, .renewed, .detected, .decode: break
            // A message that cannot be answered, because a value is missing, is the workload's. Other messages insert only
            // values that exist; see ``AutoReply/Plan``.
            case .unanswered, .notGreeted, .notEdited: break
            }
        }
        // The workload sends only after everything that the session sends.
        if becameReady, pipeline.isReady {
            connection.becameReady(in: self)
            startHeartbeats(on: connection)
        }
        if hasEvents { connection.proceed(in: self) }
        awaitDeadline(of: connection)
    }

    /// Passes an event to the workload. Returns whether it got it.
    private func pass(_ event: ProtocolEvent, to connection: LoadConnection) -> Bool {
        switch event.role {
        case .hidden, .notice: return false
        case .refusal where !connection.takesRefusals:
            host?.protocolFailed(on: connection, because: .error(String(decoding: event.line, as: UTF8.self)))
            return false
        case .event, .reply, .refusal:
            connection.received(event, in: self)
            return true
        }
    }

    /// Ends a connection, which is useless.
    private func end(_ connection: LoadConnection, because problem: ProtocolProblem) {
        // Its end is not another error.
        connection.state = .ending
        stopAwaiting(connection)
        host?.protocolFailed(on: connection, because: problem)
        switch problem {
        case .unusable, .refusedLine: connection.port?.terminate()
        default: host?.close(connection)
        }
    }
}
