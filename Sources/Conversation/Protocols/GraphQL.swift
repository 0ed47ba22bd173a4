import Formats
import WSCore

extension ApplicationProtocol {
    /// GraphQL over WebSocket.
    static let graphQL = ApplicationProtocol(
        name: "graphql",
        summary: "GraphQL subscriptions, queries, and mutations",
        manual: Manual(
            input: """
                A GraphQL document, optionally followed by its variables as a JSON object: subscription { time } or \
                query Q($x: Int) { add(x: $x) } {"x":1}. A line such as @query.graphql {"x":1} reads the document from \
                a file, except in scenarios. {"query":"…","operationName":"…"} is sent as it is. complete ID ends a \
                subscription.
                """,
            automatic: """
                Sends connection_init with the parameter payload, answers pings, and subscribes again after a reconnect.
                """,
            hidden: "connection_init, connection_ack, pings, and the end of queries.",
            example: "wsx --protocol graphql :4000/graphql 'subscription { time }'"),
        endpoint: Endpoint(subprotocols: ["graphql-transport-ws", "graphql-ws"]),
        parameters: [
            Parameter("payload", "the payload of connection_init", isJSON: true, isSecret: true)
        ],
        commands: ["complete", "mutation", "query", "subscription"], readsFiles: true,
        makeSession: { (parameters) throws(ProtocolParameterError) in try GraphQLSession(parameters) })
}

/// A session of GraphQL over WebSocket.
///
///     connection_init ──► connection_ack ──► ready: subscribe ──► next … next ──► complete
///
/// Sections refer to the GraphQL over WebSocket Protocol, the message types of graphql-transport-ws. The older
/// graphql-ws (subscriptions-transport-ws) has other names for some of them.
final class GraphQLSession: ProtocolSession {
    /// A subprotocol, with its own names of messages.
    private enum Subprotocol {
        /// graphql-transport-ws.
        case current
        /// graphql-ws.
        case legacy

        var subscribe: String { self == .legacy ? "start" : "subscribe" }
        var next: String { self == .legacy ? "data" : "next" }
        var complete: String { self == .legacy ? "stop" : "complete" }
    }

    private struct Operation {
        let payload: [UInt8]
        let isSubscription: Bool
        /// Whether the caller waits for the reply, and sends the operation again after a reconnect.
        let wantsReply: Bool
        /// Whether the result of a query has been received.
        var isAnswered = false
    }

    /// The maximum number of operations that have not completed.
    private static let maximumOperationCount = 65_536

    private var initPayload: [UInt8]?
    private let awaitsStreams: Bool
    private var subprotocol = Subprotocol.current
    private var operations: [Int: Operation] = [:]
    private var nextID = 1
    private(set) var renewsLastLine = false
    private var isReady = false

    init(_ parameters: ProtocolParameters) throws(ProtocolParameterError) {
        initPayload = parameters["payload"].map { Array($0.utf8) }
        awaitsStreams = parameters.awaitsStreams
        if let initPayload, JSONMembers(initPayload) == nil {
            throw .invalid("payload", reason: "expected a JSON object, such as {\"token\":\"t\"}")
        }
    }

    func takeLogin(of session: any ProtocolSession) {
        if let session = session as? GraphQLSession { initPayload = session.initPayload }
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        self.subprotocol = subprotocol == "graphql-ws" ? .legacy : .current
        isReady = false
        operations = operations.filter { $0.value.isSubscription && !$0.value.wantsReply }
        // ConnectionInit: "the client wants to establish a connection within the existing socket".
        let payload = initPayload.map { Array(",\"payload\":".utf8) + $0 } ?? []
        output.send(Array("{\"type\":\"connection_init\"".utf8) + payload + Array("}".utf8))
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        guard kind == .text, let message = JSONMembers(payload), let type = message.string("type") else {
            return output.append(.unknown(reason: "not a message of GraphQL: a JSON object with a type"))
        }
        let payload = message.json("payload") ?? []
        switch type {
        case "connection_ack": acknowledged(payload, &output)
        case "ping" where subprotocol == .current:
            // Ping: "A Pong must be sent in response from the receiving party as soon as possible."
            output.send("{\"type\":\"pong\"}")
            output.append(ProtocolEvent(.hidden, name: type, payload: payload))
        case "pong" where subprotocol == .current, "ka" where subprotocol == .legacy:
            output.append(ProtocolEvent(.hidden, name: type, payload: payload))
        case "connection_error" where subprotocol == .legacy:
            let words = JSONMembers(payload)?.string("message") ?? String(decoding: payload, as: UTF8.self)
            // GQL_CONNECTION_ERROR: the answer to connection_init, or to a message that the server cannot parse.
            if isReady { return output.append(ProtocolEvent(.refusal, name: type, payload: payload)) }
            output.append(.failure("the server refused the connection: \(quoted(words))"))
        case subprotocol.next, "error", "complete": receive(type, message, payload, &output)
        default: output.append(.unknown(reason: "a message of GraphQL with the unknown type \(quoted(type))"))
        }
    }

