import Formats
import WSCore

extension ApplicationProtocol {
    /// MQTT 3.1.1.
    static let mqtt = ApplicationProtocol(
        name: "mqtt",
        summary: "MQTT 3.1.1: topics, retained messages, and QoS 0 and 1",
        manual: Manual(
            input: """
                pub TOPIC [MESSAGE] publishes, sub FILTER... subscribes, and unsub FILTER... ends subscriptions: \
                sub sensors/#. -q 1 selects QoS 1, and -r retains a message: pub -q 1 -r lamp on. The wildcard \
                + matches one level; # at the end matches all remaining levels. The message {"$bytes":"AQID"} is \
                binary data in Base64. A line that begins with a topic with a slash publishes, too: a/b hello. Topics \
                with blanks need quotes: pub "a b/c" hello.
                """,
            automatic: """
                Logs in with CONNECT, pings when nothing else is sent, acknowledges messages with QoS 1, and \
                subscribes again after a reconnect. A publication that waits for a reply has QoS 1.
                """,
            hidden: "CONNACK, pings, and the acknowledgements of publications.",
            example: "wsx --protocol mqtt ws://localhost:9001 'sub sensors/#'"),
        endpoint: Endpoint(path: "/mqtt", subprotocols: ["mqtt"]),
        parameters: [
            Parameter("client-id", "the client identifier [default: chosen by the server]"),
            Parameter("username", "the user name", isLogin: true),
            Parameter("password", "the password", isSecret: true),
            Parameter("clean", "true to start a new session, false to resume that of client-id [default: true]"),
            Parameter("keep-alive", "the seconds without a sent packet before a ping; 0: no pings [default: 60]"),
        ],
        commands: ["pub", "sub", "unsub"],
        makeSession: { (parameters) throws(ProtocolParameterError) in try MQTTSession(parameters) })
}

/// A session of MQTT 3.1.1.
///
///     CONNECT ──► CONNACK ──► SUBSCRIBE of earlier filters, ready ──► PUBLISH …
///
/// Sections refer to the specification of MQTT 3.1.1.
final class MQTTSession: ProtocolSession {
    private struct Subscription {
        let filter: String
        let qos: UInt8
    }

    /// A packet that has not been confirmed yet.
    private enum Pending {
        case publish(isRequest: Bool)
        case subscribe([Subscription], isRequest: Bool)
        case unsubscribe(isRequest: Bool)
    }

    /// The maximum number of filters.
    private static let maximumSubscriptionCount = 4096
    /// The maximum number of packets without a confirmation, which leaves identifiers for subscriptions.
    private static let maximumPendingCount = 60_000
    /// The maximum size of the packets kept for the next connection, in bytes.
    private static let maximumKeptBytes = 16 << 20

    private var connect: MQTTPacket
    private let isClean: Bool
    /// The time without a packet after which a ping is sent, in nanoseconds, or 0 for none.
    private let keepAlive: UInt64
    private var decoder = MQTTDecoder()
    private var isConnected = false
    private(set) var renewsLastLine = false
    private(set) var lastAcknowledgement: LineConfirmation?
    private var subscriptions: [Subscription] = []
    private var pending: [UInt16: Pending] = [:]
    private var lastIdentifier: UInt16 = 0
    /// Publications without a confirmation that the next connection sends again, in their order.
    private var kept: [(identifier: UInt16, packet: MQTTPacket)] = []
    private var keptBytes = 0
    /// When the next ping is due.
    private var pingTime: UInt64?
    /// When the server must have answered the last ping.
    private var answerLimit: UInt64?

