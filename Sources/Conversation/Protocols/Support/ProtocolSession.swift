import WSCore

/// An application protocol on a connection, without I/O: Socket.IO, MQTT, and others.
///
///     typed line ──► send ──► messages ──► connection
///     shown, matched ◄── events ◄── received ◄── connection
///     connectionOpened, timePassed ──► the protocol's own messages: opening, keepalive, subscriptions
///
/// A session outlives its connections: after a reconnect, ``connectionOpened(subprotocol:at:_:)`` begins anew and renews
/// the subscriptions. It forgets lines that wait, and lines whose replies are outstanding; the caller sends them again if
/// it wants to.
///
/// A line that waits for a subscription is the caller's, and the session has only its messages. Later lines for the
/// subscription wait behind it, also one that ends the subscription:
///
///     send ─► lineWaits(1) ─┬─ the peer confirms ─► messages, lineSent(1)
///                           └─ it refuses, or ends the subscription ─► linesDropped([1])
///
/// A line for a subscription that the peer has refused or ended is rejected with ``ProtocolInputError/refused(_:)``, so the
/// outcome is the same whether the refusal arrives before or after the line. A line that subscribes again is not.
///
/// All calls append to a ``ProtocolOutput``, and the caller carries out its items in order. Times are on a monotonic
/// clock in nanoseconds. A connection that ends before the session is ready was probably refused; ``meaning(of:)`` and the
/// close reason may say why.
package protocol ProtocolSession: AnyObject {
    /// Begins a connection, before anything is received on it.
    /// - Parameter subprotocol: The subprotocol that the server selected, or `nil` if it selected none.
    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput)
    /// Logs in with the parameters of another session of the protocol on the next connection.
    func takeLogin(of session: any ProtocolSession)
    /// Handles a received message.
    /// - Parameter payload: Valid UTF-8 if the message is text.
    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput)
    /// Sends what a user typed, once the session is ready.
    /// - Parameters:
    ///   - line: UTF-8 text in the notation of the protocol.
    ///   - wantsReply: Whether the caller waits for a reply, so that the protocol should ask for one, if it can.
    /// - Returns: The key of the reply, or `nil` if there will be none.
    /// - Throws: ``ProtocolInputError``. Nothing has been sent.
    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey?
    /// When ``timePassed(at:_:)`` has to be called next, or `nil` if the session waits for nothing.
    var deadline: UInt64? { get }
    /// Sends a keepalive message that is due, or finds that the peer is silent. A caller that has paused reading calls
    /// it only after passing on what has been received in the meantime.
    func timePassed(at now: UInt64, _ output: inout ProtocolOutput)
    /// The meaning of a close code that the protocol defines, or `nil` for another code.
    func meaning(of code: CloseCode) -> String?
    /// Whether the peer ends the conversation with a message. A close frame without one, even with 1000, only ends the
    /// connection, and a client reconnects.
    var endsWithMessage: Bool { get }
    /// The topics in use, for completion at the prompt.
    var topics: [String] { get }
    /// Whether the last line started something that the session renews on a new connection, and that would exist twice if
    /// the caller sent the line again.
    var renewsLastLine: Bool { get }
    /// What confirms the last line if it is not the reply with the key that ``send(_:wantsReply:at:_:)`` has returned: an
    /// acknowledgement that the peer sends anyway, or a reply that it need not send. `nil` if there is no such thing.
    var lastAcknowledgement: LineConfirmation? { get }
    /// The number of lines for which the peer has to send a confirmation, such as subscriptions, and has not.
    var unconfirmedCount: Int { get }
    /// Whether so many lines wait for their subscriptions that another one would be rejected.
    var isFull: Bool { get }
    /// The unit that the received messages have begun and not completed, such as "a STOMP frame (12 bytes)", or `nil`
    /// if there is none.
    var incompleteInput: String? { get }
}

extension ProtocolSession {
    /// Does nothing: the protocol has no login.
    package func takeLogin(of session: any ProtocolSession) {}
    /// `nil`: the protocol sends nothing by itself.
    package var deadline: UInt64? { nil }
    /// Does nothing.
    package func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {}
    /// `nil`: the protocol defines no close codes.
    package func meaning(of code: CloseCode) -> String? { nil }
    /// `false`: a close frame with 1000 ends the conversation.
    package var endsWithMessage: Bool { false }
    /// None.
    package var topics: [String] { [] }
    /// `false`: lines can be sent again.
    package var renewsLastLine: Bool { false }
    /// `nil`: the reply confirms the line, or there is no acknowledgement.
    package var lastAcknowledgement: LineConfirmation? { nil }
    /// 0: the protocol confirms nothing.
    package var unconfirmedCount: Int { 0 }
    /// `false`: no line waits.
    package var isFull: Bool { false }
    /// `nil`: each message is complete.
    package var incompleteInput: String? { nil }
}

