import Formats
import WSCore

extension ApplicationProtocol {
    /// Action Cable of Ruby on Rails.
    static let actionCable = ApplicationProtocol(
        name: "actioncable",
        summary: "Action Cable of Ruby on Rails: subscriptions to channels, and their actions",
        manual: Manual(
            input: """
                subscribe CHANNEL [PARAMETERS] subscribes: subscribe Chat {"room":1}. CHANNEL ACTION [JSON] performs an \
                action: Chat speak {"text":"hi"}. With several subscriptions to a channel, add the parameters: \
                Chat {"room":1} speak {"text":"hi"}. unsubscribe CHANNEL [PARAMETERS] ends a subscription.
                """,
            automatic: "Subscribes again after a reconnect.",
            hidden: "The welcome message and pings.",
            example: "wsx --protocol actioncable :3000 'subscribe Chat {\"room\":1}'"),
        endpoint: Endpoint(
            path: "/cable", subprotocols: ["actioncable-v1-json", "actioncable-unsupported"], needsOrigin: true),
        commands: ["subscribe", "unsubscribe"],
        makeSession: { _ in ActionCableSession() })
}

/// A session of Action Cable.
///
///     {"type":"welcome"}  ──►  ready
///     {"command":"subscribe","identifier":"{\"channel\":\"Chat\"}"}  ──►  {"type":"confirm_subscription",…}
///
/// Names in quotes refer to the sources of Action Cable: ActionCable::INTERNAL and its JavaScript client.
final class ActionCableSession: ProtocolSession {
    private struct Subscription {
        let channel: String
        /// The parameters as a JSON object, or `nil` without any.
        let parameters: [UInt8]?
        /// The key of the reply to the subscription.
        let key: String
        /// Whether the caller waits for the confirmation, and subscribes again after a reconnect.
        var wantsReply: Bool
        var state = State.unconfirmed

        enum State {
            case unconfirmed
            case confirmed
            /// The server has rejected it. Lines for it are not sent, until a line ends it or subscribes again.
            case rejected
        }

        /// The channel and the parameters as one JSON text. The server repeats it in messages.
        var identifier: String {
            let channel = Array("{\"channel\":".utf8) + JSONText.string(self.channel)
            let members = parameters.map { Array($0.dropFirst()) } ?? Array("}".utf8)
            let separator = members.count > 1 ? Array(",".utf8) : []
            return String(decoding: channel + separator + members, as: UTF8.self)
        }

        /// The subscription as typed.
        var topic: String {
            ProtocolEvent.typed(channel) + (parameters.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }

    /// A line that waits until its subscription is confirmed.
    private enum Line {
        /// A message of an action.
        case action([UInt8])
        case unsubscribe
        /// Subscribes again after unsubscribing.
        case subscribe(Subscription)
    }

    /// The "staleThreshold" of the client: two missed pings of the server, which sends one every three seconds.
    private static let silenceLimit = Duration.seconds(6)
    private static let maximumSubscriptionCount = 4096

    /// The subscriptions in their order.
    private var subscriptions: [Subscription] = []
    /// The lines that wait, by the identifier of their subscription.
    private var held = HeldLines<Line>()
    private var nextKey = 1
    private(set) var renewsLastLine = false
    private var isReady = false
    private(set) var deadline: UInt64?

    var topics: [String] { subscriptions.compactMap { $0.state == .rejected ? nil : $0.topic } }
    var isFull: Bool { held.isFull }
    var unconfirmedCount: Int { subscriptions.count { $0.state == .unconfirmed } }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        isReady = false
        deadline = nil
        subscriptions.removeAll { $0.wantsReply }
        for index in subscriptions.indices where subscriptions[index].state == .confirmed {
            subscriptions[index].state = .unconfirmed
        }
        held.removeAll()
        // "isProtocolSupported": the server selects this one if it knows no other that the client offers.
        if subprotocol == "actioncable-unsupported" {
            output.append(
                .failure("the server does not support the subprotocol actioncable-v1-json", isAboutLogin: false))
        }
    }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        output.append(.disconnect("the server sent nothing for 6 s, not even a ping"))
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        if deadline != nil { deadline = now + Self.silenceLimit.nanoseconds }
        guard kind == .text, let message = JSONMembers(payload) else {
            return output.append(.unknown(reason: "not a message of Action Cable: a JSON object"))
        }
        // "message_types"
        switch message.string("type") {
        case "welcome": welcome(at: now, &output)
        case "ping": output.append(ProtocolEvent(.hidden, name: "ping", payload: message.json("message") ?? []))
        case "confirm_subscription": receiveConfirmation(message, &output)
        case "reject_subscription": receiveRejection(message, &output)
        case "disconnect": receiveDisconnect(message, &output)
        case let type?:
            output.append(.unknown(reason: "a message of Action Cable with the unknown type \(quoted(type))"))
        case nil: receiveMessage(message, &output)
        }
    }

