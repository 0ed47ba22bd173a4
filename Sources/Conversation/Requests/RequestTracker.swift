import Formats
import WSCore

/// Tracks the requests in flight and matches replies to them.
///
///     sent ──► in flight ──► replied
///                  └────────► timed out ──► replied late
///
/// Without a correlation, replies arrive in the order of the requests. With one, a request and its reply have the same
/// id. With keys, an application protocol assigns a key to a request and its reply. Among requests with the same id or key,
/// the first is answered first.
///
/// All requests have the same timeout, so they time out in the order of sending.
package struct RequestTracker {
    /// The classification of a received message.
    package enum Finding: Equatable {
        /// The message answers no request.
        case push
        case reply(Reply)
        /// A reply to a request that timed out, `delay` ago.
        case lateReply(Reply, delay: Duration)

        /// The reply, late or not, or `nil` for other messages.
        package var reply: Reply? {
            switch self {
            case .push: nil
            case .reply(let reply), .lateReply(let reply, _): reply
            }
        }
    }

    /// A request that has timed out.
    package struct Expired: Equatable {
        /// The number of the request, counting input messages from 1.
        package let number: Int
        /// Its id, or `nil` without a correlation.
        package let id: JSONScalar?
    }

    private struct Flight {
        let number: Int
        /// The request itself, if requests are kept.
        let request: Request?
        let id: JSONScalar?
        let sentTime: Duration
        /// The key of the next flight with the same id.
        var successor: Int?
    }

    private struct Late {
        let number: Int
        let sentTime: Duration
    }

    /// The number of requests per generation of timed-out requests to remember; there are two generations.
    private static let rememberedCount = 32_768

    private let correlation: Correlation?
    private let usesKeys: Bool
    private let timeout: Duration
    private let keepsRequests: Bool
    /// The flights by key. Keys are consecutive numbers, separate from request numbers because a batch has several
    /// flights.
    private var flights: [Int: Flight] = [:]
    private var nextFlight = 0
    /// A lower bound of all keys.
    private var oldestFlight = 0
    /// The first and the last flight with each id.
    private var flightsByID: [JSONScalar?: (first: Int, last: Int)] = [:]
    /// The timed-out requests in two generations. The older generation is discarded when the newer one is full.
    private var late: [JSONScalar?: Late] = [:]
    private var olderLate: [JSONScalar?: Late] = [:]
    /// The earliest time at which a request may time out.
    private var earliestExpiry = Duration.zero
    /// The size of the kept requests in bytes. A batch counts once per id.
    package private(set) var keptBytes = 0

    /// Creates an empty tracker.
    /// - Parameters:
    ///   - correlation: The location of the id that a request and its reply have in common, or `nil` if there is none.
    ///   - usesKeys: Whether requests and replies have keys. Otherwise, without a correlation, replies arrive in order.
    ///   - timeout: The time limit for replies.
    ///   - keepsRequests: Whether ``takeAll()`` returns requests.
    package init(
        _ correlation: Correlation?, usesKeys: Bool = false, timeout: Duration, keepsRequests: Bool = false
    ) {
        self.correlation = correlation
        self.usesKeys = usesKeys
        self.timeout = timeout
        self.keepsRequests = keepsRequests
    }

    /// The number of outstanding replies.
    package var count: Int { flights.count }

    /// When the next request times out, on the clock of the other calls, or `nil` if none is in flight.
    package mutating func nextExpiry() -> Duration? {
        guard !flights.isEmpty else { return nil }
        while flights[oldestFlight] == nil { oldestFlight += 1 }
        return flights[oldestFlight].map { max($0.sentTime + timeout, earliestExpiry) }
    }

    /// Records a message that is being sent.
    /// - Parameter now: The monotonic time.
    /// - Returns: Whether a reply is expected. A batch expects one per id.
    package mutating func sent(_ request: Request, at now: Duration) -> Bool {
        guard let correlation else {
            append(request, id: nil, at: now)
            return true
        }
        let ids = request.payload.withUnsafeBytes { correlation.request.values(in: $0.bytes) }
        for id in ids { append(request, id: id, at: now) }
        return !ids.isEmpty
    }

    /// Records a message that has been sent, whose reply will have a key.
    package mutating func sent(_ request: Request, key: String, at now: Duration) {
        append(request, id: JSONScalar(key), at: now)
    }

    /// Matches a received reply by its key.
    package mutating func received(key: String, at now: Duration) -> Finding {
        answer(JSONScalar(key), at: now) ?? .push
    }

    /// Matches a received message. A batch of replies may answer several requests; the result describes the first of
    /// them.
    package mutating func received(_ payload: RawSpan, at now: Duration) -> Finding {
        guard let correlation else { return answer(nil, at: now) ?? .push }
        let ids =
            correlation.replyIDs(in: payload) { flightsByID[$0] != nil }
            ?? (late.isEmpty && olderLate.isEmpty
                ? nil : correlation.replyIDs(in: payload) { late[$0] != nil || olderLate[$0] != nil })
        var finding: Finding?
        for id in ids ?? [] {
            let next = answer(id, at: now)
            if finding == nil { finding = next }
        }
        return finding ?? .push
    }

    /// Matches a received reply that names no request. Only if one request is in flight, it is the answered one.
    mutating func receivedWithoutID(at now: Duration) -> Finding {
        guard flights.count == 1, let flight = flights.values.first else { return .push }
        return answer(flight.id, at: now) ?? .push
    }

    /// Removes the requests that have timed out and returns them in the order of sending.
    package mutating func expire(at now: Duration) -> [Expired] {
        var expired: [Expired] = []
        while let time = nextExpiry(), time <= now, let flight = flights[oldestFlight] {
            remove(oldestFlight, of: flight)
            expired.append(Expired(number: flight.number, id: flight.id))
            // Without an id or key, a late reply cannot be distinguished from other messages.
            if correlation != nil || usesKeys { remember(flight) }
        }
        return expired
    }

    /// Postpones all timeouts until a time, because received messages could not be read before it.
    package mutating func holdExpiry(until time: Duration) {
        earliestExpiry = max(earliestExpiry, time)
    }

    /// Removes all unanswered requests and returns them in the order of sending.
    package mutating func takeAll() -> [Request] {
        var requests: [Request] = []
        for key in flights.keys.sorted() {
            guard let request = flights[key]?.request, request.number != requests.last?.number else { continue }
            requests.append(request)
        }
        flights.removeAll()
        flightsByID.removeAll()
        oldestFlight = nextFlight
        keptBytes = 0
        return requests
    }

    // MARK: Flights

    private mutating func append(_ request: Request, id: JSONScalar?, at now: Duration) {
        let key = nextFlight
        nextFlight += 1
        flights[key] = Flight(
            number: request.number, request: keepsRequests ? request : nil, id: id, sentTime: now)
        if keepsRequests { keptBytes += request.payload.count }
        if let (first, last) = flightsByID[id] {
            flights[last]?.successor = key
            flightsByID[id] = (first, key)
        } else {
            flightsByID[id] = (key, key)
        }
        // The next reply with this id belongs to this request.
        late[id] = nil
        olderLate[id] = nil
    }

    /// Removes a flight, which must be the first one with its id.
    private mutating func remove(_ key: Int, of flight: Flight) {
        flights[key] = nil
        keptBytes -= flight.request?.payload.count ?? 0
        if let successor = flight.successor, let last = flightsByID[flight.id]?.last {
            flightsByID[flight.id] = (successor, last)
        } else {
            flightsByID[flight.id] = nil
        }
    }

    /// Finds the request that a reply with this id answers, or returns `nil`.
    private mutating func answer(_ id: JSONScalar?, at now: Duration) -> Finding? {
        if let key = flightsByID[id]?.first, let flight = flights[key] {
            remove(key, of: flight)
            return .reply(Reply(number: flight.number, roundTrip: now - flight.sentTime))
        }
        guard let late = late.removeValue(forKey: id) ?? olderLate.removeValue(forKey: id) else { return nil }
        let roundTrip = now - late.sentTime
        return .lateReply(Reply(number: late.number, roundTrip: roundTrip), delay: roundTrip - timeout)
    }

    private mutating func remember(_ flight: Flight) {
        // If another request with the same id is in flight, the next reply belongs to it.
        guard flightsByID[flight.id] == nil else { return }
        if late.count == Self.rememberedCount {
            olderLate = late
            late.removeAll()
        }
        late[flight.id] = Late(number: flight.number, sentTime: flight.sentTime)
    }
}

/// The request that a received message answers.
package struct Reply: Equatable {
    /// The number of the request.
    package let number: Int
    /// The time since the request was sent.
    package let roundTrip: Duration
}
