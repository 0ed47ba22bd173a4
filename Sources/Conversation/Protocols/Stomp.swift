import Formats
import WSCore

extension ApplicationProtocol {
    /// STOMP 1.2, 1.1, and 1.0.
    static let stomp = ApplicationProtocol(
        name: "stomp",
        summary: "STOMP 1.0 to 1.2: destinations, subscriptions, receipts, and transactions",
        manual: Manual(
            input: """
                SEND DESTINATION [BODY] sends a message; so does a line that begins with a slash: /queue/a hello. \
                SUBSCRIBE DESTINATION begins a subscription, and UNSUBSCRIBE DESTINATION ends it. Words NAME:VALUE \
                before the destination are headers: SUBSCRIBE ack:client /queue/a. ACK ID, NACK ID, BEGIN TX, COMMIT \
                TX, ABORT TX, and DISCONNECT send these frames. A destination with blanks needs quotes.
                """,
            automatic: """
                Logs in with CONNECT, sends heart-beats, requests receipts for subscriptions and for lines that wait \
                for a reply, and subscribes again after a reconnect.
                """,
            hidden: "CONNECTED and heart-beats.",
            example: "wsx --protocol stomp --param login=guest ws://localhost:15674/ws"),
        endpoint: Endpoint(path: "/ws", subprotocols: ["v12.stomp", "v11.stomp", "v10.stomp"]),
        parameters: [
            Parameter("login", "the user name", isLogin: true), Parameter("passcode", "the password", isSecret: true),
            Parameter("host", "the virtual host [default: /]"),
            Parameter("heart-beat", "the intervals of both directions in milliseconds [default: 10000,10000]"),
        ],
        commands: StompLine.commands,
        makeSession: { (parameters) throws(ProtocolParameterError) in try StompSession(parameters) })
}

/// A session of STOMP.
///
///     CONNECT ──► CONNECTED ──► SUBSCRIBE of earlier subscriptions, ready ──► SEND …, MESSAGE …
///
/// Sections refer to the specification of STOMP 1.2.
final class StompSession: ProtocolSession {
    private struct Subscription {
        let id: String
        let destination: String
        /// The headers that were typed.
        let headers: [(name: String, value: String)]
        /// Whether the server may still refuse it: it was typed on this connection, and nothing confirms it.
        var isNew = true
    }

    /// A frame without a receipt yet.
    private struct Pending {
        /// The subscription that it begins, if any.
        var subscriptionID: String?
        let isRequest: Bool
    }

    /// The maximum number of subscriptions.
    private static let maximumSubscriptionCount = 1024
    /// The maximum number of messages that ACK can refer to in STOMP 1.1, which needs their subscriptions.
    private static let maximumUnacknowledgedCount = 65_536

    private var connect: StompFrame
    /// The intervals of the header heart-beat, in milliseconds.
    private let intervals: (outgoing: UInt64, incoming: UInt64)
    private var decoder = StompDecoder()
    private var isConnected = false
    /// Whether lines without a receipt have been sent on this connection, which nothing confirms.
    private var hasSentUnconfirmed = false
    private(set) var renewsLastLine = false
    private(set) var lastAcknowledgement: LineConfirmation?
    private var subscriptions: [Subscription] = []
    /// The destinations of subscriptions that the server has refused, until a line subscribes again or ends them.
    private var refusedDestinations: Set<String> = []
    private var nextSubscription = 0
    /// The frames without a receipt yet.
    private var pending = NumberedRequests<Pending>()
    /// The subscriptions of messages by message id, for STOMP 1.1.
    private var subscriptionsOfMessages: [String: String] = [:]
    private var outgoingBeat: Beat?
    private var incomingBeat: Beat?

    /// A heart-beat in one direction.
    private struct Beat {
        /// In nanoseconds.
        let interval: UInt64
        var deadline: UInt64

        init(milliseconds: UInt64, at now: UInt64) {
            interval = milliseconds * 1_000_000
            deadline = now.addingReportingOverflow(interval).partialValue
        }