    private func welcome(at now: UInt64, _ output: inout ProtocolOutput) {
        output.append(ProtocolEvent(.hidden, name: "welcome"))
        guard !isReady else { return }
        isReady = true
        deadline = now + Self.silenceLimit.nanoseconds
        for subscription in subscriptions where subscription.state != .rejected {
            send("subscribe", subscription.identifier, &output)
            output.append(.renewed(subscription.topic))
        }
        output.append(.ready)
    }

    private func receiveMessage(_ message: JSONMembers, _ output: inout ProtocolOutput) {
        guard let identifier = message.string("identifier"), let payload = message.json("message") else {
            return output.append(.unknown(reason: "a message of Action Cable without a type or an identifier"))
        }
        let topic = topic(ofIdentifier: identifier)
        output.append(ProtocolEvent(.event(), topic: topic, id: identifier, payload: payload, traits: .typedTopic))
    }

    private func receiveConfirmation(_ message: JSONMembers, _ output: inout ProtocolOutput) {
        guard let identifier = message.string("identifier") else {
            return output.append(.unknown(reason: "a confirmation without an identifier"))
        }
        guard let index = index(ofIdentifier: identifier), subscriptions[index].state != .confirmed else {
            return output.append(
                ProtocolEvent(
                    .notice, name: "subscribed", topic: topic(ofIdentifier: identifier),
                    id: identifier, traits: .typedTopic))
        }
        let subscription = subscriptions[index]
        output.append(
            ProtocolEvent(
                subscription.wantsReply ? .reply(subscription.key, isError: false) : .notice, name: "subscribed",
                topic: subscription.topic, id: identifier, traits: .typedTopic))
        subscriptions[index].state = .confirmed
        subscriptions[index].wantsReply = false
        while let line = held.takeFirst(for: identifier) {
            perform(line.message, identifier, &output)
            output.append(.lineSent(line.number))
            // Further lines wait for its confirmation.
            if case .subscribe = line.message { return }
        }
    }

    private func receiveRejection(_ message: JSONMembers, _ output: inout ProtocolOutput) {
        guard let identifier = message.string("identifier") else {
            return output.append(.unknown(reason: "a rejection without an identifier"))
        }
        let index = index(ofIdentifier: identifier)
        let subscription = index.map { subscriptions[$0] }
        if let index {
            subscriptions[index].state = .rejected
            subscriptions[index].wantsReply = false
        }
        let role: ProtocolEvent.Role =
            if let subscription, subscription.wantsReply { .reply(subscription.key, isError: true) } else { .refusal }
        output.append(
            ProtocolEvent(
                role, name: "rejected", topic: topic(ofIdentifier: identifier), id: identifier,
                traits: [.typedTopic, .refusal]))
        // A line that ends the subscription is one of those that are dropped.
        if held.messages(for: identifier).contains(where: { if case .unsubscribe = $0 { true } else { false } }) {
            subscriptions.removeAll { $0.identifier == identifier }
        }
        held.drop(identifier, upTo: { if case .subscribe = $0 { true } else { false } }, &output)
        if let line = held.takeFirst(for: identifier) {
            perform(line.message, identifier, &output)
            output.append(.lineSent(line.number))
        }
    }

    /// "disconnect_reasons": unauthorized, invalid_request, server_restart, remote.
    private func receiveDisconnect(_ message: JSONMembers, _ output: inout ProtocolOutput) {
        let reason = message.string("reason").map { ": \(quoted($0))" } ?? ""
        let words = "the server disconnects\(reason)"
        // "this.close({allowReconnect: reconnect})"
        output.append(message.isTrue("reconnect") ? .disconnect(words) : .failure(words))
    }

