import Formats
import WSCore

/// The path between a connection and a command, without I/O or a clock: codecs, then an application protocol or automatic
/// answers.
///
///     received ─► decoders ─► protocol ─────────────► event ─┐
///                                └─► answers ─► deliver      ├─► next
///     submit ───► protocol, or encoder ───────────► send ────┘
///
/// The span of a received message cannot be stored, so delivering it is the only call-out. Everything else is an ``Effect``
/// in a queue, in the order of sending. An input that arrives while effects are carried out adds its effects behind them.
///
/// Times are those of a monotonic clock, in nanoseconds.
package final class Pipeline {
    /// Something to do for the command, in order.
    package enum Effect: Equatable {
        /// Send a message.
        case send([UInt8], MessageKind)
        /// The server has confirmed the login: lines may be submitted.
        case ready
        /// Handle an event of the application protocol.
        case event(ProtocolEvent)
        /// Report a message that the application protocol does not understand, for this reason.
        case notUnderstood(String)
        /// End the connection, which is useless. No effect follows.
        case failed(ProtocolProblem)
        /// Report a message that was not answered, because a value is missing.
        case unanswered(TemplateValueError)
        /// Report first messages that were not sent, because a value is missing.
        case notGreeted(TemplateValueError)
    }

    /// The part that a delivered message plays.
    package enum Role {
        /// The command handles it.
        case message
        /// It belongs to the login.
        case login
        /// A rule has answered it.
        case answered
    }

    private enum State {
        /// The server has to confirm the login by this time, or at any time if `nil`.
        case opening(until: UInt64?)
        case ready
        /// The connection is useless.
        case over
    }

    private let codecs: MessageCodecs
    private var chain: CodecChain
    private let session: (any ProtocolSession)?
    private var answers: AutomaticExchange?
    private let readinessTimeout: Duration?
    private let heartbeatInterval: UInt64?
    /// The offset from the clock of the calls to the time since 1970.
    private let clockOffset: UInt64
    private var state = State.ready
    private var effects: [Effect] = []
    /// The index of the next effect. Those before it have been taken.
    private var nextIndex = 0
    private var output = ProtocolOutput()
    private var decoded = ByteBuffer()
    /// When the next heartbeat is due, or `nil` if none is.
    private var heartbeatTime: UInt64?
    /// Why the last message was not decoded, unless the command has taken the reason.
    private var undecodable = Undecodable.none

    private enum Undecodable {
        case none
        case last(CodecError)
        /// The reason for an earlier message has been taken.
        case taken
    }

    /// Prepares the pipeline of a connection.
    /// - Parameters:
    ///   - session: The application protocol, or `nil` if there is none.
    ///   - answers: The first messages and answers, prepared for the connection, or `nil` if there are none. Not together with
    ///     an application protocol.
    ///   - readinessTimeout: The time limit of the login, or `nil` if the caller limits it.
    ///   - clockOffset: The offset from the clock of the calls to the time since 1970, in nanoseconds.
    package init(
        _ codecs: MessageCodecs = MessageCodecs(), session: (any ProtocolSession)? = nil,
        answers: consuming AutomaticExchange? = nil, readinessTimeout: Duration? = nil, clockOffset: UInt64
    ) {
        self.codecs = codecs
        self.session = session
        heartbeatInterval = answers?.heartbeatInterval?.nanoseconds
        self.answers = answers
        self.readinessTimeout = readinessTimeout
        self.clockOffset = clockOffset
        chain = CodecChain(codecs.decoders, limitBytes: codecs.limitBytes)
    }

    /// Whether lines may be submitted.
    package var isReady: Bool { if case .ready = state { true } else { false } }
    private var isOver: Bool { if case .over = state { true } else { false } }
    /// The number of automatic messages, with those of earlier connections if they count.
    package var automaticCount: UInt64 { answers?.sentCount ?? 0 }

    /// The meaning of a close code, or `nil` for codes that the protocol does not define.
    package func meaning(of code: CloseCode) -> String? { session?.meaning(of: code) }

    // MARK: Inputs

    /// Begins a connection, before anything is received on it.
    /// - Parameter subprotocol: The subprotocol that the server selected, or `nil` if it selected none.
    package func opened(subprotocol: String?, at now: UInt64) {
        let isReady = session == nil && answers?.isReady ?? true
        state = isReady ? .ready : .opening(until: readinessTimeout.map { now + $0.nanoseconds })
        session?.connectionOpened(subprotocol: subprotocol, at: now, &output)
        takeOutput()
        do throws(TemplateValueError) {
            try answers?.sendFirstMessages(at: wallTime(at: now)) { add($0, as: .text) }
        } catch {
            effects.append(.notGreeted(error))
        }
    }

    /// Handles a received message.
    /// - Parameter deliver: Receives the message, decoded, if it is not the application protocol's, and its kind as received.
    ///   It may call the pipeline.
    package func received(
        _ payload: RawSpan, as kind: MessageKind, at now: UInt64, deliver: (RawSpan, MessageKind, Role) -> Void
    ) {
        guard kind == .binary, !chain.codecs.isEmpty else {
            return pass(payload, as: kind, from: kind, at: now, deliver)
        }
        var message = decoded.takeAll()
        if case .last = undecodable { undecodable = .none }
        do throws(CodecError) {
            switch try chain.decode(payload, into: &message) {
            case .decoded(let isText):
                message.withReadableBytes { pass($0, as: isText ? .text : .binary, from: kind, at: now, deliver) }
            case .incomplete: break
            case .unchanged, .program: throw .notDetected
            }
        } catch {
            if case .none = undecodable { undecodable = .last(error) }
            pass(payload, as: kind, from: kind, at: now, deliver)
        }
        decoded = message
    }

    /// Passes a message to the protocol or to the answers.
    /// - Parameter receivedKind: The kind of the message before it was decoded.
    private func pass(
        _ payload: RawSpan, as kind: MessageKind, from receivedKind: MessageKind, at now: UInt64,
        _ deliver: (RawSpan, MessageKind, Role) -> Void
    ) {
        if let session {
            guard !isOver else { return }
            session.received(payload, as: kind, at: now, &output)
            return takeOutput()
        }
        var role = Role.message
        do throws(TemplateValueError) {
            let finding = try answers?.receive(payload, at: wallTime(at: now)) { add($0, as: .text) }
            switch finding {
            case nil, .some(.none): break
            case .opening: role = .login
            case .answered: role = .answered
            case .ready:
                role = .login
                becomeReady()
            }
        } catch {
            effects.append(.unanswered(error))
        }
        deliver(payload, receivedKind, role)
    }

    /// Sends what the command has to say. The pipeline has to be ready.
    /// - Parameter wantsReply: Whether the protocol should ask for a reply, if it can.
    /// - Returns: The key of the reply, or `nil` if there will be none.
    /// - Throws: ``ProtocolInputError``. Nothing is sent.
    package func submit(
        _ payload: RawSpan, as kind: MessageKind, wantsReply: Bool, at now: UInt64
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        if let session {
            defer { takeOutput() }
            return try session.send(payload, wantsReply: wantsReply, at: now, &output)
        }
        guard let encoder = codecs.encoder, kind == .text else {
            add(payload, as: kind)
            return nil
        }
        do throws(CodecError) {
            effects.append(.send(try encoder.encoded(payload), .binary))
        } catch {
            throw ProtocolInputError("\(error)")
        }
        return nil
    }

    /// Starts the heartbeats, if there are any.
    package func startHeartbeats(at now: UInt64) {
        heartbeatTime = heartbeatInterval.map { now + $0 }
    }

    /// When ``timePassed(at:)`` has to be called next, or `nil` for never.
    package var deadline: UInt64? {
        switch state {
        case .over: nil
        case .opening(let time): [time, session?.deadline, heartbeatTime].compactMap(\.self).min()
        case .ready: [session?.deadline, heartbeatTime].compactMap(\.self).min()
        }
    }

    /// Handles the passing of time. A caller that does not read calls it only after passing on what has been received.
    package func timePassed(at now: UInt64) {
        if let session, !isOver, let deadline = session.deadline, deadline <= now {
            session.timePassed(at: now, &output)
            takeOutput()
        }
        if case .opening(let time?) = state, time <= now, let readinessTimeout {
            fail(.notReady(after: readinessTimeout))
        }
        guard let time = heartbeatTime, let heartbeatInterval, time <= now else { return }
        // If this end is late, heartbeats are skipped rather than sent in a burst.
        heartbeatTime = time + heartbeatInterval > now ? time + heartbeatInterval : now + heartbeatInterval
        do throws(TemplateValueError) {
            try answers?.sendHeartbeat(at: wallTime(at: now)) { add($0, as: .text) }
        } catch {
            effects.append(.unanswered(error))
        }
    }

    // MARK: Effects

    /// Whether there is something to do.
    package var hasEffects: Bool { nextIndex < effects.count }

    /// Removes and returns what to do next, or returns `nil` if there is nothing.
    package func next() -> Effect? {
        guard nextIndex < effects.count else {
            effects.removeAll(keepingCapacity: true)
            nextIndex = 0
            return nil
        }
        defer { nextIndex += 1 }
        return effects[nextIndex]
    }

    /// Removes and returns the next effect if it sends a message.
    package func nextMessage() -> (payload: [UInt8], kind: MessageKind)? {
        guard hasEffects, case .send(let payload, let kind) = effects[nextIndex] else { return nil }
        nextIndex += 1
        return (payload, kind)
    }

    /// The reason why the last message was not decoded: the first one of the connection that the caller asks about.
    package func takeUndecodable() -> CodecError? {
        guard case .last(let error) = undecodable else { return nil }
        undecodable = .taken
        return error
    }

    private func add(_ payload: RawSpan, as kind: MessageKind) {
        effects.append(.send(payload.withUnsafeBytes { Array($0) }, kind))
    }

    /// Appends the effects that the session has requested.
    private func takeOutput() {
        for item in output.items where !isOver {
            switch item {
            case .send(let payload, let kind): effects.append(.send(payload, kind))
            case .event(let event): effects.append(.event(event))
            case .ready: becomeReady()
            case .failure(let words, let isAboutLogin):
                fail(.refused(words, afterLogin: isReady, isAboutLogin: isAboutLogin))
            case .disconnect(let words): fail(.unusable(words))
            case .lineRefused(let words): fail(.refusedLine(words))
            case .close(let code, let message):
                fail(.ended(CloseFrame(code: code), meaning: message, afterLogin: isReady))
            case .unknown(let reason): effects.append(.notUnderstood(reason))
            case .lineWaits, .lineSent, .linesDropped, .renewed: break
            }
        }
        output.removeAll()
    }

    private func becomeReady() {
        guard case .opening = state else { return }
        state = .ready
        effects.append(.ready)
    }

    private func fail(_ problem: ProtocolProblem) {
        state = .over
        effects.append(.failed(problem))
    }

    /// The time in milliseconds since 1970.
    private func wallTime(at now: UInt64) -> UInt64 { (now &+ clockOffset) / 1_000_000 }
}

/// The formats of binary messages.
package struct MessageCodecs: Equatable, Sendable {
    /// The codecs of received messages, the outermost first. None is a program.
    package let decoders: [Codec]
    /// The codec of sent text messages, which can encode, or `nil` to send them unchanged.
    package let encoder: Codec?
    /// The maximum size of a decoded message.
    package let limitBytes: Int

    /// Describes formats; by default, messages stay unchanged.
    package init(decoders: [Codec] = [], encoder: Codec? = nil, limitBytes: Int = .max) {
        self.decoders = decoders
        self.encoder = encoder
        self.limitBytes = limitBytes
    }
}
