import WSCore

/// The connected clients: looks them up by their numbers, counts them, and reaches all of them.
///
/// The numbers and the limits are the server's, which accepts no more clients than it has room for.
struct ClientRegistry<Directory: ClientDirectory> {
    typealias Client = Directory.ConnectedClient

    private let directory: Directory

    /// Makes the registry of a server's clients.
    init(_ directory: Directory) {
        self.directory = directory
    }

    /// The loop that everything runs on.
    var loop: EventLoop { directory.loop }
    /// The number of clients.
    var count: Int { directory.connections.count }
    /// Whether there is no client.
    var isEmpty: Bool { directory.connections.isEmpty }
    /// The clients, in any order.
    var all: Dictionary<Int, Client>.Values { directory.connections.values }
    /// The clients in the order of their numbers.
    var inOrder: [Client] { all.sorted { $0.number < $1.number } }
    /// Whether messages still reach one of the clients.
    var hasRecipients: Bool { all.contains(where: \.takesMessages) }

    /// The client with a number; nil: it has left, or there never was one.
    subscript(number: Int) -> Client? { directory.connections[number] }

    /// The numbers of the clients that a message for all goes to.
    /// - Parameter sender: The client whose message it is, which does not get it.
    func receivers(but sender: Client?) -> [Int] {
        var numbers: [Int] = []
        for client in all where client !== sender && !client.isClosing { numbers.append(client.number) }
        return numbers
    }

    /// Sends a message to every client but one, encoded once for all of them, and past their gates.
    /// - Returns: Whether the queue of one of them is full.
    @discardableResult
    func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: Client?) -> Bool {
        directory.send(payload, as: kind, toAllBut: sender)
    }

    /// The clients whose queues are full, but for one; those that are being closed do not count.
    func fullReaders(but sender: Int?) -> [Int] {
        var readers: [Int] = []
        for (number, client) in directory.connections where number != sender && client.isFull && !client.isClosing {
            readers.append(number)
        }
        return readers
    }

    /// The number of bytes that a client has not taken; nil: it has left, or is being closed.
    func unsentBytes(of number: Int) -> Int? {
        self[number].flatMap { $0.isClosing ? nil : $0.unsentBytes }
    }

    /// Pauses all clients.
    func pause(for reason: PauseReasons) {
        for client in all { client.pauseReading(for: reason) }
    }

    /// Resumes all clients, each unless there are other reasons not to.
    func resume(after reason: PauseReasons) {
        for client in all { client.resumeReading(after: reason) }
    }
}
