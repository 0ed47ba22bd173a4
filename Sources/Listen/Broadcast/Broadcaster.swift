import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// Sends messages to clients: from the input or the prompt to one or all, and from a client to all others.
///
///      input, prompt ────────► one client
///      input, prompt, client ► all (other) clients ──► TurnBudget, SlowReaders: the sender waits
///                                  └── with --delay or --drop: through each client's gate
final class Broadcaster<Directory: ClientDirectory> {
    typealias Client = Directory.ConnectedClient

    /// The state of standard input as a source of messages.
    private enum Input {
        /// Not read: the server generates its own answers, or the user types lines at the prompt.
        case unused
        /// Not read before the first client.
        case waiting(InputReader.Settings)
        /// Read while there are clients to send to.
        case reading(InputReader)
        /// At its end, or no longer needed.
        case over(InputReader?)
    }

    let clients: ClientRegistry<Directory>
    let loop: EventLoop
    let outputs: ListenOutputs
    let faults: Faults
    /// Encodes what the server sends as text, with `--encode`.
    let encoder: TextEncoder
    private let answersByItself: Bool
    /// Whether the messages of a client reach only those of the same path.
    let staysOnPath: Bool
    private var input: Input
    /// The number of invalid messages of the input.
    private var invalidInputCount = 0
    /// The clients that delay messages to all.
    private(set) lazy var slowReaders = SlowReaders(
        of: self, limits: .init(bytesPerSecond: faults.arguments.bytesPerSecond))
    /// Limits the work per turn for expensive messages, including broadcasts.
    private(set) lazy var budget = TurnBudget(of: self)

    /// Creates the broadcaster for a server's clients.
    /// - Parameter input: How to read standard input, or `nil` to leave it unread.
    init(
        to directory: Directory, input: InputReader.Settings?, encoder: TextEncoder = TextEncoder([]),
        answersByItself: Bool, staysOnPath: Bool = false,
        outputs: ListenOutputs, faults: Faults
    ) {
        clients = ClientRegistry(directory)
        loop = directory.loop
        self.outputs = outputs
        self.faults = faults
        self.encoder = encoder
        self.answersByItself = answersByItself
        self.staysOnPath = staysOnPath
        self.input = input.map { .waiting($0) } ?? .unused
        outputs.senders = self
        faults.host = self
    }

    // MARK: To one client

    /// Sends an item to one client, through its gate if it has one.
    /// - Parameter mark: What a relay has done to a message.
    func send(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark? = nil, to client: some ServedClient) {
        if client.letsThrough(item, payload, mark, after: .zero) { pass(item, payload, mark, to: client) }
    }

    /// Sends an item that has passed the gate, and records it.
    func pass(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark? = nil, to client: some ServedClient) {
        let number = client.number
        switch item {
        case .message(let kind):
            guard client.send(payload, as: kind), mark != .forwarded else { return }
            if answersByItself {
                outputs.answered(payload, as: kind, mark, to: number)
            } else {
                outputs.sent(payload, as: kind, to: number)
            }
        case .ping: if client.sendPing(payload) { outputs.record(control: .ping, payload, to: number) }
        case .pong: if client.sendPong(payload) { outputs.record(control: .pong, payload, to: number) }
        case .close(let frame?), .end(let frame): close(client, with: frame)
        // The end of a session in the input does not end the server.
        case .close(nil): break
        }
    }

    /// Closes a client's connection and records the close frame.
    func close(_ client: some ServedClient, with frame: CloseFrame) {
        guard client.close(frame) else { return }
        outputs.record(close: frame, to: client.number, isAnswer: client.hasReceivedClose)
        client.didClose()
        clients.retryPosts()
    }

    // MARK: To all clients

    /// Sends a client's message to all other clients, or to those of the same path.
    func relay(_ payload: RawSpan, as kind: MessageKind, from sender: Client) {
        if send(payload, as: kind, toAllBut: sender, at: staysOnPath ? sender.path : nil) {
            slowReaders.hold(sender.number)
        }
        budget.spend(payload.byteCount, for: clients.count, from: sender.number)
    }