extension ProtocolSession {
    /// What confirms the last line: its reply if there will be one, else the protocol's acknowledgement, else a pong.
    /// - Parameter key: The key that ``send(_:wantsReply:at:_:)`` has returned for it.
    package func lastConfirmation(key: ProtocolEvent.ReplyKey?) -> LineConfirmation {
        if renewsLastLine { return .renewal }
        return lastAcknowledgement ?? key.map { .acknowledgement($0) } ?? .pong
    }

    /// Finds a line that the session rejects, before its connection is open. The session must be new, and must not be used
    /// afterwards. Lines after one whose validity depends on the peer are not checked.
    /// - Returns: The index of the line, and the problem; `nil` if there is none.
    package func firstInvalid(
        of lines: some Sequence<[UInt8]>, wantsReplies: Bool
    ) -> (index: Int, problem: ProtocolInputError)? {
        var output = ProtocolOutput()
        connectionOpened(subprotocol: nil, at: 0, &output)
        for (index, line) in lines.enumerated() {
            output.removeAll()
            do throws(ProtocolInputError) {
                _ = try send(line.span.bytes, wantsReply: wantsReplies, at: 0, &output)
            } catch {
                return error.dependsOnPeer ? nil : (index, error)
            }
        }
        return nil
    }
}

/// The actions that a ``ProtocolSession`` requests, in order.
package struct ProtocolOutput {
    /// An action.
    package enum Item: Equatable {
        /// Send a message.
        case send([UInt8], MessageKind)
        /// Pass on an event.
        case event(ProtocolEvent)
        /// The peer is ready: typed lines may be sent.
        case ready
        /// The peer refuses the connection; the value is the reason, in the peer's words if it gave any. A new
        /// connection would fail, too. `isAboutLogin`: other credentials may help.
        case failure(String, isAboutLogin: Bool = true)
        /// The connection is unusable; the value is the reason, such as a silent peer. A new connection may succeed.
        case disconnect(String)
        /// The peer refuses a line and ends the connection; the value is the reason. A new connection may succeed.
        case lineRefused(String)
        /// The peer ends the conversation with a message that means the same as a close frame with this code.
        case close(CloseCode, message: String)
        /// The line waits until the peer has confirmed its subscription. The number identifies it in the session.
        case lineWaits(Int)
        /// The preceding messages are those of the line with this number, which has waited.
        case lineSent(Int)
        /// The lines with these numbers will not be sent, because their subscription was refused or has ended.
        case linesDropped([Int])
        /// The preceding message renews what a line on an earlier connection asked for; the value is its topic, or the line.
        case renewed(String)
        /// Pass on the received message unchanged, with a notice that says why it is not understood.
        case unknown(reason: String)
    }

    /// The items in order.
    package private(set) var items: [Item] = []

    /// Creates an empty output.
    package init() {}

    /// Removes all items, and keeps their storage.
    package mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
    }

    /// Appends an item.
    package mutating func append(_ item: Item) {
        items.append(item)
    }

    /// Appends a text message to send.
    mutating func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Appends a text message to send.
    mutating func send(_ text: [UInt8]) {
        items.append(.send(text, .text))
    }

    /// Appends an event.
    mutating func append(_ event: ProtocolEvent) {
        items.append(.event(event))
    }
}