        mutating func restart(at now: UInt64) {
            deadline = now.addingReportingOverflow(interval).partialValue
        }
    }

    init(_ parameters: ProtocolParameters) throws(ProtocolParameterError) {
        let beat = parameters["heart-beat"] ?? "10000,10000"
        guard let intervals = Self.intervals(beat) else {
            throw .invalid("heart-beat", reason: "expected two numbers of milliseconds, such as 10000,10000")
        }
        self.intervals = intervals
        // CONNECT or STOMP Frame: accept-version and host are required. "/" is the default virtual host of RabbitMQ,
        // and other brokers ignore it.
        var headers = [
            (name: "accept-version", value: "1.0,1.1,1.2"), (name: "host", value: parameters["host"] ?? "/"),
            (name: "heart-beat", value: beat),
        ]
        for name in ["login", "passcode"] {
            guard let value = parameters[name] else { continue }
            guard !value.utf8.contains(UInt8(ascii: "\n")), !value.utf8.contains(0) else {
                throw .invalid(name, reason: "STOMP allows no line break")
            }
            headers.append((name, value))
        }
        guard headers.allSatisfy({ !$0.value.utf8.contains(UInt8(ascii: "\n")) }) else {
            throw .invalid("host", reason: "STOMP allows no line break")
        }
        connect = StompFrame("CONNECT", headers)
    }

