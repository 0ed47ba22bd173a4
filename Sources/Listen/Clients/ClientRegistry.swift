import WSCore

/// The connected clients: finds them by number, counts them, and sends to all of them.
///
/// The server assigns the numbers and limits the number of clients.
struct ClientRegistry<Directory: ClientDirectory> {
    typealias Client = Directory.ConnectedClient

    private let directory: Directory

    /// Creates the registry for a server's clients.
    init(_ directory: Directory) {
        self.directory = directory
    }

    /// The loop that everything runs on.
    var loop: EventLoop { directory.loop }
    /// The number of clients.
    var count: Int { directory.connections.count }
    /// Whether there is no client.
    var isEmpty: Bool { directory.connections.isEmpty }
    /// The clients. A server has them in order.
    var all: NumberedClients<Client>.Values { directory.connections.values }
    /// The clients, ordered by number.
    var inOrder: [Client] { all.sorted { $0.number < $1.number } }
    /// Whether at least one client can still receive messages.
    var hasRecipients: Bool { all.contains(where: \.takesMessages) }

    /// The client with this number, or `nil` if it has left or never existed.
    subscript(number: Int) -> Client? { directory.connections[number] }

    /// The numbers of the clients that a broadcast reaches.
    /// - Parameters:
    ///   - sender: The client that sent the message and does not receive it.
    ///   - path: The path of the clients, or `nil` for those of all paths.
    func receivers(but sender: Client?, at path: String?) -> [Int] {
        var numbers: [Int] = []
        for client in all where client !== sender && !client.isClosing && (path == nil || client.path == path) {
            numbers.append(client.number)
        }
        return numbers
    }

    /// Sends a message to every client except `sender`, bypassing their gates. The message is encoded once for all of
    /// them.
    /// - Parameter path: The path of the clients, or `nil` for those of all paths.
    /// - Returns: Whether any recipient's queue is full.
    @discardableResult
    func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: Client?, at path: String?) -> Bool {
        directory.send(payload, as: kind, toAllBut: sender, at: path)
    }

    /// Whether bodies of POST requests wait for clients.
    var hasWaitingPosts: Bool { directory.hasWaitingPosts }

    /// Tries again to deliver bodies of POST requests that wait.
    func retryPosts() { directory.retryPosts() }

    /// The clients with full queues, except `sender` and clients that are closing.
    func fullReaders(but sender: Int?) -> [Int] {
        var readers: [Int] = []
        for (number, client) in directory.connections where number != sender && client.isFull && !client.isClosing {
            readers.append(number)
        }
        return readers
    }

    /// What each client has taken, by client number, except clients that are closing.
    var readingStates: [Int: ReadingState] {
        var states: [Int: ReadingState] = [:]
        for (number, client) in directory.connections where client.takesMessages {
            states[number] = ReadingState(
                takenBytes: client.takenBytes, unsentBytes: client.unsentBytes, isFull: client.isFull,
                waitsForGate: client.waitsForGate)
        }
        return states
    }

    /// Pauses all clients.
    func pause(for reason: PauseReasons) {
        for client in all { client.pauseReading(for: reason) }
    }

    /// Resumes all clients, except those paused for another reason.
    func resume(after reason: PauseReasons) {
        for client in all { client.resumeReading(after: reason) }
    }
}
