import Formats
import WSCore

extension ApplicationProtocol {
    /// SignalR of ASP.NET Core, JSON hub protocol.
    static let signalR = ApplicationProtocol(
        name: "signalr",
        summary: "SignalR of ASP.NET Core: hub methods, streams, and invocations by the server (JSON)",
        manual: Manual(
            input: """
                METHOD [ARGUMENT...] invokes a method of the hub: Send alice {"x":1}. An argument that is not JSON is a \
                string. A single array is the list of arguments. stream METHOD [ARGUMENT...] begins a stream, and \
                cancel ID ends it. A method named stream or cancel needs quotes.
                """,
            automatic: """
                Sends the negotiate request, unless the parameter negotiate is false, then the handshake, and a ping \
                after 15 seconds without another message. Begins streams again after a reconnect. Answers invocations \
                that want a result with an error.
                """,
            hidden: "The handshake and pings.",
            example: "wsx --protocol signalr http://localhost:5000/chat 'Send alice hi'"),
        endpoint: Endpoint(
            negotiation: Negotiation(pathSuffix: "/negotiate", queryName: "negotiateVersion", queryValue: "1")),
        parameters: [
            Parameter("negotiate", "whether to send the negotiate request, true or false [default: true]")
        ],
        commands: ["cancel", "stream"],
        makeSession: { (parameters) throws(ProtocolParameterError) in try SignalRSession(parameters) })
}

/// A session of the SignalR hub protocol.
///
///     {"protocol":"json","version":1}␞  ──►  {}␞  ──►  ready
///     {"type":1,"invocationId":"1","target":"Add","arguments":[1,2]}␞  ──►  {"type":3,"invocationId":"1","result":3}␞
///
/// Sections refer to the SignalR Hub Protocol specification.
final class SignalRSession: ProtocolSession {
    /// JSON Encoding: "All JSON messages must be terminated by the ASCII character 0x1E".
    private static let separator: UInt8 = 0x1E
    /// The maximum size of an incomplete record in bytes.
    static let maximumRecordBytes = 16 << 20
    /// The interval and the timeout of the reference implementations.
    private static let pingInterval = Duration.seconds(15)
    private static let serverTimeout = Duration.seconds(30)

    private struct Invocation {
        let target: String
        let arguments: [UInt8]
        let isStream: Bool
        /// Whether the caller waits for the completion, and invokes the method again after a reconnect.
        let wantsReply: Bool

        /// Whether a new connection begins the stream again.
        var isRenewed: Bool { isStream && !wantsReply }
    }

    private let awaitsStreams: Bool
    private var invocations = NumberedRequests<Invocation>()
    private var isReady = false
    private(set) var renewsLastLine = false
    /// The beginning of an incomplete record.
    private var partial: [UInt8] = []
    /// When the next ping is due.
    private var nextPing: UInt64?
    /// When the server will have been silent for too long.
    private var silenceEnd: UInt64?

    init(_ parameters: ProtocolParameters) throws(ProtocolParameterError) {
        awaitsStreams = parameters.awaitsStreams
        guard [nil, "true", "false"].contains(parameters["negotiate"]) else {
            throw .invalid("negotiate", reason: "expected true or false")
        }
    }

    var incompleteInput: String? {
        partial.isEmpty ? nil : "a record of SignalR (\(Phrase.count(partial.count, "byte")))"
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        _ = invocations.removeAll { !$0.isRenewed }
        isReady = false
        partial = []
        silenceEnd = now + Self.serverTimeout.nanoseconds
        // Overview: "the client must send a HandshakeRequest message to the server as its first message".
        send(Array("{\"protocol\":\"json\",\"version\":1}".utf8), at: now, &output)
        nextPing = nil
    }

    private func send(_ record: [UInt8], at now: UInt64, _ output: inout ProtocolOutput) {
        output.send(record + [Self.separator])
        nextPing = now + Self.pingInterval.nanoseconds
    }

    // MARK: Time

