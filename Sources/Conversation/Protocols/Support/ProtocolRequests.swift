import WSCore

/// The messages of lines that wait until the peer has confirmed their subscription, in their order for each subscription.
struct HeldLines<Message> {
    /// The size of the messages at which ``isFull`` rejects further lines, in bytes.
    static var limitBytes: Int { 1 << 20 }

    private struct Line {
        let number: Int
        let message: Message
        let byteCount: Int
    }

    private var lines: [String: ArraySlice<Line>] = [:]
    private var byteCount = 0
    private var nextNumber = 1

    /// Whether further lines are rejected.
    var isFull: Bool { byteCount >= Self.limitBytes }

    /// The last message that waits for a subscription, or `nil` if there is none.
    func last(for subscription: String) -> Message? { lines[subscription]?.last?.message }

    /// The messages that wait for a subscription, in order.
    func messages(for subscription: String) -> [Message] { lines[subscription]?.map(\.message) ?? [] }

    /// Keeps the message of the line that is being sent.
    /// - Throws: ``ProtocolInputError`` if too much waits. The line is not kept.
    mutating func hold(
        _ message: Message, byteCount: Int, for subscription: String, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) {
        guard !isFull else {
            throw ProtocolInputError(
                "1 MiB of lines waits until the server has confirmed subscriptions such as \(quoted(subscription))",
                dependsOnPeer: true)
        }
        // Each line counts for its place in memory, too.
        let line = Line(number: nextNumber, message: message, byteCount: byteCount + 64)
        self.byteCount += line.byteCount
        lines[subscription, default: []].append(line)
        output.append(.lineWaits(nextNumber))
        nextNumber += 1
    }

    /// Removes and returns the first line that waits for a subscription, or returns `nil` if there is none.
    mutating func takeFirst(for subscription: String) -> (number: Int, message: Message)? {
        guard let line = lines[subscription]?.popFirst() else { return nil }
        if lines[subscription]?.isEmpty ?? false { lines[subscription] = nil }
        byteCount -= line.byteCount
        return (line.number, line.message)
    }

    /// Removes the lines that wait for a subscription, because it was refused or has ended.
    /// - Parameter isStart: Whether a message starts the subscription again. It and the lines after it remain.
    mutating func drop(
        _ subscription: String, upTo isStart: (Message) -> Bool = { _ in false }, _ output: inout ProtocolOutput
    ) {
        guard let waiting = lines[subscription] else { return }
        let dropped = waiting.prefix { !isStart($0.message) }
        lines[subscription] = dropped.count == waiting.count ? nil : waiting.dropFirst(dropped.count)
        byteCount -= dropped.reduce(0) { $0 + $1.byteCount }
        if !dropped.isEmpty { output.append(.linesDropped(dropped.map(\.number))) }
    }

    /// Forgets all lines. Numbers are not used again.
    mutating func removeAll() {
        lines.removeAll()
        byteCount = 0
    }
}

/// The requests without a reply, by consecutive numbers. Beyond a limit, the oldest are forgotten, because a peer may
/// never answer them.
struct NumberedRequests<Request> {
    /// The maximum number of requests to remember.
    static var maximumCount: Int { 65_536 }

    private var requests: [Int: Request] = [:]
    /// The number of the next request.
    private(set) var nextNumber: Int
    /// A lower bound of all numbers.
    private var oldestNumber: Int

    /// Creates an empty list.
    init(from first: Int = 1) {
        nextNumber = first
        oldestNumber = first
    }

    /// Adds a request.
    /// - Returns: Its number.
    mutating func add(_ request: Request) -> Int {
        while requests.count >= Self.maximumCount {
            requests[oldestNumber] = nil
            oldestNumber += 1
        }
        defer { nextNumber += 1 }
        requests[nextNumber] = request
        return nextNumber
    }

    /// Uses up a number without remembering a request.
    mutating func skip() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Removes and returns a request, or returns `nil` if there is none with this number.
    mutating func remove(_ number: Int) -> Request? {
        requests.removeValue(forKey: number)
    }

    /// Removes and returns the request with a number in its canonical decimal form: `01` and `+1` do not match 1.
    mutating func remove(_ id: String) -> Request? {
        Int(id).flatMap { "\($0)" == id ? remove($0) : nil }
    }

    /// Whether a request meets a condition.
    func contains(where condition: (Request) -> Bool) -> Bool {
        requests.values.contains(where: condition)
    }

    /// Removes and returns the requests that fulfill a condition, in the order of their numbers.
    /// - Parameter kept: The numbers of requests that remain.
    mutating func removeAll(
        except kept: Set<Int> = [], where condition: (Request) -> Bool
    ) -> [(number: Int, request: Request)] {
        let found = requests.filter { !kept.contains($0.key) && condition($0.value) }.sorted { $0.key < $1.key }
        for (number, _) in found { requests[number] = nil }
        return found.map { ($0.key, $0.value) }
    }

    /// Forgets all requests. Numbers are not used again.
    mutating func removeAll() {
        requests.removeAll()
        oldestNumber = nextNumber
    }

    /// The request with this number, or `nil` if there is none.
    subscript(number: Int) -> Request? { requests[number] }
}
