import Formats
import WSCore

/// The lines sent on a connection whose reply or confirmation is missing.
///
///     ├─ line ─┼─ line ─┼─ line ─┼─ line ─┼─ line ─┤
///                       ↑ ping 1          ↑ ping 2  not covered by a ping yet
///
/// ``LineConfirmation`` says what confirms a line. A pong proves that the peer has read everything sent before its ping,
/// and so does the answer to our close frame.
///
/// Replies without an id arrive in the order of the requests. Among requests with the same id or key, the first is answered
/// first. All requests have the same timeout, so they time out in the order of sending.
struct LineFlights: ~Copyable {
    /// A line that is not simply one of the input that a pong confirms. A batch has a flight per id.
    private struct Flight {
        /// Without its payload, unless the line may have to be sent again.
        var line: Line
        /// What the line and its reply or acknowledgement have in common. `nil`: only their order.
        let key: JSONScalar?
        let sentTime: Duration
        /// What still has to confirm the line, or `nil`.
        var confirmation: LineConfirmation?
        /// Whether a reply will be matched to it.
        var isAwaited: Bool
        /// Whether the reply is what has to confirm it.
        let needsReply: Bool
        /// Whether a pong has covered it.
        var isCovered = false
        /// The number of flights that share its payload: those of a batch.
        let sharedBy: Int
        /// The next flight with the same key.
        var successor: Int?

        var hasKey: Bool { isAwaited || confirmation?.key != nil }
        /// Whether the end of the connection leaves the line unconfirmed.
        var isPending: Bool { confirmation != nil || isAwaited && needsReply }
        /// The memory that it uses in bytes.
        var byteCount: Int {
            isPending && !(needsReply && line.payload.isEmpty) ? line.payload.count / sharedBy + 128 : 0
        }
    }

    /// The range that a ping covers: all lines sent on this connection up to this point.
    private struct Mark {
        let number: UInt64
        let sequence: Int
        let end: End
    }

    /// The end of a range of ``plain``, counted from the first line of the connection.
    private struct End {
        var bytes = 0
        var count = 0
    }

    private struct Tally {
        /// Flights that await a reply.
        var awaited = 0
        /// Flights whose line is unconfirmed, and of these, those with which each connection begins.
        var pending = 0
        var initial = 0
        /// Flights of lines that need another confirmation than a reply, except those with which each connection begins.
        var unconfirmed = 0
        var bytes = 0

        mutating func add(_ flight: Flight, _ sign: Int) {
            if flight.isAwaited { awaited += sign }
            guard flight.isPending else { return }
            pending += sign
            bytes += sign * flight.byteCount
            if flight.line.beginsConnections { initial += sign } else if !flight.needsReply { unconfirmed += sign }
        }
    }

    /// The lines of the input that a pong confirms, tagged with their sequence numbers. Most lines are, and need no
    /// allocation.
    private var plain = LineStorage()
    private var plainEnd = End()
    /// The other lines, by sequence number.
    private var flights: [Int: Flight] = [:]
    /// The first and the last flight with each key.
    private var sequences: [JSONScalar?: (first: Int, last: Int)] = [:]
    private var tally = Tally()
    private var nextSequence = 0
    /// A lower bound of the flights that await a reply.
    private var oldestAwaited = 0
    /// The earliest time at which a request may time out.
    private var earliestExpiry = Duration.zero
    private var late = LateRequests()
    private var marks: [Mark] = []
    private static let maximumMarkCount = 1024
    /// The size of the flights that no ping covers.
    private var uncoveredFlightBytes = 0
    /// The time the first line not covered by a ping was sent.
    private(set) var firstUncoveredTime: Duration?
    /// Whether the peer has confirmed lines, except those with which each connection begins.
    private(set) var hasConfirmed = false

