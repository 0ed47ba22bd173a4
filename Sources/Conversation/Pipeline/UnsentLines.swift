import WSCore

/// The lines that have been passed to the application protocol and have not been sent.
///
///     input ─► queue ──────► session ──────► connection
///              the login     held: the peer has to confirm a subscription
///              or room       └──► not sent: it was refused, or has ended
struct UnsentLines {
    /// How the next connection gets a line that has not been sent on this one.
    enum Origin: Equatable {
        /// Each connection begins with this message of the command line.
        case operand(Int)
        /// The line is sent again, because its reply is missing.
        case request
        /// The line is kept, if there may be another connection. It may already have been sent on an earlier one.
        case input(wasSent: Bool)
        /// The same for a line at the prompt, whose reply is matched to the request with this number.
        case typed(Int, wasSent: Bool)

        /// Whether the line is counted if it is dropped. Requests get an error reply.
        fileprivate var isCounted: Bool {
            switch self {
            case .operand, .input: true
            case .request, .typed: false
            }
        }

        /// The line if it is kept for another connection, or `nil`.
        fileprivate func kept(_ payload: [UInt8]) -> UnconfirmedLines.Line? {
            switch self {
            case .operand, .request: nil
            case .input(let wasSent): UnconfirmedLines.Line(payload: payload, kind: .text, wasSent: wasSent)
            case .typed(let number, let wasSent):
                UnconfirmedLines.Line(payload: payload, kind: .text, wasSent: wasSent, origin: .request(number))
            }
        }
    }

    /// The lines that wait or were not sent.
    struct Summary: Equatable {
        let count: Int
        let cause: ProtocolProblem.UnsentCause
        /// Whether some of them may have been sent on an earlier connection.
        let mayHaveArrived: Bool
    }

    /// The lines that the session holds back, by its numbers.
    private var held: [Int: (payload: [UInt8], origin: Origin, confirmation: LineConfirmation)] = [:]
    /// The input lines that the session does not take yet, in order.
    private var queue: ArraySlice<UnconfirmedLines.Line> = []
    /// The messages of the command line that have not been sent on any connection.
    private var operands: Set<Int> = []
    /// The number of requests that waited when the connection ended.
    private var requestCount = 0
    /// The number of input lines that will not be sent.
    private var droppedCount = 0
    /// Why the first of these lines was not sent.
    private var firstCause: ProtocolProblem.UnsentCause?
    /// Whether some of the dropped lines may have been sent on an earlier connection.
    private var droppedMayHaveArrived = false
    /// The number of lines that the server has not confirmed when the last connection ended.
    var unconfirmedCount = 0

    /// Whether lines wait that the session does not take yet.
    var hasQueued: Bool { !queue.isEmpty }
    /// The number of lines that wait.
    var waitingCount: Int { held.count + queue.count }

    /// The lines that wait or were not sent, or `nil` if there are none.
    /// - Parameter cause: What waiting lines wait for.
    func summary(waitingFor cause: ProtocolProblem.UnsentCause) -> Summary? {
        let waiting = held.values.count { if case .operand = $0.origin { false } else { true } }
        let count = droppedCount + requestCount + operands.count + waiting + queue.count
        guard count > 0 else { return nil }
        let mayHaveArrived =
            droppedMayHaveArrived || queue.contains { $0.wasSent }
            || held.values.contains { $0.origin == .input(wasSent: true) }
        return Summary(count: count, cause: firstCause ?? cause, mayHaveArrived: mayHaveArrived)
    }

    // MARK: Waiting

    /// Keeps an input line until the session takes it.
    mutating func enqueue(_ line: [UInt8], wasSent: Bool) {
        queue.append(UnconfirmedLines.Line(payload: line, kind: .text, wasSent: wasSent))
    }

    /// Removes and returns the first line of the queue, or returns `nil` if there is none.
    mutating func dequeue() -> UnconfirmedLines.Line? { queue.popFirst() }

    /// Records a line that the session holds back.
    /// - Parameter confirmation: What confirms it once it is sent.
    mutating func hold(
        _ number: Int, _ line: [UInt8], _ origin: Origin, confirmedBy confirmation: LineConfirmation = .pong
    ) {
        if case .operand(let operand) = origin { operands.insert(operand) }
        held[number] = (origin.kept(line)?.payload ?? [], origin, confirmation)
    }

    /// Records that the session has sent a line that it held back.
    /// - Returns: The line if it is kept for another connection, and what confirms it.
    mutating func sent(_ number: Int) -> (line: UnconfirmedLines.Line, confirmation: LineConfirmation)? {
        guard let line = held.removeValue(forKey: number) else { return nil }
        if case .operand(let operand) = line.origin { operandSent(operand) }
        return line.origin.kept(line.payload).map { ($0, line.confirmation) }
    }

    /// Records that a message of the command line has been sent.
    mutating func operandSent(_ number: Int) {
        operands.remove(number)
    }

    // MARK: Not sent

    /// Records that the session will not send lines, because their subscription was refused or has ended. Requests are
    /// not counted: they get an error reply.
    /// - Returns: The number of counted lines.
    mutating func drop(_ numbers: [Int]) -> Int {
        let origins = numbers.compactMap { held.removeValue(forKey: $0)?.origin }
        let count = origins.count(where: \.isCounted)
        let inputCount = origins.count { if case .input = $0 { true } else { false } }
        drop(inputCount, because: .refusal, mayHaveArrived: origins.contains(.input(wasSent: true)))
        if count > 0, firstCause == nil { firstCause = .refusal }
        return count
    }

    /// Counts input lines that will not be sent.
    mutating func drop(_ count: Int, because cause: ProtocolProblem.UnsentCause, mayHaveArrived: Bool = false) {
        droppedCount += count
        if count > 0, firstCause == nil { firstCause = cause }
        if mayHaveArrived { droppedMayHaveArrived = true }
    }

    // MARK: Connections

    /// Begins a connection, on which requests without a reply are sent again.
    mutating func connectionStarted() {
        requestCount = 0
        unconfirmedCount = 0
    }

    /// Handles the end of a connection, after which no line waits.
    /// - Parameter cause: What the lines waited for.
    /// - Returns: The input lines, in order. The caller keeps or drops them.
    mutating func connectionEnded(
        waitingFor cause: ProtocolProblem.UnsentCause
    ) -> [UnconfirmedLines.Line] {
        let input = heldInput + queue
        requestCount = held.values.count { $0.origin == .request }
        if waitingCount > input.count, firstCause == nil { firstCause = cause }
        held = [:]
        queue = []
        return input
    }

    /// The input lines that the session holds back, in order.
    private var heldInput: [UnconfirmedLines.Line] {
        held.sorted { $0.key < $1.key }.compactMap { _, line in line.origin.kept(line.payload) }
    }
}