/// Something that a peer reports: an event, a reply, or a part of the protocol's own traffic.
package struct ProtocolEvent: Equatable {
    /// Identifies the reply to a request.
    package typealias ReplyKey = String

    /// The part that an event plays.
    package enum Role: Equatable {
        /// An event, shown and counted like a message. It may report an error, such as a failed result of a subscription.
        case event(isError: Bool = false)
        /// The reply to the request with this key, or, without a key, to one that the peer could not identify. An error is
        /// the peer's refusal. A reply that the caller does not wait for is shown like an event.
        case reply(ReplyKey?, isError: Bool)
        /// The peer refuses something that has no reply, such as a subscription, or ends it with an error. Shown as an
        /// error.
        case refusal
        /// A confirmation, or the end of a subscription. Shown dimmed, and not counted.
        case notice
        /// Part of the opening or the keepalive. Hidden, except with `-v`.
        case hidden

        /// Whether the server reports an error.
        package var isError: Bool {
            switch self {
            case .event(let isError), .reply(_, let isError): isError
            case .refusal: true
            case .notice, .hidden: false
            }
        }
    }

    /// What else holds for an event.
    package struct Traits: OptionSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The topic is already in the form in which it would be typed.
        package static let typedTopic = Traits(rawValue: 1)
        /// The peer refuses or ends what a line asked for, such as a subscription or a channel. Not set for other errors,
        /// such as the error of a call.
        package static let refusal = Traits(rawValue: 2)
        /// The session ends the connection because of this event, with a problem that contains its payload.
        package static let endsConnection = Traits(rawValue: 4)
    }

    /// The part that the event plays.
    package var role: Role
    /// The name of the event in the protocol, such as `chat`.
    package var name: String?
    /// The topic, channel, room, namespace, or destination.
    package var topic: String?
    /// The identifier in the protocol, such as a subscription's.
    package var id: String?
    /// The payload: JSON text if the protocol carries JSON, and otherwise any bytes.
    package var payload: [UInt8]
    /// Whether the payload is text.
    package var isText: Bool
    /// Further properties by name, such as headers. They are not part of the line.
    package var attributes: [String: String]
    /// The key of the line that the event acknowledges without being a reply to it, or `nil` if it acknowledges none.
    package var acknowledgedKey: ReplyKey?
    package var traits: Traits

    /// Creates an event.
    package init(
        _ role: Role, name: String? = nil, topic: String? = nil, id: String? = nil,
        payload: [UInt8] = [], isText: Bool = true, attributes: [String: String] = [:], traits: Traits = [],
        acknowledgedKey: ReplyKey? = nil
    ) {
        self.role = role
        self.name = name
        self.topic = topic
        self.id = id
        self.payload = payload
        self.isText = isText
        self.attributes = attributes
        self.traits = role == .refusal ? traits.union(.refusal) : traits
        self.acknowledgedKey = acknowledgedKey
    }

    package var isRefusal: Bool {
        get { traits.contains(.refusal) }
        set { if newValue { traits.insert(.refusal) } else { traits.remove(.refusal) } }
    }

    /// The key of the line that the event confirms, as a reply or an acknowledgement, or `nil` if it confirms none.
    package var confirmedKey: ReplyKey? {
        if case .reply(let key?, _) = role { key } else { acknowledgedKey }
    }

    /// The event in the form in which it would be typed: topic, name, and payload. A name or topic with blanks is a JSON
    /// string, so the line ends with the payload.
    package var line: [UInt8] {
        let heading = heading
        if heading.isEmpty { return payload }
        return payload.isEmpty ? heading : heading + [UInt8(ascii: " ")] + payload
    }

    /// The line without the payload: topic and name. Empty if the event has neither.
    package var heading: [UInt8] {
        // A topic that a server has chosen must not add lines to the output.
        let isTyped = traits.contains(.typedTopic) && !(topic?.utf8.contains { $0 < 0x20 } ?? false)
        let words = [isTyped ? topic : topic.map(Self.typed), name.map(Self.typed)]
        return Array(words.compactMap { $0 }.joined(separator: " ").utf8)
    }

    /// A name in the form in which it would be typed: a JSON string if it begins with a quote or contains blanks or control
    /// characters.
    static func typed(_ name: String) -> String {
        guard name.hasPrefix("\"") || name.utf8.contains(where: { $0 <= 0x20 }) else { return name }
        return String(decoding: JSONText.string(name), as: UTF8.self)
    }
}

/// Why a typed line cannot be sent.
package struct ProtocolInputError: Error, Equatable, CustomStringConvertible {
    /// The mistake and the expected form, to follow a colon.
    package let description: String
    /// Whether the line may be valid after the peer has replied to earlier ones.
    package let dependsOnPeer: Bool
    /// Whether the line is correct, but its subscription was refused or has been ended by the peer.
    package private(set) var isRefused = false
    /// Whether what the line asks for is already so, such as a subscription that exists.
    package let isRedundant: Bool

    /// The error of a line for a subscription that the peer has refused or ended.
    /// - Parameter topic: The subscription as typed.
    static func refused(_ topic: String) -> ProtocolInputError {
        var error = ProtocolInputError("the server refused or ended \(quoted(topic))", dependsOnPeer: true)
        error.isRefused = true
        return error
    }

    /// Creates an error.
    /// - Parameters:
    ///   - description: The mistake and the expected form, to follow a colon.
    ///   - dependsOnPeer: Whether the line may be valid after the peer has replied to earlier ones.
    ///   - isRedundant: Whether what the line asks for is already so.
    package init(_ description: String, dependsOnPeer: Bool = false, isRedundant: Bool = false) {
        self.description = description
        self.dependsOnPeer = dependsOnPeer
        self.isRedundant = isRedundant
    }
}