    private func index(ofIdentifier identifier: String) -> Int? {
        subscriptions.firstIndex { $0.identifier == identifier }
    }

    /// The subscription as typed, also after its end. An identifier of another form is unchanged.
    private func topic(ofIdentifier identifier: String) -> String {
        if let index = index(ofIdentifier: identifier) { return subscriptions[index].topic }
        guard let channel = JSONMembers(Array(identifier.utf8))?.string("channel") else { return identifier }
        // What follows the channel, with which identifiers begin.
        let beginning = Array("{\"channel\":".utf8) + JSONText.string(channel)
        let rest = Array(identifier.utf8.dropFirst(beginning.count))
        guard identifier.utf8.starts(with: beginning), let first = rest.first else { return identifier }
        let parameters = first == UInt8(ascii: ",") ? Array("{".utf8) + rest.dropFirst() : nil
        return Subscription(channel: channel, parameters: parameters, key: "", wantsReply: false).topic
    }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        var line = TypedLine(line)
        renewsLastLine = false
        switch line.nextWord {
        case "subscribe":
            _ = line.word()
            return try subscribe(&line, wantsReply, &output)
        case "unsubscribe":
            _ = line.word()
            let form = "write unsubscribe CHANNEL [PARAMETERS], as in: unsubscribe Chat {\"room\":1}"
            let index = try index(try channel(&line, form), isEnding: true)
            guard line.isAtEnd else { throw ProtocolInputError("the parameters are not a JSON object; \(form)") }
            if subscriptions[index].state == .rejected {
                throw .refused(subscriptions.remove(at: index).topic)
            }
            try sendInOrder(.unsubscribe, byteCount: 0, on: index, &output)
            return nil
        default:
            try perform(&line, &output)
            return nil
        }
    }

    private func subscribe(
        _ line: inout TypedLine, _ wantsReply: Bool, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let form = "write subscribe CHANNEL [PARAMETERS], as in: subscribe Chat {\"room\":1}"
        let (channel, parameters) = try channel(&line, form)
        guard line.isAtEnd else { throw ProtocolInputError("the parameters are not a JSON object; \(form)") }
        let subscription = Subscription(
            channel: channel, parameters: parameters, key: "\(nextKey)", wantsReply: wantsReply)
        let identifier = subscription.identifier
        subscriptions.removeAll { $0.state == .rejected && $0.identifier == identifier }
        let existing = index(ofIdentifier: identifier)
        if let existing, !isEnding(identifier) {
            return share(existing, wantsReply, &output)
        }
        guard subscriptions.count < Self.maximumSubscriptionCount else {
            throw ProtocolInputError(
                "more than \(Self.maximumSubscriptionCount) subscriptions exist; end some", dependsOnPeer: true)
        }
        if existing == nil {
            perform(.subscribe(subscription), identifier, &output)
            renewsLastLine = !wantsReply
        } else {
            try held.hold(.subscribe(subscription), byteCount: identifier.utf8.count, for: identifier, &output)
        }
        nextKey += 1
        return wantsReply ? subscription.key : nil
    }

    /// Handles a line for a subscription that exists. An error would depend on when the server answers the first one.
    /// - Returns: The key of the reply, or `nil` if the subscription is confirmed, or if the first line gets the reply.
    private func share(_ index: Int, _ wantsReply: Bool, _ output: inout ProtocolOutput) -> ProtocolEvent.ReplyKey? {
        renewsLastLine = !wantsReply
        let subscription = subscriptions[index]
        if subscription.state == .confirmed {
            output.append(
                ProtocolEvent(
                    .notice, name: "subscribed", topic: subscription.topic,
                    id: subscription.identifier, traits: .typedTopic))
        }
        guard wantsReply, subscription.state == .unconfirmed, !subscription.wantsReply else { return nil }
        subscriptions[index].wantsReply = true
        return subscription.key
    }

    private func perform(_ line: inout TypedLine, _ output: inout ProtocolOutput) throws(ProtocolInputError) {
        let form = "write CHANNEL ACTION [JSON], as in: Chat speak {\"text\":\"hi\"}"
        let index = try index(try channel(&line, form))
        let action = try line.name("the action", form)
        var data = Array("{}".utf8)
        if !line.isAtEnd {
            guard let object = line.json(), object.first == UInt8(ascii: "{"), line.isAtEnd else {
                throw ProtocolInputError("the data of the action is not a JSON object; \(form)")
            }
            data = object
        }
        guard subscriptions[index].state != .rejected else { throw .refused(subscriptions[index].topic) }
        // "data.action = action": the action is a member of the data.
        let separator = data.count > 2 ? "," : ""
        data = data.dropLast() + Array("\(separator)\"action\":".utf8) + JSONText.string(action) + Array("}".utf8)
        let message = message("message", subscriptions[index].identifier, data)
        try sendInOrder(.action(message), byteCount: message.count, on: index, &output)
    }

    /// Sends a line once its subscription is confirmed.
    private func sendInOrder(
        _ line: Line, byteCount: Int, on index: Int, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) {
        let identifier = subscriptions[index].identifier
        guard subscriptions[index].state != .confirmed else { return perform(line, identifier, &output) }
        try held.hold(line, byteCount: byteCount, for: identifier, &output)
    }

    private func perform(_ line: Line, _ identifier: String, _ output: inout ProtocolOutput) {
        switch line {
        case .action(let message): output.send(message)
        case .unsubscribe:
            subscriptions.removeAll { $0.identifier == identifier }
            send("unsubscribe", identifier, &output)
        case .subscribe(let subscription):
            subscriptions.append(subscription)
            send("subscribe", identifier, &output)
        }
    }

    /// Whether the last line that waits ends the subscription.
    private func isEnding(_ identifier: String) -> Bool {
        if case .unsubscribe? = held.last(for: identifier) { true } else { false }
    }

    /// Reads a channel and its parameters.
    private func channel(
        _ line: inout TypedLine, _ form: String
    ) throws(ProtocolInputError) -> (name: String, parameters: [UInt8]?) {
        guard line.next != UInt8(ascii: "{") else { throw ProtocolInputError("the channel is missing; \(form)") }
        let name = try line.name("the channel", form)
        guard line.next == UInt8(ascii: "{") else { return (name, nil) }
        guard let object = line.json(), let members = JSONMembers(object) else {
            throw ProtocolInputError("the parameters are not a JSON object; \(form)")
        }
        guard !members.has("channel") else {
            throw ProtocolInputError("the parameters contain the channel, which comes before them; \(form)")
        }
        return (name, members.count == 0 ? nil : object)
    }

    /// Finds a subscription. Without parameters, the channel must have only one.
    private func index(
        _ wanted: (name: String, parameters: [UInt8]?), isEnding: Bool = false
    ) throws(ProtocolInputError) -> Int {
        let found = subscriptions.indices.filter { index in
            let subscription = subscriptions[index]
            return subscription.channel == wanted.name
                && (wanted.parameters == nil || subscription.parameters == wanted.parameters)
                && !self.isEnding(subscription.identifier)
        }
        if let exact = found.first(where: { subscriptions[$0].parameters == wanted.parameters }) { return exact }
        guard let first = found.first else {
            throw ProtocolInputError(
                "no subscription to \(quoted(wanted.name)) matches; write subscribe CHANNEL [PARAMETERS] first, "
                    + "as in: subscribe Chat {\"room\":1}", isRedundant: isEnding)
        }
        guard found.count == 1 else {
            throw ProtocolInputError(
                "\(quoted(wanted.name)) has \(found.count) subscriptions; "
                    + "write the parameters after the channel, as in: \(escapingControls(subscriptions[first].topic))")
        }
        return first
    }

    private func send(_ command: String, _ identifier: String, _ output: inout ProtocolOutput) {
        output.send(message(command, identifier, nil))
    }

    private func message(_ command: String, _ identifier: String, _ data: [UInt8]?) -> [UInt8] {
        let data = data.map { Array(",\"data\":".utf8) + JSONText.string($0) } ?? []
        return Array("{\"command\":\"\(command)\",\"identifier\":".utf8) + JSONText.string(identifier) + data
            + Array("}".utf8)
    }
}