    init(_ parameters: ProtocolParameters) throws(ProtocolParameterError) {
        let clean = parameters["clean"] ?? "true"
        guard clean == "true" || clean == "false" else { throw .invalid("clean", reason: "expected true or false") }
        isClean = clean == "true"
        guard let seconds = UInt16(parameters["keep-alive"] ?? "60") else {
            throw .invalid("keep-alive", reason: "expected 0 to 65535 seconds")
        }
        keepAlive = UInt64(seconds) * 1_000_000_000
        for name in ["client-id", "username", "password"] {
            guard let value = parameters[name] else { continue }
            guard value.utf8.count <= MQTTPacket.maximumStringBytes, !value.utf8.contains(0) else {
                throw .invalid(name, reason: "expected at most 65,535 bytes without NUL")
            }
        }
        let clientID = parameters["client-id"] ?? ""
        // [MQTT-3.1.3-8]: the server rejects an empty identifier with CleanSession 0.
        guard isClean || !clientID.isEmpty else {
            throw .invalid("clean", reason: "a session to resume needs the parameter client-id")
        }
        // [MQTT-3.1.2-22]: without a user name, there is no password.
        guard parameters["username"] != nil || parameters["password"] == nil else {
            throw .invalid("password", reason: "it needs the parameter username")
        }
        connect = Self.connectPacket(parameters, clientID: clientID, isClean: isClean, seconds: seconds)
    }

    /// §3.1: the first packet.
    private static func connectPacket(
        _ parameters: ProtocolParameters, clientID: String, isClean: Bool, seconds: UInt16
    ) -> MQTTPacket {
        let (username, password) = (parameters["username"], parameters["password"])
        let flags = (username != nil ? 0x80 : 0) | (password != nil ? 0x40 : 0) | (isClean ? 0x02 : 0)
        let protocolLevel: UInt8 = 4
        var contents = MQTTPacket.bytes("MQTT") + [protocolLevel, UInt8(flags)] + MQTTPacket.bytes(seconds)
        contents += MQTTPacket.bytes(clientID)
        for text in [username, password] { contents += text.map { MQTTPacket.bytes($0) } ?? [] }
        return MQTTPacket(.connect, contents)
    }

    var topics: [String] { subscriptions.map(\.filter) }
    var unconfirmedCount: Int { pending.count }

    func takeLogin(of session: any ProtocolSession) {
        if let session = session as? MQTTSession { connect = session.connect }
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        decoder = MQTTDecoder()
        isConnected = false
        pending.removeAll()
        pingTime = nil
        answerLimit = nil
        send(connect, at: now, &output)
    }

    // MARK: Keep alive

