import Formats
import WSCore

/// The requests in flight, and what is a reply to which.
///
///     sent ──► in flight ──► replied
///                  └────────► given up ──► replied late
///
/// Without a field, replies come in the order of the requests. With one, a reply has the same value there as its
/// request; of several requests with the same value the first is answered first.
///
/// All wait equally long, so that they are given up in the order in which they were sent.
public struct RequestTracker {
    /// What a received message is.
    public enum Finding: Equatable {
        /// It answers nothing.
        case push
        case reply(Reply)
        /// A reply to a request that was given up; `delay` is how long ago.
        case lateReply(Reply, delay: Duration)

        /// The reply that the message is, late or not.
        public var reply: Reply? {
            switch self {
            case .push: nil
            case .reply(let reply), .lateReply(let reply, _): reply
            }
        }
    }

    /// A request that was given up.
    public struct Expired: Equatable {
        /// Counts the messages of the input from 1.
        public let number: Int
        /// What its field holds, if there is one.
        public let id: JSONScalar?
    }

    private struct Flight {
        let number: Int
        /// The request itself, where it is kept.
        let request: Request?
        let id: JSONScalar?
        let sentTime: Duration
        /// The next one that has the same id.
        var successor: Int?
    }

    private struct Late {
        let number: Int
        let sentTime: Duration
    }

    /// The requests that were given up and are remembered, twice this number at most.
    private static let rememberedCount = 32_768

    private let field: JSONField?
    private let timeout: Duration
    private let keepsRequests: Bool
    /// By keys of their own, which count up: a batch has several flights.
    private var flights: [Int: Flight] = [:]
    private var nextFlight = 0
    /// No flight has a lower key.
    private var oldestFlight = 0
    /// The first and the last flight of those that have an id.
    private var flightsByID: [JSONScalar?: (first: Int, last: Int)] = [:]
    /// Those given up, in two generations, of which the older one is forgotten.
    private var late: [JSONScalar?: Late] = [:]
    private var olderLate: [JSONScalar?: Late] = [:]
    /// Nothing is given up before.
    private var earliestExpiry = Duration.zero
    /// The size of the requests that are kept, where a batch counts once for each of its ids.
    public private(set) var keptBytes = 0

    /// Makes a tracker without requests.
    /// - Parameters:
    ///   - field: Where requests and replies have the same value; nil: replies come in order.
    ///   - timeout: How long a reply may take.
    ///   - keepsRequests: Whether ``takeAll()`` is to return requests.
    public init(field: JSONField?, timeout: Duration, keepsRequests: Bool = false) {
        self.field = field
        self.timeout = timeout
        self.keepsRequests = keepsRequests
    }

    /// How many replies are awaited.
    public var count: Int { flights.count }

    /// When the next request is to be given up, on the clock of the other calls; nil: none is in flight.
    public mutating func nextExpiry() -> Duration? {
        guard !flights.isEmpty else { return nil }
        while flights[oldestFlight] == nil { oldestFlight += 1 }
        return flights[oldestFlight].map { max($0.sentTime + timeout, earliestExpiry) }
    }

    /// Takes note of a message that is being sent.
    /// - Parameter now: The monotonic time.
    /// - Returns: Whether a reply is awaited. A batch awaits one for each of its ids.
    public mutating func sent(_ request: Request, at now: Duration) -> Bool {
        guard let field else {
            append(request, id: nil, at: now)
            return true
        }
        let ids = request.payload.withUnsafeBytes { field.values(in: $0.bytes) }
        for id in ids { append(request, id: id, at: now) }
        return !ids.isEmpty
    }

    /// Takes a received message. A batch of replies may answer several requests: the finding is about the first of them.
    public mutating func received(_ payload: RawSpan, at now: Duration) -> Finding {
        guard let field else { return answer(nil, at: now) ?? .push }
        var finding: Finding?
        for id in field.values(in: payload) {
            let next = answer(id, at: now)
            if finding == nil { finding = next }
        }
        return finding ?? .push
    }

    /// Gives up the requests whose time is over, and returns them in the order in which they were sent.
    public mutating func expire(at now: Duration) -> [Expired] {
        var expired: [Expired] = []
        while let time = nextExpiry(), time <= now, let flight = flights[oldestFlight] {
            remove(oldestFlight, of: flight)
            expired.append(Expired(number: flight.number, id: flight.id))
            // Without a field a late reply looks like any other message.
            if field != nil { remember(flight) }
        }
        return expired
    }

    /// Gives no request up before a moment: what has come could not be read until then.
    public mutating func holdExpiry(until time: Duration) {
        earliestExpiry = max(earliestExpiry, time)
    }

    /// Takes all requests that await a reply, in the order in which they were sent.
    public mutating func takeAll() -> [Request] {
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
        // The next reply with this id is one to this request.
        late[id] = nil
        olderLate[id] = nil
    }

    /// Removes a flight, the first of those that have its id.
    private mutating func remove(_ key: Int, of flight: Flight) {
        flights[key] = nil
        keptBytes -= flight.request?.payload.count ?? 0
        if let successor = flight.successor, let last = flightsByID[flight.id]?.last {
            flightsByID[flight.id] = (successor, last)
        } else {
            flightsByID[flight.id] = nil
        }
    }

    /// What a reply with an id answers; nil: nothing.
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
        // Another request with the same id is in flight, and the next reply is for that one.
        guard flightsByID[flight.id] == nil else { return }
        if late.count == Self.rememberedCount {
            olderLate = late
            late.removeAll()
        }
        late[flight.id] = Late(number: flight.number, sentTime: flight.sentTime)
    }
}

/// What a received message answers.
public struct Reply: Equatable {
    /// The number of the request.
    public let number: Int
    /// The time since the request was sent.
    public let roundTrip: Duration
}