    /// Sends a message from the server to every client, and shows it once.
    func sendToAll(_ payload: RawSpan, as kind: MessageKind) {
        if outputs.showsBroadcasts, clients.hasRecipients { outputs.show(sent: .message(kind), payload, client: nil) }
        send(payload, as: kind, toAllBut: nil, at: nil)
        budget.spend(payload.byteCount, for: clients.count, from: nil)
    }

    /// Sends a message to every client except the sender, or to those of a path, and records it.
    /// - Returns: Whether any recipient's queue is full.
    @discardableResult
    private func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: Client?, at path: String?) -> Bool {
        guard !faults.useGates else { return sendThroughGates(payload, as: kind, toAllBut: sender, at: path) }
        if outputs.keepsBroadcasts { outputs.record(payload, as: kind, to: clients.receivers(but: sender, at: path)) }
        return clients.send(payload, as: kind, toAllBut: sender, at: path)
    }

    private func sendThroughGates(
        _ payload: RawSpan, as kind: MessageKind, toAllBut sender: Client?, at path: String?
    ) -> Bool {
        var isOneFull = false
        for client in clients.all where client !== sender && client.takesMessages {
            if let path, client.path != path { continue }
            if client.letsThrough(.message(kind), payload) { pass(.message(kind), payload, to: client) }
            if client.isFull { isOneFull = true }
        }
        return isOneFull
    }

    // MARK: From POST requests

    /// The number of clients that a POST request reaches, or `nil` if one of them, or the recording, has no room.
    func count(of recipients: PostRecipients) -> Int? {
        guard !outputs.isRecordingFull else { return nil }
        var count = 0
        for client in clients.all where client.takesMessages && recipients.contain(client) {
            guard !client.isFull, !client.hasFullGate else {
                slowReaders.hold()
                return nil
            }
            count += 1
        }
        return count
    }

    /// Sends a message to clients, and shows it once.
    func post(_ payload: RawSpan, as kind: MessageKind, to recipients: PostRecipients) {
        switch recipients {
        case .client(let number):
            guard let client = clients[number] else { return }
            // Answers are shown where they are sent.
            if outputs.showsBroadcasts, !answersByItself { outputs.show(sent: .message(kind), payload, client: number) }
            send(.message(kind), payload, answersByItself ? .injected : nil, to: client)
        case .path(let path):
            if outputs.showsBroadcasts { outputs.show(sent: .message(kind), payload, client: nil) }
            send(payload, as: kind, toAllBut: nil, at: path)
        }
    }

    // MARK: From the prompt

    /// Sends an item typed at the prompt to one client or to all, and shows it once.
    /// - Returns: Why the item was not sent, or `nil` if it was.
    func send(typed item: InputItem, _ payload: RawSpan, to number: Int?) -> DeliveryProblem? {
        if let number {
            switch recipient(number) {
            case .failure(let problem): return problem
            case .success(let client):
                // Answers are shown where they are sent.
                if !answersByItself { outputs.show(sent: item, payload, client: number) }
                send(item, payload, answersByItself ? .injected : nil, to: client)
            }
        } else if clients.isEmpty {
            return .noClients
        } else if !clients.hasRecipients {
            return .allAreClosing
        } else if case .message(let kind) = item {
            sendToAll(payload, as: kind)
        } else {
            outputs.show(sent: item, payload, client: nil)
            for client in clients.all where client.takesMessages { send(item, payload, to: client) }
        }
        return nil
    }

    private func recipient(_ number: Int) -> Result<Client, DeliveryProblem> {
        guard let client = clients[number] else { return .failure(.noClient(number)) }
        return client.takesMessages ? .success(client) : .failure(.isClosing(number))
    }

    // MARK: From the input

    /// Starts or resumes reading the input while there are clients to send to.
    func resumeInput() {
        switch input {
        case .unused, .over: break
        case .waiting(let settings):
            guard !holdsInput else { return }
            let reader = InputReader(settings, on: loop, receiver: self)
            input = .reading(reader)
            reader.start()
        case .reading(let reader): if holdsInput { reader.pause() } else { reader.start() }
        }
    }

    /// Stops reading the input because the server is ending.
    func endInput() {
        reader?.pause()
        input = .over(reader)
    }

    /// The reader of the input, or `nil` before reading has started.
    var reader: InputReader? {
        switch input {
        case .unused, .waiting: nil
        case .reading(let reader): reader
        case .over(let reader): reader
        }
    }

    /// Whether to leave the input unread: no client can receive it, a client or the recording is too slow, a gate is
    /// full, or the input has used up its share of the turn.
    private var holdsInput: Bool {
        !clients.hasRecipients || !slowReaders.isEmpty || outputs.isRecordingFull || faults.holdInput
            || budget.holdsInput
    }

    /// The failure if input was invalid. Each message was reported when it was read.
    var inputFailure: Failure? {
        invalidInputCount == 0
            ? nil
            : .badInput(
                what: "input", why: "\(Phrase.count(invalidInputCount, "message")) could not be read or encoded")
    }

    /// Whether there is input that the clients of the run did not get.
    var hasUnsentInput: Bool {
        switch input {
        case .unused, .over: false
        case .waiting: StandardDescriptors.hasUnreadBytes(StandardDescriptors.input)
        case .reading(let reader): reader.hasUnsentInput
        }
    }

    /// Whether there is input that waits for slow readers, and for nothing else.
    var isInputHeldUp: Bool {
        guard case .reading(let reader) = input, !outputs.isRecordingFull, !isDelaying else { return false }
        return reader.hasInput
    }

    /// Whether a gate is full of items that are not due yet.
    var isDelaying: Bool { faults.holdInput && clients.all.contains { $0.hasFullGate && !$0.isFull } }
}