    /// The number of replies that are missing. A batch has several.
    var awaitedCount: Int { tally.awaited }
    /// The number of unconfirmed lines that await no reply, except those with which each connection begins.
    var unconfirmedCount: Int { plain.count + tally.unconfirmed }
    /// The number of all unconfirmed lines, and without those with which each connection begins.
    var pendingCount: Int { plain.count + tally.pending }
    var progressCount: Int { pendingCount - tally.initial }
    var byteCount: Int { plain.byteCount + tally.bytes }
    /// Whether pongs have covered all lines that need one.
    var isCovered: Bool {
        plain.count == 0 && flights.values.allSatisfy { $0.confirmation == nil || $0.isCovered }
    }
    /// The size of the lines that no ping covers.
    var uncoveredBytes: Int {
        uncoveredFlightBytes + (marks.last.map { plainEnd.bytes - $0.end.bytes } ?? plain.byteCount)
    }

    // MARK: Sending

    /// Records a line of the input that a pong confirms.
    mutating func append(plain payload: RawSpan, as kind: MessageKind, at now: Duration) {
        plainEnd.bytes += plain.append(payload, as: kind, wasSent: true, tag: nextSequence)
        plainEnd.count += 1
        nextSequence += 1
        if firstUncoveredTime == nil { firstUncoveredTime = now }
    }

    /// Records a line that a reply or an acknowledgement confirms, or with which each connection begins.
    /// - Parameters:
    ///   - key: The key of the reply or acknowledgement, if it has one.
    ///   - confirmation: What confirms the line, or `nil` if nothing has to, or its reply.
    ///   - isAwaited: Whether a reply will be matched to it.
    ///   - sharedBy: The number of flights of the line: one per id of a batch.
    mutating func append(
        _ line: Line, key: JSONScalar?, confirmedBy confirmation: LineConfirmation?, isAwaited: Bool, needsReply: Bool,
        sharedBy: Int = 1, at now: Duration
    ) {
        let flight = Flight(
            line: line, key: key, sentTime: now, confirmation: confirmation, isAwaited: isAwaited,
            needsReply: needsReply, sharedBy: sharedBy)
        let sequence = nextSequence
        nextSequence += 1
        flights[sequence] = flight
        tally.add(flight, 1)
        if confirmation != nil {
            uncoveredFlightBytes += flight.byteCount
            if firstUncoveredTime == nil { firstUncoveredTime = now }
        }
        guard flight.hasKey else { return }
        link(sequence, key)
        // The next reply with this key belongs to this request.
        late.forget(key)
    }

    /// Makes a flight the last one with its key.
    private mutating func link(_ sequence: Int, _ key: JSONScalar?) {
        if let (first, last) = sequences[key] {
            flights[last]?.successor = sequence
            sequences[key] = (first, sequence)
        } else {
            sequences[key] = (sequence, sequence)
        }
    }

    // MARK: Confirming

    /// Records a ping that covers all lines sent so far.
    mutating func mark(_ number: UInt64) {
        // A peer that answers no pings. A later pong covers the lines of a removed mark, too.
        if marks.count == Self.maximumMarkCount { marks.removeFirst() }
        marks.append(Mark(number: number, sequence: nextSequence, end: plainEnd))
        uncoveredFlightBytes = 0
        firstUncoveredTime = nil
    }

    /// Confirms the lines that the pong for a ping confirms, and those of earlier pings.
    /// - Returns: Whether there is such a ping.
    mutating func answered(_ number: UInt64) -> Bool {
        guard let index = marks.firstIndex(where: { $0.number == number }) else { return false }
        let mark = marks[index]
        marks.removeSubrange(...index)
        removePlain(upTo: mark.end)
        let covered = flights.filter { $0 < mark.sequence && $1.confirmation != nil && !$1.isCovered }
        for (sequence, flight) in covered {
            if case .acknowledgement = flight.confirmation {
                flights[sequence]?.isCovered = true
            } else {
                confirm(sequence)
            }
        }
        return true
    }