    /// Parses the value of a header heart-beat. Returns `nil` if it is invalid.
    private static func intervals(_ text: String) -> (outgoing: UInt64, incoming: UInt64)? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { UInt64($0.drop { $0 == " " }) }
        // At most a day, which excludes overflows.
        guard parts.count == 2, let first = parts[0], let second = parts[1], max(first, second) <= 86_400_000 else {
            return nil
        }
        return (first, second)
    }

    var topics: [String] { subscriptions.map(\.destination) }
    var unconfirmedCount: Int { subscriptions.count(where: \.isNew) }

    var incompleteInput: String? {
        let count = decoder.incompleteByteCount
        return count == 0 ? nil : "a STOMP frame (\(Phrase.count(count, "byte")))"
    }

    func takeLogin(of session: any ProtocolSession) {
        if let session = session as? StompSession { connect = session.connect }
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        decoder = StompDecoder()
        isConnected = false
        hasSentUnconfirmed = false
        // The caller sends requests without a receipt again itself.
        let unanswered = pending.removeAll { $0.isRequest }.compactMap(\.request.subscriptionID)
        subscriptions.removeAll { unanswered.contains($0.id) }
        for index in subscriptions.indices { subscriptions[index].isNew = false }
        pending.removeAll()
        subscriptionsOfMessages.removeAll()
        outgoingBeat = nil
        incomingBeat = nil
        send(connect, at: now, &output)
    }

    // MARK: Heart-beats

    var deadline: UInt64? {
        [outgoingBeat, incomingBeat].compactMap { $0?.deadline }.min()
    }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        if let beat = incomingBeat, now >= beat.deadline {
            incomingBeat = nil
            outgoingBeat = nil
            let limit = Phrase.duration(.nanoseconds(Int64(clamping: beat.interval)))
            output.append(.disconnect("the server sent nothing for \(limit), not even a heart-beat"))
            return
        }
        guard let beat = outgoingBeat, now >= beat.deadline else { return }
        // Heart-beating: "if the sender has no real STOMP frame to send, it MUST send an end-of-line".
        outgoingBeat?.restart(at: now)
        output.send("\n")
    }

    /// Heart-beating: each direction uses the larger interval of both ends, and none if one of them is 0.
    private func beginHeartBeats(_ frame: StompFrame, at now: UInt64) {
        guard let server = frame["heart-beat"].flatMap(Self.intervals) else { return }
        if intervals.outgoing > 0, server.incoming > 0 {
            // A tenth earlier, because timers and the network are late.
            let interval = max(intervals.outgoing, server.incoming)
            outgoingBeat = Beat(milliseconds: max(1, interval - interval / 10), at: now)
        }
        if intervals.incoming > 0, server.outgoing > 0 {
            // "because of timing inaccuracies, the receiver SHOULD be tolerant"
            incomingBeat = Beat(milliseconds: 2 * max(intervals.incoming, server.outgoing), at: now)
        }
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        incomingBeat?.restart(at: now)
        decoder.receive(payload)
        do throws(StompFrameError) {
            var count = 0
            while let frame = try decoder.next() {
                count += 1
                guard count <= StompDecoder.maximumFrameCount else { throw .tooMany }
                handle(frame, at: now, &output)
            }
        } catch {
            output.append(.unknown(reason: "\(error)"))
        }
    }

    private func handle(_ frame: StompFrame, at now: UInt64, _ output: inout ProtocolOutput) {
        switch frame.command {
        case "CONNECTED" where !isConnected: connected(frame, at: now, &output)
        case "MESSAGE": output.append(message(frame))
        case "RECEIPT": receipt(frame, &output)
        case "ERROR": failed(frame, &output)
        default: output.append(.unknown(reason: "unexpected STOMP frame \(quoted(frame.command))"))
        }
    }

    private func connected(_ frame: StompFrame, at now: UInt64, _ output: inout ProtocolOutput) {
        // Protocol Negotiation: STOMP 1.0 has no header version.
        let text = frame["version"] ?? "1.0"
        guard let version = StompVersion(rawValue: text) else {
            return output.append(Self.failure(ofVersion: text))
        }
        decoder.version = version
        isConnected = true
        beginHeartBeats(frame, at: now)
        output.append(ProtocolEvent(.hidden, name: "CONNECTED", attributes: Self.attributes(frame)))
        for subscription in subscriptions {
            subscribe(subscription, isRequest: false, at: now, &output)
            output.append(.renewed(subscription.destination))
        }
        output.append(.ready)
    }

    private static func failure(ofVersion version: String) -> ProtocolOutput.Item {
        .failure("the server speaks STOMP \(quoted(version)); wsx speaks 1.0 to 1.2", isAboutLogin: false)
    }

    private func message(_ frame: StompFrame) -> ProtocolEvent {
        if let id = frame["subscription"] { confirm(id) }
        // ACK: since 1.2, a message that needs one has a header ack.
        let id = frame["ack"] ?? frame["message-id"]
        if decoder.version == .v11, let id, let subscription = frame["subscription"],
            subscriptionsOfMessages.count < Self.maximumUnacknowledgedCount, needsAcknowledgement(subscription)
        {
            subscriptionsOfMessages[id] = subscription
        }
        return ProtocolEvent(
            .event(), topic: frame["destination"], id: id, payload: frame.body,
            isText: UTF8Validator.isValid(frame.body.span.bytes), attributes: Self.attributes(frame))
    }

    private func needsAcknowledgement(_ id: String) -> Bool {
        let headers = subscriptions.first { $0.id == id }?.headers ?? []
        return headers.contains { $0.name == "ack" && $0.value != "auto" }
    }

    /// The headers of a frame, except the destination.
    private static func attributes(_ frame: StompFrame) -> [String: String] {
        Dictionary(frame.headers.filter { $0.name != "destination" }.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private func receipt(_ frame: StompFrame, _ output: inout ProtocolOutput) {
        guard let id = frame["receipt-id"] else {
            return output.append(.unknown(reason: "a STOMP receipt without receipt-id"))
        }
        // A typed header receipt has any value.
        let done = pending.remove(id)
        let destination = done?.subscriptionID.flatMap { confirm($0) }
        let role: ProtocolEvent.Role = done?.isRequest == true ? .reply(id, isError: false) : .notice
        output.append(ProtocolEvent(role, name: "RECEIPT", topic: destination, id: id, acknowledgedKey: id))
    }

    /// ERROR: "The server … MUST then close the connection just after sending the ERROR frame."
    private func failed(_ frame: StompFrame, _ output: inout ProtocolOutput) {
        // The header message is a title, and the body has the details.
        let body = String(decoding: TypedLine(frame.body.span.bytes).rest, as: UTF8.self)
        let title = frame["message"] ?? ""
        let words = body.isEmpty || body == title ? title : title.isEmpty ? body : "\(title): \(body)"
        let reason = quoted(words)
        guard isConnected else {
            // Protocol Negotiation: a server without a common version answers an ERROR with those that it supports.
            if let versions = frame["version"],
                !versions.split(separator: ",").contains(where: { StompVersion(rawValue: String($0)) != nil })
            {
                return output.append(Self.failure(ofVersion: versions))
            }
            return output.append(.failure("the server refused the login: \(reason)"))
        }
        var event = ProtocolEvent(
            .refusal, name: "ERROR", payload: Array(words.utf8), attributes: Self.attributes(frame),
            acknowledgedKey: frame["receipt-id"])
        // RabbitMQ does not name the frame. If only one is unconfirmed, it is the cause.
        let mayAnswerLine = hasSentUnconfirmed || unconfirmedCount > 0 || pending.contains(where: \.isRequest)
        let unconfirmed = pending.removeAll { _ in true }
        let cause = unconfirmed.first { "\($0.number)" == frame["receipt-id"] || unconfirmed.count == 1 }
        if let (number, refused) = cause {
            let id = "\(number)"
            event.id = id
            event.topic = forget { $0.id == refused.subscriptionID && ($0.isNew || frame["receipt-id"] != nil) }
            if refused.isRequest { event.role = .reply(id, isError: true) }
        } else {
            // With a refused subscription, the next connection would fail, too.
            event.topic = forget(where: \.isNew)
        }
        event.isRefusal = mayAnswerLine || event.topic != nil
        event.traits.insert(.endsConnection)
        output.append(event)
        let place = event.topic.map { " for \(quoted($0))" } ?? ""
        let problem = "the server reported an error\(place): \(reason)"
        // Otherwise it is about the connection, such as the end of the server.
        output.append(event.isRefusal ? .lineRefused(problem) : .disconnect(problem))
    }

    /// Notes that the server has accepted a subscription.
    /// - Returns: Its destination.
    @discardableResult
    private func confirm(_ id: String) -> String? {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return nil }
        subscriptions[index].isNew = false
        return subscriptions[index].destination
    }

    /// Forgets subscriptions.
    /// - Returns: Their destinations, or `nil` for none.
    private func forget(where isRefused: (Subscription) -> Bool) -> String? {
        let refused = subscriptions.filter(isRefused)
        subscriptions.removeAll(where: isRefused)
        if refusedDestinations.count > Self.maximumSubscriptionCount { refusedDestinations = [] }
        refusedDestinations.formUnion(refused.map(\.destination))
        return refused.isEmpty ? nil : refused.map(\.destination).joined(separator: " ")
    }

    // MARK: Sending

    private func send(_ frame: StompFrame, at now: UInt64, _ output: inout ProtocolOutput) {
        outgoingBeat?.restart(at: now)
        let bytes = frame.encoded(decoder.version)
        output.append(.send(bytes, .text))
    }

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let typed = try StompLine(line)
        renewsLastLine = typed.command == "SUBSCRIBE" && !wantsReply
        // Header receipt: the server confirms the frame.
        lastAcknowledgement = wantsReply ? nil : typed["receipt"].map { .acknowledgement($0) }
        guard let destination = typed.argument else {
            return receiptID(of: StompFrame(typed.command, typed.headers), wantsReply, at: now, &output)
        }
        switch typed.command {
        case "SUBSCRIBE":
            guard subscriptions.count < Self.maximumSubscriptionCount else {
                throw ProtocolInputError("\(Self.maximumSubscriptionCount) subscriptions are in use; end some")
            }
            let subscription = Subscription(
                id: typed["id"] ?? "\(nextSubscription)", destination: destination,
                headers: typed.headers.filter { !["id", "destination", "receipt"].contains($0.name) })
            guard !subscriptions.contains(where: { $0.id == subscription.id }) else {
                throw ProtocolInputError(
                    "the subscription \(quoted(subscription.id)) exists; choose another id", isRedundant: true)
            }
            nextSubscription += 1
            refusedDestinations.remove(destination)
            subscriptions.append(subscription)
            let receipt = subscribe(subscription, isRequest: wantsReply, at: now, &output)
            return wantsReply ? receipt : nil
        case "UNSUBSCRIBE":
            guard
                let index = subscriptions.firstIndex(where: {
                    $0.destination == destination || $0.id == typed["id"]
                })
            else {
                if refusedDestinations.remove(destination) != nil { throw .refused(destination) }
                let known = subscriptions.map { quoted($0.destination) }.joined(separator: ", ")
                let remedy = known.isEmpty ? "there is none" : "expected \(known)"
                throw ProtocolInputError(
                    "no subscription has the destination \(quoted(destination)); \(remedy)", isRedundant: true)
            }
            var headers = [(name: "id", value: subscriptions.remove(at: index).id)]
            // UNSUBSCRIBE: STOMP 1.0 accepts the destination, too.
            if decoder.version == .v10 { headers.append(("destination", destination)) }
            headers += typed.headers.filter { !["id", "destination"].contains($0.name) }
            return receiptID(of: StompFrame("UNSUBSCRIBE", headers), wantsReply, at: now, &output)
        case "ACK", "NACK":
            let headers = acknowledgement(of: destination) + typed.headers
            return receiptID(of: StompFrame(typed.command, headers), wantsReply, at: now, &output)
        case "BEGIN", "COMMIT", "ABORT":
            let headers = [(name: "transaction", value: destination)] + typed.headers
            return receiptID(of: StompFrame(typed.command, headers), wantsReply, at: now, &output)
        default:
            let headers = [(name: "destination", value: destination)] + typed.headers
            let frame = StompFrame(typed.command, headers, body: typed.body)
            return receiptID(of: frame, wantsReply, at: now, &output)
        }
    }

    /// ACK: since 1.2 with the value of the header ack, in 1.1 with the message and its subscription, and in 1.0 with
    /// the message.
    private func acknowledgement(of id: String) -> [(name: String, value: String)] {
        guard decoder.version != .v12 else { return [("id", id)] }
        let subscription = subscriptionsOfMessages.removeValue(forKey: id)
        return [("message-id", id)] + (subscription.map { [("subscription", $0)] } ?? [])
    }

    @discardableResult
    private func subscribe(
        _ subscription: Subscription, isRequest: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) -> String {
        // SUBSCRIBE id Header: required since 1.1, so that messages and UNSUBSCRIBE refer to it.
        let headers = [(name: "id", value: subscription.id), (name: "destination", value: subscription.destination)]
        return sendWithReceipt(
            StompFrame("SUBSCRIBE", headers + subscription.headers),
            Pending(subscriptionID: subscription.id, isRequest: isRequest), at: now, &output)
    }

    private func receiptID(
        of frame: StompFrame, _ wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) -> String? {
        guard wantsReply else {
            hasSentUnconfirmed = true
            send(frame, at: now, &output)
            return nil
        }
        return sendWithReceipt(frame, Pending(isRequest: true), at: now, &output)
    }

    /// Header receipt: the server confirms the frame.
    private func sendWithReceipt(
        _ frame: StompFrame, _ entry: Pending, at now: UInt64, _ output: inout ProtocolOutput
    ) -> String {
        let receipt = "\(pending.add(entry))"
        var frame = frame
        frame.headers.removeAll { $0.name == "receipt" }
        frame.headers.append(("receipt", receipt))
        send(frame, at: now, &output)
        return receipt
    }
}
