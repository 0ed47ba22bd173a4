import WSCore

/// Lines that wait until the peer has confirmed a subscription.
struct HeldLines<Line> {
    /// The maximum size of the lines that wait, in bytes. One line may be larger.
    static var maximumBytes: Int { 1 << 20 }

    private var lines: [(line: Line, byteCount: Int, isRequest: Bool)] = []
    private var byteCount = 0

    /// The number of lines.
    var count: Int { lines.count }
    /// The number of lines without the requests.
    var countWithoutRequests: Int { lines.count { !$0.isRequest } }

    /// Keeps a line.
    /// - Parameters:
    ///   - isRequest: Whether the line gets an error reply if it cannot be sent.
    ///   - what: The subscription, for the error.
    /// - Throws: ``ProtocolInputError`` if too much waits. The line is not kept.
    mutating func hold(
        _ line: Line, byteCount: Int, isRequest: Bool, for what: String
    ) throws(ProtocolInputError) {
        // Each line counts for its place in memory, too.
        let added = byteCount + 64
        guard self.byteCount + added <= Self.maximumBytes || lines.isEmpty else {
            throw ProtocolInputError(
                "more than 1 MiB waits until the server has confirmed \(what); wait for it", isTemporary: true)
        }
        self.byteCount += added
        lines.append((line, added, isRequest))
    }

    /// Removes and returns all lines in order.
    mutating func takeAll() -> [Line] {
        defer { self = HeldLines() }
        return lines.map(\.line)
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

    /// Whether a request meets a condition.
    func contains(where condition: (Request) -> Bool) -> Bool {
        requests.values.contains(where: condition)
    }

    /// Removes and returns the requests that fulfill a condition, in the order of their numbers.
    mutating func removeAll(where condition: (Request) -> Bool) -> [(number: Int, request: Request)] {
        let found = requests.filter { condition($0.value) }.sorted { $0.key < $1.key }
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

extension Duration {
    /// The duration in nanoseconds, or the nearest possible value.
    public var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow
            ? .max : product.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000)).partialValue
    }
}