    /// Confirms the first line that the reply or acknowledgement with a key confirms.
    /// - Returns: Whether there is one.
    mutating func acknowledged(_ key: String) -> Bool {
        guard let sequence = first(JSONScalar(key), where: { $0.confirmation?.key != nil }) else { return false }
        confirm(sequence)
        return true
    }

    /// Confirms all lines that need no reply.
    mutating func allConfirmed() {
        marks.removeAll()
        removePlain(upTo: plainEnd)
        for sequence in Array(flights.keys) where flights[sequence]?.confirmation != nil { confirm(sequence) }
        uncoveredFlightBytes = 0
        firstUncoveredTime = nil
    }

    private mutating func confirm(_ sequence: Int) {
        change(sequence) { flight in
            flight.confirmation = nil
            flight.line.payload = []
        }
    }

    private mutating func removePlain(upTo end: End) {
        let count = plain.count - (plainEnd.count - end.count)
        guard count > 0 else { return }
        plain.removeFirst(byteCount: plain.byteCount - (plainEnd.bytes - end.bytes), count: count)
        hasConfirmed = true
    }

    // MARK: Replies

    /// Whether a reply to a request in flight, or, with `isLate`, to one that has timed out, has this key.
    func expects(_ key: JSONScalar?, isLate: Bool) -> Bool { isLate ? late.contains(key) : sequences[key] != nil }
    var hasLate: Bool { !late.isEmpty }

    /// Finds the request that a reply with this key answers, or returns `nil`.
    mutating func replied(_ key: JSONScalar?, timeout: Duration, at now: Duration) -> LineQueue.Finding? {
        if let sequence = first(key, where: \.isAwaited), let flight = flights[sequence] {
            change(sequence) { $0.isAwaited = false }
            return .reply(Reply(number: flight.line.number, roundTrip: now - flight.sentTime))
        }
        return late.replied(key).map { number, sentTime in
            let roundTrip = now - sentTime
            return .lateReply(Reply(number: number, roundTrip: roundTrip), delay: roundTrip - timeout)
        }
    }

    /// The key of the only request in flight, or `nil` if there is none or several.
    var onlyAwaitedKey: JSONScalar?? {
        guard tally.awaited == 1 else { return nil }
        return flights.values.first { $0.isAwaited }.map(\.key)
    }

    /// When the next request times out, or `nil` if none is in flight.
    mutating func nextExpiry(after timeout: Duration) -> Duration? {
        guard tally.awaited > 0 else { return nil }
        while flights[oldestAwaited]?.isAwaited != true { oldestAwaited += 1 }
        return flights[oldestAwaited].map { max($0.sentTime + timeout, earliestExpiry) }
    }

    /// Removes the requests that have timed out and returns them in the order of sending.
    /// - Parameter keepsKeys: Whether late replies can be recognized.
    mutating func expire(after timeout: Duration, at now: Duration, keepsKeys: Bool) -> [LineQueue.Expired] {
        var expired: [LineQueue.Expired] = []
        while let time = nextExpiry(after: timeout), time <= now, let flight = flights[oldestAwaited] {
            change(oldestAwaited, isReply: false) { $0.isAwaited = false }
            expired.append(LineQueue.Expired(number: flight.line.number, id: flight.key))
            // If another request with the same key is in flight, the next reply belongs to it.
            if keepsKeys, first(flight.key, where: \.isAwaited) == nil {
                late.remember(flight.key, flight.line.number, flight.sentTime)
            }
        }
        return expired
    }

    /// Postpones all timeouts until a time, because received messages could not be read before it.
    mutating func holdExpiry(until time: Duration) {
        earliestExpiry = max(earliestExpiry, time)
    }

    // MARK: The end of the connection

