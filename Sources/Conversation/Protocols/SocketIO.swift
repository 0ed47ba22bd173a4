import Formats
import WSCore

extension ApplicationProtocol {
    /// Socket.IO, protocol version 5, on Engine.IO, protocol version 4.
    static let socketIO = ApplicationProtocol(
        name: "socket.io",
        summary: "Socket.IO: events, acks, namespaces, and binary data",
        manual: Manual(
            input: """
                EVENT [ARGUMENT...] sends an event: chat {"x":1}. An argument that is not JSON is a string. A single \
                array is the list of arguments. {"$bytes":"AQID"} is binary data in Base64. /admin chat "hi" sends \
                an event in the namespace /admin. A namespace alone connects to it, also after a refusal. ["chat",1] is \
                an event, too.
                """,
            automatic: """
                Connects to the default namespace, and to others on first use, also after a reconnect. Answers pings. \
                Acknowledges events that request it with the parameter ack. With EIO=3 in the query of the URL, it speaks \
                Socket.IO 2: it sends the pings, and has no parameter auth.
                """,
            hidden: "The handshake, pings, and the connection to the default namespace.",
            example: "wsx --protocol socket.io http://localhost:3000 'chat {\"x\":1}'"),
        endpoint: Endpoint(path: "/socket.io/", query: [("EIO", "4"), ("transport", "websocket")]),
        parameters: [
            Parameter("auth", "the payload for the server's authentication", isJSON: true, isSecret: true),
            Parameter("namespace", "the default namespace [default: /]"),
            Parameter("ack", "the arguments of acknowledgements, an array [default: []]", isJSON: true),
        ],
        makeSession: { (parameters) throws(ProtocolParameterError) in try SocketIOSession(parameters) })

    /// Socket.IO 2, protocol version 4, on Engine.IO, protocol version 3. A connection has no payload.
    static let socketIO2 = ApplicationProtocol(
        name: socketIO.name, summary: socketIO.summary, manual: socketIO.manual,
        endpoint: Endpoint(path: "/socket.io/", query: [("EIO", "3"), ("transport", "websocket")]),
        parameters: socketIO.parameters.filter { $0.name != "auth" },
        makeSession: { (parameters) throws(ProtocolParameterError) in
            try SocketIOSession(parameters, engineVersion: 3)
        })
}

/// A session of Socket.IO.
///
///     0{"sid":…}  ──►  40{auth}  ──►  40{"sid":…}  ──►  ready: 42["chat",{"x":1}]
///     0{"sid":…}  ──►  40  ──►  ready                                               Socket.IO 2
///
/// Sections refer to the Socket.IO protocol, and to the Engine.IO protocol where stated.
final class SocketIOSession: ProtocolSession {
    private struct Namespace {
        enum State {
            case connecting
            case connected
            /// The server has refused it. Only a line with its name alone asks again.
            case refused
        }

        let name: String
        var state = State.connecting
        /// Whether a caller waits for the answer. The key of the reply is the name.
        var wantsReply = false
    }

    /// A packet that lacks attachments.
    private struct Partial {
        var packet: SocketIOPacket
        var attachments: [[UInt8]] = []
        var byteCount = 0
    }