extension Broadcaster: InputReader.Receiver {
    /// Sends an input item to every client, or to the client that it names.
    func received(input item: InputItem, _ payload: RawSpan, client number: Int?) {
        guard case .message(let kind) = item else { return send(input: item, payload, to: number) }
        do throws(CodecError) {
            try encoder.encode(payload, as: kind) { send(input: .message($1), $0, to: number) }
        } catch {
            received(badInput: reader?.recordName ?? "input", .notEncodable(error))
        }
    }

    private func send(input item: InputItem, _ payload: RawSpan, to number: Int?) {
        if let number {
            switch recipient(number) {
            case .success(let client): sendInput(item, payload, to: client)
            case .failure(let problem):
                outputs.diagnostics.error("\(reader?.recordName ?? "input") was not sent: \(problem)")
            }
        } else if case .message(let kind) = item {
            return sendToAll(payload, as: kind)
        } else {
            for client in clients.all where client.takesMessages { sendInput(item, payload, to: client) }
        }
        // The item may have closed the last client; the next one waits for another.
        willReceiveInputPiece()
    }

    private func sendInput(_ item: InputItem, _ payload: RawSpan, to client: Client) {
        outputs.showInput(item, payload, to: client.number)
        send(item, payload, to: client)
    }

    /// Skips input that cannot be sent.
    func received(badInput what: String, _ problem: InputProblem) {
        invalidInputCount += 1
        outputs.diagnostics.error("\(what) was not sent: \(problem)")
    }

    /// Pauses the input while no client can receive it. A client that starts to close does not pause it.
    func willReceiveInputPiece() {
        if !clients.hasRecipients { reader?.pause() }
    }

    /// Pauses the input while a queue is full or no client can receive it.
    func receivedInputPiece() {
        slowReaders.hold()
        if holdsInput { reader?.pause() }
    }

    /// The end of the input does not end the server.
    func inputEnded(_ error: IOError?) {
        input = .over(reader)
        if let error, error != .badDescriptor { outputs.diagnostics.error("reading standard input: \(error)") }
    }
}

/// Why an item cannot be sent to a client, or to all clients.
enum DeliveryProblem: Error, Equatable, CustomStringConvertible {
    case serverIsEnding
    case noClients
    case allAreClosing
    case noClient(Int)
    case isClosing(Int)
    /// There is a relay, in which every item needs a client.
    case noRecipient

    /// The problem in words, to follow "was not sent: ".
    var description: String {
        switch self {
        case .serverIsEnding: "the server is stopping"
        case .noClients: "no client is connected"
        case .allAreClosing: "every client is being closed"
        case .noClient(let number): "there is no client \(number)"
        case .isClosing(let number): "client \(number) is being closed"
        case .noRecipient: "a relay needs a recipient"
        }
    }
}