    /// ConnectionAck: "The client is now ready to request subscription operations."
    private func acknowledged(_ payload: [UInt8], _ output: inout ProtocolOutput) {
        output.append(ProtocolEvent(.hidden, name: "connection_ack", payload: payload))
        guard !isReady else { return }
        isReady = true
        for (id, operation) in operations.sorted(by: { $0.key < $1.key }) {
            output.send(subscription(to: operation, id: id))
            output.append(.renewed(String(decoding: operation.payload, as: UTF8.self)))
        }
        output.append(.ready)
    }

    private func receive(
        _ type: String, _ message: JSONMembers, _ payload: [UInt8], _ output: inout ProtocolOutput
    ) {
        guard let id = message.string("id") else {
            return output.append(.unknown(reason: "a message of GraphQL without the id of its operation"))
        }
        // Complete: "be prepared to receive (and ignore) messages for operations that they consider already completed".
        guard let number = Int(id), "\(number)" == id, let operation = operations[number] else {
            return output.append(ProtocolEvent(.hidden, name: type, id: id, payload: payload))
        }
        switch type {
        case subprotocol.next:
            let isError = JSONMembers(payload).map { !$0.isNull("errors") } ?? false
            guard !operation.isSubscription, !operation.isAnswered else {
                return output.append(ProtocolEvent(.event(isError: isError), id: id, payload: payload))
            }
            operations[number]?.isAnswered = true
            output.append(ProtocolEvent(.reply(id, isError: isError), id: id, payload: payload))
        case "error":
            // Error: "This message terminates the operation and no further messages will be sent."
            operations[number] = nil
            let isReply = !operation.isSubscription || operation.wantsReply
            let role = isReply && !operation.isAnswered ? ProtocolEvent.Role.reply(id, isError: true) : .refusal
            output.append(
                ProtocolEvent(
                    role, name: type, id: id, payload: payload, traits: operation.isSubscription ? .refusal : []))
        default:
            operations[number] = nil
            let isAwaited = operation.isSubscription ? operation.wantsReply : !operation.isAnswered
            let role: ProtocolEvent.Role =
                isAwaited ? .reply(id, isError: false) : operation.isSubscription ? .notice : .hidden
            output.append(ProtocolEvent(role, name: "complete", id: id, payload: Array(id.utf8)))
        }
    }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        var words = TypedLine(line)
        renewsLastLine = false
        if words.nextWord == "complete" {
            _ = words.word()
            let number = Int(words.word() ?? "")
            guard words.isAtEnd, let number, 1..<nextID ~= number else {
                throw ProtocolInputError(
                    "complete needs the id of an operation; write complete ID, as in: complete 1")
            }
            // The server may have completed the operation in the meantime.
            if operations[number] != nil { complete(number, &output) }
            return nil
        }
        let request = try GraphQLRequest(words.rest)
        guard operations.count < Self.maximumOperationCount else {
            throw ProtocolInputError(
                "65,536 operations are active; end some with: complete 1", dependsOnPeer: true)
        }
        let id = nextID
        nextID += 1
        let wantsReply = wantsReply && (awaitsStreams || !request.isSubscription)
        let operation = Operation(
            payload: request.payload, isSubscription: request.isSubscription, wantsReply: wantsReply)
        operations[id] = operation
        renewsLastLine = operation.isSubscription && !wantsReply
        output.send(subscription(to: operation, id: id))
        return operation.isSubscription && !wantsReply ? nil : "\(id)"
    }

    /// Complete: "the client has stopped listening and wants to complete the subscription".
    private func complete(_ number: Int, _ output: inout ProtocolOutput) {
        output.send("{\"id\":\"\(number)\",\"type\":\"\(subprotocol.complete)\"}")
        guard let operation = operations[number] else { return }
        // The server does not confirm it. In graphql-ws it does, but then the operation is unknown and the message hidden.
        operations[number] = nil
        let isAwaited = operation.isSubscription ? operation.wantsReply : !operation.isAnswered
        let role: ProtocolEvent.Role = isAwaited ? .reply("\(number)", isError: false) : .notice
        output.append(ProtocolEvent(role, name: "complete", id: "\(number)", payload: Array("\(number)".utf8)))
    }

    private func subscription(to operation: Operation, id: Int) -> [UInt8] {
        Array("{\"id\":\"\(id)\",\"type\":\"\(subprotocol.subscribe)\",\"payload\":".utf8) + operation.payload
            + Array("}".utf8)
    }

    func meaning(of code: CloseCode) -> String? {
        switch code.rawValue {
        case 4004: "bad response"
        case 4005: "internal client error"
        case 4400: "bad request: the server does not understand a message"
        case 4401: "unauthorized: an operation before connection_ack"
        case 4403: "forbidden: the server refuses the connection"
        case 4406: "subprotocol not acceptable"
        case 4408: "no connection_init in time"
        case 4409: "an operation with this id already exists"
        case 4429: "more than one connection_init"
        case 4500: "internal server error"
        case 4504: "no connection_ack in time"
        default: nil
        }
    }
}