    /// Removes all lines and returns the unconfirmed ones, in order.
    /// - Parameter takesRequests: Whether to remove those that need a reply, too.
    mutating func takeAll(takesRequests: Bool) -> [Line] {
        var lines: [(sequence: Int, line: Line)] = []
        for (sequence, flight) in flights where takesRequests || !flight.needsReply {
            if flight.isPending {
                let line = flight.line
                lines.append((sequence, line.sent(as: line.origin, number: line.number)))
            }
            tally.add(flight, -1)
            flights[sequence] = nil
        }
        // Those that remain, if any, are linked anew: removing each from its place would take quadratic time.
        sequences = [:]
        for (sequence, flight) in flights.sorted(by: { $0.key < $1.key }) where flight.hasKey {
            flights[sequence]?.successor = nil
            link(sequence, flight.key)
        }
        while let first = plain.removeFirst() {
            lines.append((first.tag, Line(first.payload, as: first.kind, past: .sent)))
        }
        lines.sort { $0.sequence < $1.sequence }
        plainEnd = End()
        marks = []
        (uncoveredFlightBytes, firstUncoveredTime) = (0, nil)
        hasConfirmed = false
        var taken: [Line] = []
        for (_, line) in lines where line.number == 0 || line.number != taken.last?.number { taken.append(line) }
        return taken
    }

    // MARK: Flights

    /// The first flight with a key that meets a condition, or `nil`.
    private func first(_ key: JSONScalar?, where condition: (Flight) -> Bool) -> Int? {
        var sequence = sequences[key]?.first
        while let candidate = sequence, let flight = flights[candidate] {
            if condition(flight) { return candidate }
            sequence = flight.successor
        }
        return nil
    }

    /// Changes a flight, and removes it if nothing more is expected.
    private mutating func change(_ sequence: Int, isReply: Bool = true, _ change: (inout Flight) -> Void) {
        guard let flight = flights[sequence] else { return }
        var changed = flight
        change(&changed)
        if isReply, flight.isPending, !changed.isPending, !flight.line.beginsConnections { hasConfirmed = true }
        guard changed.isAwaited || changed.confirmation != nil else { return remove(sequence, flight) }
        tally.add(flight, -1)
        tally.add(changed, 1)
        flights[sequence] = changed
    }

    private mutating func remove(_ sequence: Int, _ flight: Flight) {
        tally.add(flight, -1)
        flights[sequence] = nil
        guard let (first, last) = sequences[flight.key] else { return }
        if first == sequence {
            sequences[flight.key] = flight.successor.map { ($0, last) }
            return
        }
        // Rare: keys are unique, or the first flight is removed first.
        var earlier = first
        while let next = flights[earlier]?.successor, next != sequence { earlier = next }
        guard flights[earlier]?.successor == sequence else { return }
        flights[earlier]?.successor = flight.successor
        if last == sequence { sequences[flight.key] = (first, earlier) }
    }
}

/// The requests that have timed out and may still be answered, in two generations. The older generation is discarded when
/// the newer one is full.
private struct LateRequests {
    /// The number of requests per generation.
    private static let generationCount = 32_768

    private var newer: [JSONScalar?: (number: Int, sentTime: Duration)] = [:]
    private var older: [JSONScalar?: (number: Int, sentTime: Duration)] = [:]

    var isEmpty: Bool { newer.isEmpty && older.isEmpty }

    func contains(_ key: JSONScalar?) -> Bool { newer[key] != nil || older[key] != nil }

    mutating func remember(_ key: JSONScalar?, _ number: Int, _ sentTime: Duration) {
        if newer.count == Self.generationCount {
            older = newer
            newer.removeAll()
        }
        newer[key] = (number, sentTime)
    }

    mutating func replied(_ key: JSONScalar?) -> (number: Int, sentTime: Duration)? {
        newer.removeValue(forKey: key) ?? older.removeValue(forKey: key)
    }

    mutating func forget(_ key: JSONScalar?) {
        guard !isEmpty else { return }
        newer[key] = nil
        older[key] = nil
    }
}