    var deadline: UInt64? { [nextPing, silenceEnd].compactMap { $0 }.min() }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        if let silenceEnd, silenceEnd <= now {
            (self.silenceEnd, nextPing) = (nil, nil)
            return output.append(.disconnect("the server sent nothing for 30 s, not even a ping"))
        }
        // Ping: "A Ping is only sent if the interval has elapsed without a message being sent."
        if let nextPing, nextPing <= now { send(Array("{\"type\":6}".utf8), at: now, &output) }
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        silenceEnd = now + Self.serverTimeout.nanoseconds
        guard kind == .text else { return output.append(.unknown(reason: "binary data in the JSON hub protocol")) }
        var rest = payload.bytes[...]
        if !isReady, partial.isEmpty, !rest.contains(Self.separator) {
            output.append(.unknown(reason: "the handshake does not end with the record separator 0x1E"))
        }
        while let end = rest.firstIndex(of: Self.separator) {
            let record = partial + rest[..<end]
            partial = []
            rest = rest[(end + 1)...]
            receive(record, at: now, &output)
        }
        partial += rest
        guard partial.count <= Self.maximumRecordBytes else {
            partial = []
            return output.append(.disconnect("a record of the server has more than 16 MiB"))
        }
    }

    private func receive(_ record: [UInt8], at now: UInt64, _ output: inout ProtocolOutput) {
        guard let members = JSONMembers(record) else {
            return output.append(.unknown(reason: "a record of SignalR is not a JSON object"))
        }
        guard isReady else { return receiveHandshake(members, at: now, &output) }
        switch members.integer("type") {
        case 1: receiveInvocation(members, at: now, &output)
        case 2: receiveItem(members, &output)
        case 3: receiveCompletion(members, &output)
        case 5: output.append(ProtocolEvent(.hidden, name: "cancel", id: members.string("invocationId")))
        case 6: output.append(ProtocolEvent(.hidden, name: "ping"))
        case 7: receiveClose(members, record, &output)
        case 8, 9: output.append(ProtocolEvent(.hidden, name: "sequence", payload: record))
        default: output.append(.unknown(reason: "a record of SignalR with an unknown type"))
        }
    }

    /// Overview: "The server will reply with a HandshakeResponse … containing an error if the server does not support the
    /// protocol."
    private func receiveHandshake(_ members: JSONMembers, at now: UInt64, _ output: inout ProtocolOutput) {
        if let error = members.string("error") {
            return output.append(.failure("the server refused the handshake: \(quoted(error))"))
        }
        guard !members.has("type") else {
            return output.append(.unknown(reason: "a record of SignalR before the handshake"))
        }
        isReady = true
        nextPing = now + Self.pingInterval.nanoseconds
        output.append(ProtocolEvent(.hidden, name: "handshake"))
        for (_, stream) in invocations.removeAll(where: \.isRenewed) {
            invoke(stream, at: now, &output)
            output.append(.renewed(stream.target))
        }
        output.append(.ready)
    }

    private func receiveInvocation(_ members: JSONMembers, at now: UInt64, _ output: inout ProtocolOutput) {
        guard let target = members.string("target"), let arguments = members.json("arguments"),
            let elements = JSONText.elements(of: arguments)
        else { return output.append(.unknown(reason: "an invocation without a target and arguments")) }
        let id = members.string("invocationId")
        if let id {
            // The server waits for a result, which only a program could give.
            let completion = "\"error\":\"wsx does not return results\"}"
            send(
                Array("{\"type\":3,\"invocationId\":".utf8) + JSONText.string(id) + Array(",\(completion)".utf8),
                at: now,
                &output)
        }
        output.append(ProtocolEvent(.event(), name: target, id: id, payload: JSONText.payload(of: elements)))
    }

    private func receiveItem(_ members: JSONMembers, _ output: inout ProtocolOutput) {
        guard let id = members.string("invocationId") else {
            return output.append(.unknown(reason: "an item of a stream without an invocationId"))
        }
        let name = number(id).flatMap { invocations[$0]?.target }
        output.append(ProtocolEvent(.event(), name: name, id: id, payload: members.json("item") ?? []))
    }

    private func receiveCompletion(_ members: JSONMembers, _ output: inout ProtocolOutput) {
        guard let id = members.string("invocationId") else {
            return output.append(.unknown(reason: "a completion without an invocationId"))
        }
        let invocation = invocations.remove(id)
        // Completion Message Encoding: the result "is ignored if error is present".
        let isError = !members.isNull("error")
        let role: ProtocolEvent.Role =
            switch invocation?.isRenewed {
            case true?: isError ? .refusal : .notice
            default: .reply(id, isError: isError)
            }
        output.append(
            ProtocolEvent(
                role, name: invocation.map { $0.isStream ? "complete" : $0.target }, id: id,
                payload: members.json(isError ? "error" : "result") ?? [],
                traits: isError && invocation?.isStream == true ? .refusal : []))
    }

    private func receiveClose(_ members: JSONMembers, _ record: [UInt8], _ output: inout ProtocolOutput) {
        // Close Message Encoding: "allowReconnect … indicating to clients … that they should attempt to reconnect".
        let allowsReconnect = members.isTrue("allowReconnect")
        guard let error = members.string("error") else {
            output.append(ProtocolEvent(.notice, name: "close"))
            if allowsReconnect { output.append(.close(.goingAway, message: "SignalR close message")) }
            return
        }
        let reason = "the server closed the connection: \(quoted(error))"
        output.append(allowsReconnect ? .disconnect(reason) : .failure(reason))
    }

    private func number(_ id: String) -> Int? { Int(id).flatMap { "\($0)" == id ? $0 : nil } }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        var line = TypedLine(line)
        renewsLastLine = false
        if line.nextWord == "cancel" {
            _ = line.word()
            try cancel(&line, at: now, &output)
            return nil
        }
        let isStream = line.nextWord == "stream"
        if isStream { _ = line.word() }
        let form =
            isStream
            ? "write stream METHOD [ARGUMENT...], as in: stream Counter 10"
            : "write METHOD [ARGUMENT...], as in: Send alice {\"x\":1}"
        let isQuoted = line.next == UInt8(ascii: "\"")
        let target = try line.name("the method", form)
        guard isQuoted || target.utf8.first.map({ $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }) == true else {
            throw ProtocolInputError("the method is missing before the arguments; \(form)")
        }
        let arguments: [[UInt8]]
        do throws(JSONRPCCallError) {
            arguments = try line.arguments()
        } catch {
            throw ProtocolInputError("in the arguments, \(error)")
        }
        let wantsReply = wantsReply && (awaitsStreams || !isStream)
        renewsLastLine = isStream && !wantsReply
        let id = invoke(
            Invocation(
                target: target, arguments: JSONText.array(arguments), isStream: isStream, wantsReply: wantsReply),
            at: now, &output)
        return wantsReply ? id : nil
    }

    @discardableResult
    private func invoke(_ invocation: Invocation, at now: UInt64, _ output: inout ProtocolOutput) -> String? {
        // Non-Blocking Invocations: "Invocations can be sent without an Invocation ID value."
        let id = invocation.wantsReply || invocation.isStream ? "\(invocations.add(invocation))" : nil
        let record =
            Array("{\"type\":\(invocation.isStream ? 4 : 1),".utf8)
            + Array((id.map { "\"invocationId\":\"\($0)\"," } ?? "").utf8) + Array("\"target\":".utf8)
            + JSONText.string(invocation.target) + Array(",\"arguments\":".utf8) + invocation.arguments
            + Array("}".utf8)
        send(record, at: now, &output)
        return id
    }

    /// Cancellation: the server "MUST still send a Completion message".
    private func cancel(
        _ line: inout TypedLine, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) {
        guard let id = line.word(), line.isAtEnd, let number = number(id), 1..<invocations.nextNumber ~= number else {
            throw ProtocolInputError("cancel needs the id of a stream; write cancel ID, as in: cancel 1")
        }
        // The server may have completed the stream in the meantime.
        guard invocations[number] != nil else { return }
        send(Array("{\"type\":5,\"invocationId\":\"\(number)\"}".utf8), at: now, &output)
    }
}