    var deadline: UInt64? { [pingTime, answerLimit].compactMap { $0 }.min() }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        if let answerLimit, now >= answerLimit {
            pingTime = nil
            self.answerLimit = nil
            let limit = Phrase.duration(.nanoseconds(Int64(clamping: keepAlive)))
            output.append(.disconnect("the server did not answer a ping within \(limit)"))
            return
        }
        guard let time = pingTime, now >= time else { return }
        // §3.1.2.10: "In the absence of sending any other Control Packets, the Client MUST send a PINGREQ Packet."
        send(MQTTPacket(.pingreq), at: now, &output)
        if answerLimit == nil { answerLimit = now.addingReportingOverflow(keepAlive).partialValue }
    }

    private func send(_ packet: MQTTPacket, at now: UInt64, _ output: inout ProtocolOutput) {
        // [MQTT-6.0.0-1]: packets are sent in binary messages.
        output.append(.send(packet.encoded, .binary))
        if keepAlive > 0, isConnected { pingTime = now.addingReportingOverflow(keepAlive).partialValue }
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        guard kind == .binary else {
            // [MQTT-6.0.0-1]: "the recipient MUST close the Network Connection".
            output.append(.unknown(reason: "MQTT packets are in binary messages"))
            output.append(.disconnect("the server sent a text message, which MQTT does not allow"))
            return
        }
        decoder.receive(payload)
        do throws(MQTTError) {
            var count = 0
            while let packet = try decoder.next() {
                count += 1
                guard count <= MQTTDecoder.maximumPacketCount else { throw .tooMany }
                try handle(packet, at: now, &output)
            }
        } catch {
            // [MQTT-4.8.0-1]: a protocol violation closes the connection.
            decoder = MQTTDecoder()
            output.append(.unknown(reason: "\(error)"))
            output.append(.disconnect("\(error)"))
        }
    }

    private func handle(_ packet: MQTTPacket, at now: UInt64, _ output: inout ProtocolOutput) throws(MQTTError) {
        // [MQTT-3.2.0-1]: the first packet of the server is CONNACK.
        guard isConnected != (packet.kind == .connack) else {
            throw .invalid(packet.kind, isConnected ? "is repeated" : "comes before CONNACK")
        }
        switch packet.kind {
        case .connack: try connected(packet, at: now, &output)
        case .publish: try published(packet, at: now, &output)
        case .puback: try confirmed(packet, &output)
        case .suback: try subscribed(packet, &output)
        case .unsuback: try unsubscribed(packet, &output)
        case .pingresp:
            try MQTTFields(packet).end()
            answerLimit = nil
            output.append(ProtocolEvent(.hidden, name: packet.kind.name))
        default: throw .invalid(packet.kind, "is unexpected")
        }
    }

    private func connected(
        _ packet: MQTTPacket, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(MQTTError) {
        var fields = MQTTFields(packet)
        let flags = try fields.byte()
        let code = try fields.byte()
        try fields.end()
        // §3.2.2.1: bits 7 to 1 are reserved.
        guard flags <= 1 else { throw .invalid(.connack, "has invalid flags") }
        // §3.2.2.3: the return codes.
        switch code {
        case 0: break
        case 1: return output.append(.failure("the server does not support MQTT 3.1.1", isAboutLogin: false))
        case 2:
            let words = "the server rejected the client identifier; try --param client-id=NAME"
            return output.append(.failure(words, isAboutLogin: false))
        case 3: return output.append(.disconnect("the MQTT service is unavailable"))
        case 4: return output.append(.failure("the server rejected the user name or password"))
        case 5: return output.append(.failure("the server did not authorize the client"))
        default: return output.append(.failure("the server refused the connection with code \(code)"))
        }
        isConnected = true
        let isResumed = flags == 1
        output.append(
            ProtocolEvent(.hidden, name: "CONNACK", attributes: ["session-present": isResumed ? "true" : "false"]))
        pingTime = keepAlive > 0 ? now.addingReportingOverflow(keepAlive).partialValue : nil
        // §3.1.2.4: a session that the server keeps has the subscriptions.
        if !isResumed { resubscribe(at: now, &output) }
        resend(at: now, &output)
        output.append(.ready)
    }

    /// Subscribes to all filters with as few packets as possible.
    private func resubscribe(at now: UInt64, _ output: inout ProtocolOutput) {
        var rest = subscriptions[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(100))
            rest = rest.dropFirst(group.count)
            guard let identifier = takeIdentifier() else { return }
            subscribe(group, identifier, isRequest: false, at: now, &output)
            for subscription in group { output.append(.renewed(subscription.filter)) }
        }
    }

    /// [MQTT-4.4.0-1]: with CleanSession 0, the client sends unconfirmed publications again, with the DUP flag.
    private func resend(at now: UInt64, _ output: inout ProtocolOutput) {
        for (identifier, packet) in kept {
            pending[identifier] = .publish(isRequest: false)
            var copy = packet
            copy.flags |= 0x08
            send(copy, at: now, &output)
            output.append(.renewed("publication \(identifier)"))
        }
    }

    private func published(
        _ packet: MQTTPacket, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(MQTTError) {
        var fields = MQTTFields(packet)
        let qos = packet.flags >> 1 & 3
        // wsx subscribes with QoS 0 or 1, which bounds the QoS of messages (§3.8.4).
        guard qos <= 1 else { throw .invalid(.publish, "has QoS \(qos)") }
        let topic = try fields.string()
        // [MQTT-3.3.2-2]: the topic contains no wildcards. [MQTT-4.7.3-1]: it is not empty.
        guard !topic.isEmpty, !topic.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "+") }) else {
            throw .invalid(.publish, "has an invalid topic")
        }
        let identifier = qos == 1 ? try fields.identifier() : nil
        let payload = fields.rest()
        var attributes = ["qos": "\(qos)"]
        if packet.flags & 1 == 1 { attributes["retain"] = "true" }
        if packet.flags & 8 == 8 { attributes["dup"] = "true" }
        output.append(
            ProtocolEvent(
                .event(), topic: topic, id: identifier.map { "\($0)" }, payload: payload,
                isText: UTF8Validator.isValid(payload.span.bytes), attributes: attributes))
        // [MQTT-4.3.2-2]: the receiver confirms a message with QoS 1.
        if let identifier { send(MQTTPacket(.puback, MQTTPacket.bytes(identifier)), at: now, &output) }
    }

    private func confirmed(_ packet: MQTTPacket, _ output: inout ProtocolOutput) throws(MQTTError) {
        var fields = MQTTFields(packet)
        let identifier = try fields.identifier()
        try fields.end()
        guard case .publish(let isRequest)? = pending[identifier] else { return unmatched(packet, &output) }
        pending[identifier] = nil
        if let index = kept.firstIndex(where: { $0.identifier == identifier }) {
            keptBytes -= kept.remove(at: index).packet.contents.count
        }
        let key = "\(identifier)"
        output.append(
            ProtocolEvent(
                isRequest ? .reply(key, isError: false) : .hidden, name: "PUBACK", id: key, acknowledgedKey: key))
    }

    private func subscribed(_ packet: MQTTPacket, _ output: inout ProtocolOutput) throws(MQTTError) {
        var fields = MQTTFields(packet)
        let identifier = try fields.identifier()
        let codes = fields.rest()
        guard case .subscribe(let asked, let isRequest)? = pending[identifier] else {
            return unmatched(packet, &output)
        }
        // [MQTT-3.9.3-1]: a return code for each filter. [MQTT-3.9.3-2]: other codes are reserved.
        guard codes.count == asked.count else { throw .invalid(.suback, "has a wrong number of return codes") }
        guard codes.allSatisfy({ $0 <= 2 || $0 == 0x80 }) else { throw .invalid(.suback, "has a reserved return code") }
        pending[identifier] = nil
        let refused = zip(asked, codes).filter { $0.1 == 0x80 }.map { $0.0.filter }
        subscriptions.removeAll { refused.contains($0.filter) }
        let key = "\(identifier)"
        for (subscription, code) in zip(asked, codes) where !isRequest {
            let isRefused = code == 0x80
            output.append(
                ProtocolEvent(
                    isRefused ? .refusal : .notice, name: "SUBACK", topic: subscription.filter, id: key,
                    payload: Array((isRefused ? "refused" : "QoS \(code)").utf8)))
        }
        guard isRequest else { return }
        // A single reply for all filters of the line.
        let words = codes.map { $0 == 0x80 ? "refused" : "QoS \($0)" }.joined(separator: ", ")
        output.append(
            ProtocolEvent(
                .reply(key, isError: !refused.isEmpty), name: "SUBACK",
                topic: asked.map { ProtocolEvent.typed($0.filter) }.joined(separator: " "), id: key,
                payload: Array(words.utf8), traits: refused.isEmpty ? .typedTopic : [.typedTopic, .refusal]))
    }

    private func unsubscribed(_ packet: MQTTPacket, _ output: inout ProtocolOutput) throws(MQTTError) {
        var fields = MQTTFields(packet)
        let identifier = try fields.identifier()
        try fields.end()
        guard case .unsubscribe(let isRequest)? = pending[identifier] else { return unmatched(packet, &output) }
        pending[identifier] = nil
        let key = "\(identifier)"
        output.append(
            ProtocolEvent(
                isRequest ? .reply(key, isError: false) : .notice, name: "UNSUBACK", id: key, acknowledgedKey: key))
    }

    private func unmatched(_ packet: MQTTPacket, _ output: inout ProtocolOutput) {
        output.append(.unknown(reason: "a \(packet.kind.name) packet confirms no packet"))
    }

    // MARK: Sending

    /// §2.3.1: an unused identifier that is not 0, or `nil` if none is left.
    private func takeIdentifier() -> UInt16? {
        guard pending.count + kept.count < Int(UInt16.max) else { return nil }
        repeat {
            lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
        } while pending[lastIdentifier] != nil || kept.contains { $0.identifier == lastIdentifier }
        return lastIdentifier
    }

    private func takeIdentifierForLine() throws(ProtocolInputError) -> UInt16 {
        guard pending.count < Self.maximumPendingCount, let identifier = takeIdentifier() else {
            throw ProtocolInputError("60,000 confirmations are outstanding; wait for some", dependsOnPeer: true)
        }
        return identifier
    }

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let typed = try MQTTLine(line)
        renewsLastLine = false
        lastAcknowledgement = nil
        switch typed.command {
        case .publish(let topic, let message):
            return try publish(topic, message, typed, wantsReply, at: now, &output)
        case .subscribe(let filters):
            let others = subscriptions.filter { !filters.contains($0.filter) }
            guard others.count + filters.count <= Self.maximumSubscriptionCount else {
                throw ProtocolInputError("more than \(Self.maximumSubscriptionCount) filters; end some subscriptions")
            }
            let identifier = try takeIdentifierForLine()
            let added = filters.map { Subscription(filter: $0, qos: typed.qos) }
            subscriptions = others + added
            renewsLastLine = true
            subscribe(added, identifier, isRequest: wantsReply, at: now, &output)
            return wantsReply ? "\(identifier)" : nil
        case .unsubscribe(let filters):
            let identifier = try takeIdentifierForLine()
            subscriptions.removeAll { filters.contains($0.filter) }
            pending[identifier] = .unsubscribe(isRequest: wantsReply)
            let contents = MQTTPacket.bytes(identifier) + filters.flatMap { MQTTPacket.bytes($0) }
            send(MQTTPacket(.unsubscribe, contents), at: now, &output)
            lastAcknowledgement = .acknowledgement("\(identifier)")
            return wantsReply ? "\(identifier)" : nil
        }
    }

    private func subscribe(
        _ group: [Subscription], _ identifier: UInt16, isRequest: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) {
        pending[identifier] = .subscribe(group, isRequest: isRequest)
        let contents = MQTTPacket.bytes(identifier) + group.flatMap { MQTTPacket.bytes($0.filter) + [$0.qos] }
        send(MQTTPacket(.subscribe, contents), at: now, &output)
    }

    private func publish(
        _ topic: String, _ message: [UInt8], _ typed: MQTTLine, _ wantsReply: Bool, at now: UInt64,
        _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let qos: UInt8 = wantsReply ? 1 : typed.qos
        let flags = qos << 1 | (typed.isRetained ? 1 : 0)
        guard qos == 1 else {
            send(MQTTPacket(.publish, flags: flags, MQTTPacket.bytes(topic) + message), at: now, &output)
            return nil
        }
        let identifier = try takeIdentifierForLine()
        let contents = MQTTPacket.bytes(topic) + MQTTPacket.bytes(identifier) + message
        let packet = MQTTPacket(.publish, flags: flags, contents)
        // The caller sends requests again itself.
        if !isClean, !wantsReply {
            guard keptBytes + contents.count <= Self.maximumKeptBytes, kept.count < Self.maximumKeptCount else {
                throw ProtocolInputError("too many publications are unconfirmed; wait for some")
            }
            keptBytes += contents.count
            kept.append((identifier, packet))
        }
        pending[identifier] = .publish(isRequest: wantsReply)
        send(packet, at: now, &output)
        // [MQTT-4.3.2-2]: the receiver confirms it with PUBACK.
        lastAcknowledgement = !isClean && !wantsReply ? .renewal : .acknowledgement("\(identifier)")
        return wantsReply ? "\(identifier)" : nil
    }

    /// The maximum number of packets kept for the next connection.
    private static let maximumKeptCount = 1000
}
