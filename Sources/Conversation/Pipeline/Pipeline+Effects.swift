import WSCore

extension Pipeline {
    /// Something to do for the command, in order.
    package enum Effect: Equatable {
        /// Send a message.
        case send([UInt8], MessageKind, Purpose)
        /// Report the name of the application protocol that has been detected.
        case detected(String)
        /// The server has confirmed the login: lines may be submitted.
        case ready
        /// Handle an event of the application protocol.
        case event(ProtocolEvent)
        /// Handle a received message unchanged, because the application protocol does not understand it, for this reason.
        case notUnderstood([UInt8], String)
        /// A line that has waited has been sent. The line, if it is kept for another connection, and what confirms it.
        case lineSent(UnconfirmedLines.Line?, confirmedBy: LineConfirmation)
        /// A line that has waited is invalid.
        case waitingLineFailed(ProtocolInputError)
        /// This many lines will not be sent, because their subscription was refused or has ended.
        case linesDropped(Int)
        /// The session has renewed what a line on an earlier connection asked for, such as the subscription to this topic.
        case renewed(String)
        /// End the connection, which is useless. The protocol has no further effects.
        case failed(ProtocolProblem)
        /// Report a message that was not answered, because a value is missing.
        case unanswered(TemplateValueError)
        /// Report first messages that were not sent, because a value is missing.
        case notGreeted(TemplateValueError)
    }

    /// Why a message is sent.
    package enum Purpose {
        /// The command has submitted it, or has asked for heartbeats.
        case line
        /// The application protocol sends it, on its own or for a line.
        case application
        /// Each connection begins with it.
        case greeting
        /// It answers the last delivered message.
        case answer
    }

    /// The application protocol of a pipeline.
    package struct Application {
        enum Choice {
            case session(ApplicationProtocol?, any ProtocolSession)
            case detect((ApplicationProtocol) -> (any ProtocolSession)?)
        }

        let choice: Choice
        /// Whether lines wait that the session does not take yet, and are counted if they are not sent.
        package var keepsLines = false
        /// Whether a line whose reply is wanted must have one.
        package var awaitsReplies = false
        /// Replaces the name of a file in a line by its contents, for protocols with such lines.
        package var resolve: ([UInt8]) throws(ProtocolInputError) -> [UInt8] = { $0 }

        /// Uses a session.
        /// - Parameter descriptor: Its protocol, if the properties of the protocol matter.
        package init(_ session: any ProtocolSession, of descriptor: ApplicationProtocol? = nil) {
            choice = .session(descriptor, session)
        }

        /// Detects the protocol by the URL, the subprotocol, or the first message of a connection.
        /// - Parameter makeSession: Creates the session of a protocol, or returns `nil` if it cannot.
        package init(detecting makeSession: @escaping (ApplicationProtocol) -> (any ProtocolSession)?) {
            choice = .detect(makeSession)
        }
    }

    /// The properties of a line to send.
    package struct Line {
        /// Where a line comes from.
        package enum Origin: Equatable {
            /// The input. With another connection, it is kept.
            case input
            /// The message of the command line with this number, with which each connection begins.
            case operand(Int)
            /// The prompt, where it is the request with this number. With another connection, it is kept.
            case typed(Int)
        }

        /// What has happened to a line before.
        package enum Past {
            case new
            /// It was kept until there was a connection.
            case kept
            /// It was sent on an earlier connection. It may now be invalid, for example if the session has renewed the
            /// subscription for which it asks.
            case sent
        }

        package let origin: Origin
        /// Whether the protocol should ask for a reply, if it can.
        package let wantsReply: Bool
        package let past: Past
        /// The name of the line in errors, or `nil` for the operand, or the line that has just been read.
        package let name: String?

        /// Describes a line.
        package init(_ origin: Origin = .input, wantsReply: Bool = false, past: Past = .new, name: String? = nil) {
            self.origin = origin
            self.wantsReply = wantsReply
            self.past = past
            self.name = name
        }

        /// Whether the line was sent on an earlier connection.
        package var wasSent: Bool { past == .sent }

        /// Whether the line may wait for a session that does not take it yet. Others are sent by stages that wait themselves.
        var mayWait: Bool { origin == .input && !wantsReply }

        /// How the next connection gets the line if it is not sent on this one.
        func unsentOrigin(hasKey: Bool) -> UnsentLines.Origin {
            switch origin {
            case .typed(let number) where hasKey: .typed(number, wasSent: wasSent)
            case _ where hasKey: .request
            case .operand(let number): .operand(number)
            case .input, .typed: .input(wasSent: wasSent)
            }
        }
    }

    /// The outcome of submitting a line.
    package struct Sending {
        /// What happens to a line.
        package enum Delivery {
            case sent(confirmedBy: LineConfirmation)
            /// It waits until the server has confirmed the login or a subscription.
            case waiting
            /// Sent, and the session repeats it on each connection.
            case renewed
        }

        package let delivery: Delivery
        /// The key of the reply, or `nil` if there will be none.
        package let key: ProtocolEvent.ReplyKey?

        init(_ delivery: Delivery, key: ProtocolEvent.ReplyKey?) {
            self.delivery = delivery
            self.key = key
        }
    }

    /// What the end of a connection means.
    package struct End {
        /// Why the connection ended, if the protocol has more to say about it.
        package let problem: ProtocolProblem?
        /// The input lines that waited, in order, which the caller keeps or drops.
        package let lines: [UnconfirmedLines.Line]
        /// What the lines waited for.
        package let waitedFor: ProtocolProblem.UnsentCause
    }
}

/// Effects that have not been executed, in order.
struct EffectQueue {
    private var effects: [Pipeline.Effect] = []
    /// The index of the next effect. Those before it have been taken.
    private var nextIndex = 0

    var isEmpty: Bool { nextIndex == effects.count }

    mutating func append(_ effect: Pipeline.Effect) {
        effects.append(effect)
    }

    mutating func append(_ payload: RawSpan, _ kind: MessageKind, _ purpose: Pipeline.Purpose) {
        effects.append(.send(payload.withUnsafeBytes { Array($0) }, kind, purpose))
    }

    mutating func next() -> Pipeline.Effect? {
        guard !isEmpty else {
            effects.removeAll(keepingCapacity: true)
            nextIndex = 0
            return nil
        }
        defer { nextIndex += 1 }
        return effects[nextIndex]
    }

    /// Removes and returns the next message, also from behind other effects.
    mutating func nextMessage() -> (payload: [UInt8], kind: MessageKind)? {
        let index = effects[nextIndex...].firstIndex { if case .send = $0 { true } else { false } }
        guard let index, case .send(let payload, let kind, _) = effects.remove(at: index) else { return nil }
        return (payload, kind)
    }
}
