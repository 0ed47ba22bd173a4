import Formats
import WSCore

extension ApplicationProtocol {
    /// Phoenix Channels, version 2.0.0 of the serializer.
    static let phoenix = ApplicationProtocol(
        name: "phoenix",
        summary: "Phoenix Channels (serializer version 2.0.0)",
        manual: Manual(
            input: """
                join TOPIC [JSON] joins a channel: join room:a {"user":1}. TOPIC EVENT [JSON] sends an event: \
                room:a new_msg {"body":"hi"}. leave TOPIC leaves the channel. Names with blanks need quotes. The JSON {"$bytes":"AQID"} is sent as \
                binary data. Parameters of the socket, such as a token, belong in the URL: ?token=t.
                """,
            automatic: """
                Numbers messages, sends a heartbeat every 30 seconds, and joins channels again after a reconnect or a \
                crash of the channel.
                """,
            hidden: "Heartbeats, and messages of earlier joins.",
            example: "wsx --protocol phoenix :4000/socket 'join room:a'"),
        endpoint: Endpoint(path: "/socket/websocket", pathSuffix: "/websocket", query: [("vsn", "2.0.0")]),
        commands: ["join", "leave"],
        makeSession: { _ in PhoenixSession() })
}

/// A session of Phoenix Channels.
///
///     ["1","1","room:a","phx_join",{}]  ──►  ["1","1","room:a","phx_reply",{"status":"ok","response":{}}]
///     ["1","2","room:a","new_msg",{}]   ──►  ["1","2","room:a","phx_reply",{"status":"ok","response":{}}]
///
/// Sections refer to Phoenix's guide "Writing a Channels Client", and to the module Phoenix.Socket.
final class PhoenixSession: ProtocolSession {
    private struct Channel {
        enum State: Equatable {
            case joining
            case joined
            /// The channel has crashed. Join it again at this time.
            case crashed(until: UInt64)
            /// The server has refused or closed it. Lines for it are not sent, until a line leaves it or joins it again.
            case ended
        }

        let topic: String
        let payload: [UInt8]
        var joinRef: Int
        var state = State.joining
        /// The number of crashes since the last successful join.
        var crashCount = 0
    }

    /// The purpose of a message that has no reply yet.
    private enum Purpose {
        case join(topic: String, wantsReply: Bool)
        case leave(topic: String, wantsReply: Bool)
        case push(topic: String)
        case heartbeat

        /// Whether the caller waits for the reply, which belongs to this channel.
        func isAwaited(from topic: String) -> Bool {
            switch self {
            case .join(topic, wantsReply: true), .leave(topic, wantsReply: true), .push(topic): true
            case .join, .leave, .push, .heartbeat: false
            }
        }
    }

    /// What a line does to its channel.
    private enum Action {
        case join, push, leave
    }

    /// Phoenix closes connections that are silent for 60 seconds by default.
    private static let heartbeatInterval = Duration.seconds(30)
    /// The delays before joining a crashed channel again, as in the reference implementation.
    private static let rejoinDelays = [1, 2, 5, 10].map { Duration.seconds($0) }
    private static let maximumChannelCount = 4096

    /// The channels in the order of their first join.
    private var channels: [Channel] = []
    private var held = HeldLines<(action: Action, message: PhoenixMessage)>()
    private(set) var renewsLastLine = false
    private(set) var lastAcknowledgement: LineConfirmation?
    private var pending = NumberedRequests<Purpose>()
    private var heartbeat: Int?
    private var nextHeartbeat: UInt64?