    /// The maximum number of namespaces.
    private static let maximumNamespaceCount = 1024
    /// The maximum size of a packet's attachments in bytes.
    static let maximumAttachmentBytes = 16 << 20
    /// "Reserved" names in the reference implementation. The server closes the connection if it receives one.
    private static let reservedEvents: Set<String> = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]

    private var engine: EngineIO
    private var auth: [UInt8]
    private let defaultNamespace: String
    /// The arguments of acknowledgements, in JSON.
    private let acknowledgement: [[UInt8]]
    /// The namespaces in the order of their first use.
    private var namespaces: [Namespace]
    private var held = HeldLines<[ProtocolOutput.Item]>()
    /// The namespaces of unacknowledged events, by id.
    private var pending = NumberedRequests<String>(from: 0)
    private var partial: Partial?
    private var isReady = false
    private(set) var lastAcknowledgement: LineConfirmation?

    init(_ parameters: ProtocolParameters, engineVersion: Int = 4) throws(ProtocolParameterError) {
        engine = EngineIO(version: engineVersion)
        auth = parameters["auth"].map { Array($0.utf8) } ?? []
        defaultNamespace = parameters["namespace"] ?? "/"
        guard defaultNamespace.hasPrefix("/"), !defaultNamespace.utf8.contains(UInt8(ascii: ",")) else {
            throw .invalid("namespace", reason: "expected a name that begins with a slash, such as /admin")
        }
        guard let acknowledgement = JSONText.elements(of: Array((parameters["ack"] ?? "[]").utf8)) else {
            throw .invalid("ack", reason: "expected an array of arguments, such as [\"ok\"]")
        }
        self.acknowledgement = acknowledgement
        namespaces = [Namespace(name: defaultNamespace)]
    }

    /// Disconnection from a namespace, and Engine.IO's close packet. The reference implementation reconnects after
    /// "transport close".
    var endsWithMessage: Bool { true }
    var topics: [String] { namespaces.compactMap { $0.state == .refused ? nil : $0.name } }
    var isFull: Bool { held.isFull }
    var deadline: UInt64? { engine.deadline }
    var unconfirmedCount: Int { namespaces.count { $0.state == .connecting && $0.name != defaultNamespace } }

    var incompleteInput: String? {
        partial.map { partial in
            let missing = partial.packet.attachmentCount - partial.attachments.count
            return "a Socket.IO packet that lacks \(Phrase.count(missing, "binary attachment"))"
        }
    }

    func takeLogin(of session: any ProtocolSession) {
        if let session = session as? SocketIOSession { auth = session.auth }
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        // The caller sends lines without a reply again.
        namespaces.removeAll { $0.wantsReply }
        for index in namespaces.indices where namespaces[index].state == .connected {
            namespaces[index].state = .connecting
        }
        held.removeAll()
        pending.removeAll()
        partial = nil
        engine = EngineIO(version: engine.version)
        isReady = false
    }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        engine.timePassed(at: now, &output)
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        engine.received(at: now)
        guard kind == .text else { return receiveAttachment(engine.data(of: payload.bytes), &output) }
        let text = payload.bytes
        if let data = engine.data(ofText: text) { return receiveAttachment(data, &output) }
        // Engine.IO, Packet encoding: "<packet type>[<data>]".
        switch text.first {
        case UInt8(ascii: "0"): open(Array(text[1...]), at: now, &output)
        case UInt8(ascii: "1") where text.count == 1:
            // Engine.IO, Packet encoding: close "indicates that a transport can be closed". Nothing follows it.
            output.append(ProtocolEvent(.hidden, name: "close"))
            output.append(.close(.goingAway, message: "Engine.IO close packet"))
        case UInt8(ascii: "2"):
            // Engine.IO, Heartbeat: the client answers a ping with a pong.
            output.send(Array("3".utf8) + text[1...])
            output.append(ProtocolEvent(.hidden, name: "ping"))
        case UInt8(ascii: "3"): output.append(ProtocolEvent(.hidden, name: "pong"))
        case UInt8(ascii: "4"): receivePacket(Array(text[1...]), &output)
        case UInt8(ascii: "6"): output.append(ProtocolEvent(.hidden, name: "noop"))
        default: output.append(.unknown(reason: "not an Engine.IO packet"))
        }
    }

    private func open(_ payload: [UInt8], at now: UInt64, _ output: inout ProtocolOutput) {
        guard engine.open(payload, at: now) else {
            return output.append(.unknown(reason: "the handshake has no valid pingInterval and pingTimeout"))
        }
        output.append(ProtocolEvent(.hidden, name: "open", payload: JSONText.compact(payload) ?? payload))
        // Connection to a namespace: "the client MUST send a CONNECT packet".
        for namespace in namespaces where namespace.state != .refused {
            connect(to: namespace.name, &output)
            if namespace.name != defaultNamespace { output.append(.renewed(namespace.name)) }
        }
    }

    private func receivePacket(_ text: [UInt8], _ output: inout ProtocolOutput) {
        // The attachments directly follow their packet. The reference implementation closes the connection, too: "got
        // plaintext data when reconstructing a packet".
        if let incompleteInput {
            partial = nil
            return output.append(.disconnect("the server sent a packet after \(incompleteInput)"))
        }
        do throws(SocketIOPacketError) {
            let packet = try SocketIOPacket(text)
            if packet.attachmentCount > 0 { partial = Partial(packet: packet) } else { handle(packet, &output) }
        } catch {
            output.append(.unknown(reason: error.reason))
        }
    }

    /// Format: "+ binary attachments extracted".
    /// - Parameter bytes: The data, or `nil` if it belongs to no packet with a message.
    private func receiveAttachment(_ bytes: [UInt8]?, _ output: inout ProtocolOutput) {
        guard let bytes, var partial = self.partial else {
            return output.append(.unknown(reason: "binary data without a packet that announces it"))
        }
        partial.attachments.append(bytes)
        partial.byteCount += bytes.count
        guard partial.byteCount <= Self.maximumAttachmentBytes else {
            self.partial = nil
            return output.append(.disconnect("the attachments of a packet have more than 16 MiB"))
        }
        guard partial.attachments.count == partial.packet.attachmentCount else {
            self.partial = partial
            return
        }
        self.partial = nil
        if !partial.packet.insert(partial.attachments) {
            output.append(.unknown(reason: "an attachment without a placeholder in its packet"))
        }
        handle(partial.packet, &output)
    }

    private func handle(_ packet: SocketIOPacket, _ output: inout ProtocolOutput) {
        let topic = packet.namespace == defaultNamespace ? nil : packet.namespace
        switch packet.kind {
        case .connect: connected(packet, topic, &output)
        case .connectError: refused(packet, topic, &output)
        case .disconnect: disconnected(packet.namespace, topic, &output)
        case .event, .binaryEvent: receiveEvent(packet, topic, &output)
        case .ack, .binaryAck:
            guard let id = packet.id else { return output.append(.unknown(reason: "an acknowledgement without an id")) }
            _ = pending.remove(id)
            output.append(
                ProtocolEvent(
                    .reply("\(id)", isError: false), topic: topic, id: "\(id)",
                    payload: JSONText.payload(of: packet.arguments)))
        }
    }

    private func receiveEvent(_ packet: SocketIOPacket, _ topic: String?, _ output: inout ProtocolOutput) {
        guard let name = packet.arguments.first.flatMap(JSONText.text) else {
            return output.append(.unknown(reason: "an event without a name"))
        }
        if let id = packet.id {
            // Acknowledgement: "The receiver MUST respond with an ACK packet with the same event ID".
            let messages = SocketIOPacket.encode(.ack, acknowledgement, packet.namespace, id: id)
            for message in engine.encode(messages) { output.append(message) }
        }
        output.append(
            ProtocolEvent(
                .event(), name: name, topic: topic, id: packet.id.map { "\($0)" },
                payload: JSONText.payload(of: Array(packet.arguments.dropFirst()))))
    }

    // MARK: Namespaces

    private func connect(to name: String, _ output: inout ProtocolOutput) {
        // Socket.IO 2 connects everyone to the main namespace.
        if engine.version == 3, name == "/" { return }
        output.send(SocketIOPacket.encode("0", name, auth))
    }

    private func connected(_ packet: SocketIOPacket, _ topic: String?, _ output: inout ProtocolOutput) {
        let isUnasked = engine.version == 3 && packet.namespace == "/"
        if isUnasked, !namespaces.contains(where: { $0.name == "/" }) { namespaces.append(Namespace(name: "/")) }
        let index = namespaces.firstIndex { $0.name == packet.namespace }
        let isAwaited = index.map { namespaces[$0].wantsReply } ?? false
        let role: ProtocolEvent.Role =
            isAwaited ? .reply(packet.namespace, isError: false) : topic == nil || isUnasked ? .hidden : .notice
        output.append(ProtocolEvent(role, name: "connect", topic: topic, payload: packet.payload))
        guard let index else { return }
        namespaces[index].state = .connected
        namespaces[index].wantsReply = false
        while let line = held.takeFirst(for: packet.namespace) {
            for message in line.message { output.append(message) }
            output.append(.lineSent(line.number))
        }
        if topic == nil, !isReady {
            isReady = true
            output.append(.ready)
        }
    }

    /// Connection to a namespace: "a CONNECT_ERROR packet if the connection is not allowed".
    private func refused(_ packet: SocketIOPacket, _ topic: String?, _ output: inout ProtocolOutput) {
        let words = JSONMembers(packet.payload)?.string("message") ?? JSONText.text(packet.payload) ?? ""
        guard topic != nil else {
            return output.append(
                .failure("the server refused the namespace \(shown(packet.namespace)): \(quoted(words))"))
        }
        let index = namespaces.firstIndex { $0.name == packet.namespace }
        if let index, namespaces[index].wantsReply {
            output.append(
                ProtocolEvent(
                    .reply(packet.namespace, isError: true), name: "connect_error", topic: topic,
                    payload: packet.payload, traits: .refusal))
        } else if !pending.contains(where: { $0 == packet.namespace }) {
            // Otherwise an error reply says the same.
            output.append(ProtocolEvent(.refusal, name: "connect_error", topic: topic, payload: packet.payload))
        }
        if let index {
            namespaces[index].state = .refused
            namespaces[index].wantsReply = false
        }
        held.drop(packet.namespace, &output)
        failPending(in: packet.namespace, topic, packet.payload, &output)
    }

    private func disconnected(_ name: String, _ topic: String?, _ output: inout ProtocolOutput) {
        // Lines that wait for the namespace are dropped, and counted as such.
        let isRefusal =
            topic != nil && held.messages(for: name).isEmpty
            && namespaces.contains { $0.name == name && $0.state == .connecting && !$0.wantsReply }
        output.append(ProtocolEvent(isRefusal ? .refusal : .notice, name: "disconnect", topic: topic))
        // The reference implementation does not connect again by itself after "io server disconnect".
        guard topic != nil else {
            return output.append(.close(.normalClosure, message: "Socket.IO disconnect packet"))
        }
        let payload = JSONText.string("disconnected")
        if namespaces.contains(where: { $0.name == name && $0.wantsReply }) {
            output.append(ProtocolEvent(.reply(name, isError: true), topic: topic, payload: payload, traits: .refusal))
        }
        remove(name, &output)
        failPending(in: name, topic, payload, &output)
    }

    /// Forgets a namespace that the server has disconnected, so that its next use connects again.
    private func remove(_ name: String, _ output: inout ProtocolOutput) {
        guard name != defaultNamespace, let index = namespaces.firstIndex(where: { $0.name == name }) else { return }
        namespaces.remove(at: index)
        held.drop(name, &output)
    }

    private func failPending(in name: String, _ topic: String?, _ payload: [UInt8], _ output: inout ProtocolOutput) {
        for (id, _) in pending.removeAll(where: { $0 == name }) {
            output.append(
                ProtocolEvent(
                    .reply("\(id)", isError: true), topic: topic, id: "\(id)", payload: payload, traits: .refusal))
        }
    }

    private func shown(_ name: String) -> String { name == "/" ? "/" : quoted(name) }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        var line = TypedLine(line)
        lastAcknowledgement = nil
        var name = defaultNamespace
        if line.next == UInt8(ascii: "/"), let word = line.word() { name = word }
        guard !name.utf8.contains(UInt8(ascii: ",")) else {
            throw ProtocolInputError("a namespace has no commas; write /NAMESPACE EVENT, as in: /admin chat \"hi\"")
        }
        if name != defaultNamespace, line.isAtEnd { return try connect(to: name, wantsReply: wantsReply, &output) }
        let event = try SocketIOPacket.typedEvent(&line, reserved: Self.reservedEvents)
        let index = try index(of: name, &output)
        let id = wantsReply ? pending.nextNumber : nil
        let messages = engine.encode(SocketIOPacket.encode(.event, event, name, id: id))
        if namespaces[index].state == .connected {
            for message in messages { output.append(message) }
        } else {
            let byteCount = messages.reduce(0) { sum, message in
                if case .send(let bytes, _) = message { sum + bytes.count } else { sum }
            }
            try held.hold(messages, byteCount: byteCount, for: name, &output)
        }
        guard wantsReply else { return nil }
        let key = "\(pending.add(name))"
        // The listener of the server need not acknowledge the event.
        lastAcknowledgement = .acknowledgementOrPong(key)
        return key
    }

    /// Connects to a namespace because of a line with its name alone.
    /// - Returns: The key of the reply, or `nil` if the namespace is connected.
    private func connect(
        to name: String, wantsReply: Bool, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        namespaces.removeAll { $0.name == name && $0.state == .refused }
        let index = try index(of: name, &output)
        guard wantsReply, namespaces[index].state == .connecting else { return nil }
        // Several lines share the answer.
        guard !namespaces[index].wantsReply else { return nil }
        namespaces[index].wantsReply = true
        return name
    }

    /// The index of a namespace. Connects to it on its first use.
    private func index(of name: String, _ output: inout ProtocolOutput) throws(ProtocolInputError) -> Int {
        if let index = namespaces.firstIndex(where: { $0.name == name }) {
            guard namespaces[index].state != .refused else { throw .refused(name) }
            return index
        }
        guard namespaces.count < Self.maximumNamespaceCount else {
            throw ProtocolInputError(
                "more than \(Self.maximumNamespaceCount) namespaces are in use", dependsOnPeer: true)
        }
        namespaces.append(Namespace(name: name))
        connect(to: name, &output)
        return namespaces.count - 1
    }
}
