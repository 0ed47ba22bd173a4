import Formats
import WSCore

extension Pipeline {
    /// Something to do for the command, in order.
    package enum Effect: Equatable {
        /// Send a message.
        case send([UInt8], MessageKind, Purpose)
        /// Pass a message to the program of a codec. ``Pipeline/answered(_:by:named:)`` gets its answer.
        case decode([UInt8], program: Int)
        /// Report the name of the application protocol that has been detected.
        case detected(String)
        /// The server has confirmed the login: lines may be submitted.
        case ready
        /// Handle an event of the application protocol.
        case event(ProtocolEvent)
        /// Handle a received message unchanged, because the application protocol does not understand it, for this reason.
        case notUnderstood([UInt8], MessageKind, Decoding?, reason: String)
        /// The line with this number, which the session has held back, has been sent.
        case lineSent(Int)
        /// The lines with these numbers will not be sent, because their subscription was refused or has ended.
        case linesDropped([Int])
        /// The session has renewed what a line on an earlier connection asked for, such as the subscription to this topic.
        case renewed(String)
        /// End the connection, which is useless. The protocol has no further effects.
        case failed(ProtocolProblem)
        /// Report a message that was not answered, because a value is missing.
        case unanswered(TemplateValueError)
        /// Report a message that is not changed as rules demand, because its edited records cannot be encoded, and what is
        /// passed on.
        case notEdited(CodecError, became: RecordEdit)
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