    var topics: [String] { channels.compactMap { $0.state == .ended ? nil : $0.topic } }
    var isFull: Bool { held.isFull }
    var unconfirmedCount: Int { channels.count { $0.state != .joined && $0.state != .ended } }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        channels.removeAll { channel in
            if case .join(_, wantsReply: true)? = pending.remove(channel.joinRef) { true } else { false }
        }
        pending.removeAll()
        heartbeat = nil
        nextHeartbeat = now + Self.heartbeatInterval.nanoseconds
        held.removeAll()
        for index in channels.indices where channels[index].state != .ended {
            channels[index].crashCount = 0
            join(index, &output)
            output.append(.renewed(channels[index].topic))
        }
        output.append(.ready)
    }

    // MARK: Time

    var deadline: UInt64? {
        let retries = channels.compactMap { channel in
            if case .crashed(let time) = channel.state { time } else { nil }
        }
        return (retries + (nextHeartbeat.map { [$0] } ?? [])).min()
    }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        for index in channels.indices {
            if case .crashed(let time) = channels[index].state, time <= now { join(index, &output) }
        }
        guard let nextHeartbeat, nextHeartbeat <= now else { return }
        guard heartbeat == nil else {
            self.nextHeartbeat = nil
            return output.append(.disconnect("the server did not answer the heartbeat for 30 s"))
        }
        let ref = pending.add(.heartbeat)
        heartbeat = ref
        self.nextHeartbeat = now + Self.heartbeatInterval.nanoseconds
        output.append(PhoenixMessage(ref: ref, topic: "phoenix", event: "heartbeat").encoded(joinRef: nil))
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        do throws(PhoenixMessageError) {
            let message =
                kind == .text ? try PhoenixFrame(text: payload) : try PhoenixFrame(binary: payload.bytes)
            receive(message, at: now, &output)
        } catch {
            output.append(.unknown(reason: error.reason))
        }
    }

    private func receive(_ frame: PhoenixFrame, at now: UInt64, _ output: inout ProtocolOutput) {
        if frame.event == "phx_reply" { return receiveReply(frame, &output) }
        var event = ProtocolEvent(
            .event(), name: frame.event, topic: frame.topic, id: frame.ref, payload: frame.payload, isText: frame.isText
        )
        let index = channels.firstIndex { $0.topic == frame.topic && $0.state != .ended }
        // "so the server can discard stale messages from a previous join": the client does the same.
        if let joinRef = frame.joinRef, index == nil || joinRef != "\(channels[index ?? 0].joinRef)" {
            event.role = .hidden
            return output.append(event)
        }
        guard let index, frame.event == "phx_error" || frame.event == "phx_close" else { return output.append(event) }
        let isLost = frame.event == "phx_close"
        let isAwaited = pending.contains { if case .join(frame.topic, wantsReply: true) = $0 { true } else { false } }
        event.role = isLost && channels[index].state == .joining && !isAwaited ? .refusal : .notice
        event.isRefusal = event.role == .refusal
        output.append(event)
        if isLost {
            end(index, frame, &output)
        } else {
            failRequests(to: frame.topic, frame, &output)
            // Phoenix.Socket: "in case of errors, such as a channel process crashing".
            let delay = Self.rejoinDelays[min(channels[index].crashCount, Self.rejoinDelays.count - 1)]
            channels[index].crashCount += 1
            channels[index].state = .crashed(until: now + delay.nanoseconds)
        }
    }

    /// "The server includes it in its reply so that the client knows which message the reply is for."
    private func receiveReply(_ frame: PhoenixFrame, _ output: inout ProtocolOutput) {
        guard let status = frame.status else {
            return output.append(.unknown(reason: "a reply of Phoenix without a status"))
        }
        guard let ref = frame.ref else { return output.append(.unknown(reason: "a reply of Phoenix without a ref")) }
        let isError = status != "ok"
        var event = ProtocolEvent(
            .reply(ref, isError: isError), name: status, topic: frame.topic, id: ref, payload: frame.payload,
            isText: frame.isText)
        switch pending.remove(ref) {
        case .heartbeat:
            heartbeat = nil
            event.role = .hidden
        case .leave(_, wantsReply: false) where !isError:
            event.role = .notice
            event.name = "left"
            event.acknowledgedKey = ref
        case .join(let topic, let wantsReply):
            // A join without a channel was followed by another one, or by a leave.
            let index = channels.firstIndex { $0.topic == topic && "\($0.joinRef)" == ref && $0.state != .ended }
            event.isRefusal = isError && (index != nil || wantsReply)
            if !wantsReply {
                event.role = index == nil ? .hidden : isError ? .refusal : .notice
                if !isError, index != nil { event.name = "joined" }
            }
            output.append(event)
            if let index { finishJoin(index, isError: isError, frame, &output) }
            return
        case .push, .leave, nil: break
        }
        output.append(event)
    }

    private func finishJoin(_ index: Int, isError: Bool, _ frame: PhoenixFrame, _ output: inout ProtocolOutput) {
        guard !isError else { return end(index, frame, &output) }
        channels[index].state = .joined
        channels[index].crashCount = 0
        while let line = held.takeFirst(for: frame.topic) {
            perform(line.message.action, line.message.message, &output)
            output.append(.lineSent(line.number))
            // Further lines wait for its confirmation.
            if line.message.action == .join { return }
        }
    }

    /// Ends a channel that the server has refused or closed. A later join that waits is then sent.
    private func end(_ index: Int, _ frame: PhoenixFrame, _ output: inout ProtocolOutput) {
        let topic = channels[index].topic
        channels[index].state = .ended
        // A line that leaves the channel is one of those that are dropped.
        if held.messages(for: topic).contains(where: { $0.action == .leave }) { channels.remove(at: index) }
        held.drop(topic, upTo: { $0.action == .join }, &output)
        failRequests(to: topic, frame, &output)
        if let line = held.takeFirst(for: topic) {
            perform(line.message.action, line.message.message, &output)
            output.append(.lineSent(line.number))
        }
    }

    /// Ends the outstanding replies of a channel, except those to lines that still wait.
    private func failRequests(to topic: String, _ frame: PhoenixFrame, _ output: inout ProtocolOutput) {
        let waiting = Set(held.messages(for: topic).map(\.message.ref))
        for (ref, _) in pending.removeAll(except: waiting, where: { $0.isAwaited(from: topic) }) {
            output.append(
                ProtocolEvent(
                    .reply("\(ref)", isError: true), name: frame.status ?? frame.event, topic: topic, id: "\(ref)",
                    payload: frame.payload, isText: frame.isText, traits: .refusal))
        }
    }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        var line = TypedLine(line)
        renewsLastLine = false
        lastAcknowledgement = nil
        let form = "write TOPIC EVENT [JSON], as in: room:a new_msg {\"body\":\"hi\"}"
        let isQuoted = line.next == UInt8(ascii: "\"")
        let first = try line.name("the topic", form)
        switch isQuoted ? "" : first {
        case "join":
            let form = "write join TOPIC [JSON], as in: join room:a {\"user\":1}"
            let topic = try line.name("the topic", form)
            return try join(topic, try payload(&line, form), wantsReply, &output)
        case "leave":
            let form = "write leave TOPIC, as in: leave room:a"
            let topic = try line.name("the topic", form)
            guard line.isAtEnd else { throw ProtocolInputError("leave needs one topic; \(form)") }
            let index = try index(of: topic, isLeaving: true)
            if channels[index].state == .ended { throw .refused(channels.remove(at: index).topic) }
            let message = PhoenixMessage(ref: pending.nextNumber, topic: topic, event: "phx_leave")
            if held.last(for: topic) == nil {
                perform(.leave, message, &output)
            } else {
                try held.hold((.leave, message), byteCount: 0, for: topic, &output)
            }
            let ref = pending.add(.leave(topic: topic, wantsReply: wantsReply))
            lastAcknowledgement = .acknowledgement("\(ref)")
            return wantsReply ? "\(ref)" : nil
        default:
            let event = try line.name("the event", form)
            let index = try index(of: first)
            let payload = try payload(&line, form)
            guard channels[index].state != .ended else { throw .refused(first) }
            let message = PhoenixMessage(ref: pending.nextNumber, topic: first, event: event, payload: payload)
            try message.check()
            if channels[index].state == .joined {
                perform(.push, message, &output)
            } else {
                try held.hold((.push, message), byteCount: payload.count + event.utf8.count, for: first, &output)
            }
            let ref = wantsReply ? pending.add(.push(topic: first)) : pending.skip()
            // The channel need not reply.
            lastAcknowledgement = .acknowledgementOrPong("\(ref)")
            return wantsReply ? "\(ref)" : nil
        }
    }

    private func payload(_ line: inout TypedLine, _ form: String) throws(ProtocolInputError) -> [UInt8] {
        if line.isAtEnd { return Array("{}".utf8) }
        guard let payload = line.json(), line.isAtEnd else {
            throw ProtocolInputError("the payload is not JSON; \(form)")
        }
        return payload
    }

    private func index(of topic: String, isLeaving: Bool = false) throws(ProtocolInputError) -> Int {
        // "a client must join that topic before sending any messages on it"
        guard let index = channels.firstIndex(where: { $0.topic == topic }), held.last(for: topic)?.action != .leave
        else {
            throw ProtocolInputError(
                "\(quoted(topic)) is not joined; write join TOPIC first, as in: join room:a", isRedundant: isLeaving)
        }
        return index
    }

    private func join(
        _ topic: String, _ payload: [UInt8], _ wantsReply: Bool, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        guard channels.count < Self.maximumChannelCount || channels.contains(where: { $0.topic == topic }) else {
            throw ProtocolInputError(
                "more than \(Self.maximumChannelCount) channels are joined; leave some", dependsOnPeer: true)
        }
        let message = PhoenixMessage(ref: pending.nextNumber, topic: topic, event: "phx_join", payload: payload)
        if held.last(for: topic) == nil {
            perform(.join, message, &output)
            renewsLastLine = !wantsReply
        } else {
            try held.hold((.join, message), byteCount: payload.count, for: topic, &output)
        }
        let ref = pending.add(.join(topic: topic, wantsReply: wantsReply))
        return wantsReply ? "\(ref)" : nil
    }

    /// "phx_join is used join a channel": its reference is that of all messages of this join.
    private func join(_ index: Int, _ output: inout ProtocolOutput) {
        let topic = channels[index].topic
        let ref = pending.add(.join(topic: topic, wantsReply: false))
        channels[index].joinRef = ref
        channels[index].state = .joining
        let message = PhoenixMessage(ref: ref, topic: topic, event: "phx_join", payload: channels[index].payload)
        output.append(message.encoded(joinRef: ref))
    }

    /// Sends the message of a line. A join begins its channel, and a leave ends it.
    private func perform(_ action: Action, _ message: PhoenixMessage, _ output: inout ProtocolOutput) {
        let index = channels.firstIndex { $0.topic == message.topic }
        let joinRef = action == .join ? message.ref : index.map { channels[$0].joinRef }
        output.append(message.encoded(joinRef: joinRef))
        if action != .push, let index { channels.remove(at: index) }
        if action == .join {
            channels.append(Channel(topic: message.topic, payload: message.payload, joinRef: message.ref))
        }
    }
}