/// The response to SignalR's negotiate request.
///
/// Sections refer to the specification "Transport Protocols" of SignalR.
package enum SignalRNegotiation: Equatable, Sendable {
    /// Connect to the URL with this value of the query parameter `id`.
    case connect(id: String)
    /// Negotiate again at this URL, with this bearer token.
    case redirect(url: String, accessToken: String?)

    /// Reads the body of a response.
    /// - Throws: ``SignalRNegotiationError``.
    package init(response: RawSpan) throws(SignalRNegotiationError) {
        guard UTF8Validator.isValid(response), let members = JSONMembers(response) else { throw .malformed }
        // All versions: "A response that contains an error which should stop the connection attempt."
        if let error = members.string("error") { throw .refused(error) }
        if let url = members.string("url") {
            self = .redirect(url: url, accessToken: members.string("accessToken"))
            return
        }
        if members.has("ProtocolVersion") { throw .olderSignalR }
        if let transports = members.json("availableTransports").flatMap(JSONText.elements) {
            let names = transports.compactMap { JSONMembers($0)?.string("transport") }
            guard names.contains("WebSockets") else { throw .noWebSockets }
        }
        // Version 1: "The value of the connectionToken property will be used in the id query string".
        guard let id = members.string("connectionToken") ?? members.string("connectionId") else { throw .malformed }
        self = .connect(id: id)
    }
}

/// Why a response to SignalR's negotiate request does not allow a connection.
package enum SignalRNegotiationError: Error, Equatable, CustomStringConvertible {
    /// The response is not a JSON object with a connection id.
    case malformed
    /// The server refuses the connection with these words.
    case refused(String)
    /// The server is one of ASP.NET SignalR, an older protocol.
    case olderSignalR
    /// The server has disabled WebSockets.
    case noWebSockets

    /// The reason, to follow a colon.
    package var description: String {
        switch self {
        case .malformed:
            "the response to the negotiate request has no connection id; try --param negotiate=false"
        case .refused(let error): "the server refused to negotiate: \(quoted(error))"
        case .olderSignalR: "the server speaks the older ASP.NET SignalR, which wsx does not support"
        case .noWebSockets: "the server does not offer WebSockets for this hub"
        }
    }
}
