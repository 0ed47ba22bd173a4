extension LineQueue {
    /// The lines that the session of a protocol holds back until the peer has confirmed their subscription, and those that
    /// will not be sent.
    struct Held {
        private struct Entry {
            /// Without its payload, unless it may be kept for another connection.
            let line: Line
            let confirmation: LineConfirmation
            /// Whether the line is sent again because its reply is missing.
            let isRequest: Bool

            /// Whether the line is kept for another connection.
            var isKept: Bool { line.origin == .input && !isRequest }
            /// Whether the line is counted if it is dropped. Requests get an error reply.
            var isCounted: Bool { line.origin == .operand ? !isRequest : line.number == 0 }
        }

        /// The lines by the session's numbers.
        private var entries: [Int: Entry] = [:]
        /// The messages of the command line that have been held back and not been sent on any connection.
        private var operands: Set<Int> = []
        /// The number of requests that waited when the connection ended.
        private var requestCount = 0
        /// The number of input lines that will not be sent.
        private var droppedCount = 0
        /// Why the first of these lines was not sent.
        private var firstCause: ProtocolProblem.UnsentCause?
        /// Whether some of the dropped lines may have been sent on an earlier connection.
        private var droppedMayHaveArrived = false

        var isEmpty: Bool { entries.isEmpty }
        var count: Int { entries.count }
        /// The number of lines that are kept for another connection.
        var keptCount: Int { entries.values.count(where: \.isKept) }

        /// The lines that wait or were not sent, or `nil` if there are none.
        /// - Parameters:
        ///   - cause: What waiting lines wait for.
        ///   - otherCount: The number of waiting lines that the session has not got.
        func summary(waitingFor cause: ProtocolProblem.UnsentCause, others otherCount: Int) -> ProtocolProblem? {
            let waiting = entries.values.count { $0.line.origin == .input || $0.isRequest }
            let count = droppedCount + requestCount + operands.count + waiting + otherCount
            guard count > 0 else { return nil }
            let mayHaveArrived = droppedMayHaveArrived || entries.values.contains { $0.isKept && $0.line.wasSent }
            return .unsentLines(count, firstCause ?? cause, mayHaveArrived: mayHaveArrived)
        }

        /// Records a line that the session holds back.
        /// - Parameter confirmation: What confirms it once it is sent.
        mutating func hold(
            _ number: Int, _ line: Line, confirmedBy confirmation: LineConfirmation, isRequest: Bool = false
        ) {
            if line.origin == .operand, !isRequest { operands.insert(line.number) }
            let isKept = line.origin == .input && !isRequest
            entries[number] = Entry(
                line: isKept ? line : line.finished([]), confirmation: confirmation, isRequest: isRequest)
        }

        /// Records that the session has sent a line that it held back.
        /// - Returns: The line if it is kept for another connection, and what confirms it.
        mutating func sent(_ number: Int) -> (line: Line, confirmation: LineConfirmation)? {
            guard let entry = entries.removeValue(forKey: number) else { return nil }
            if entry.line.origin == .operand { operandSent(entry.line.number) }
            return entry.isKept ? (entry.line, entry.confirmation) : nil
        }

        /// Records that a message of the command line has been sent.
        mutating func operandSent(_ number: Int) {
            operands.remove(number)
        }

        /// Records that the session will not send lines, because their subscription was refused or has ended. Requests are
        /// not counted: they get an error reply.
        /// - Returns: The number of counted lines.
        mutating func drop(_ numbers: [Int]) -> Int {
            let dropped = numbers.compactMap { entries.removeValue(forKey: $0) }.filter(\.isCounted)
            drop(dropped.map(\.line).filter { $0.origin == .input }, because: .refusal)
            if !dropped.isEmpty, firstCause == nil { firstCause = .refusal }
            return dropped.count
        }

        /// Counts input lines that will not be sent.
        mutating func drop(_ lines: [Line], because cause: ProtocolProblem.UnsentCause) {
            droppedCount += lines.count
            if !lines.isEmpty, firstCause == nil { firstCause = cause }
            if lines.contains(where: \.wasSent) { droppedMayHaveArrived = true }
        }

        /// Begins a connection, on which requests without a reply are sent again.
        mutating func connectionOpened() {
            requestCount = 0
        }

        /// Handles the end of a connection, after which no line waits for its subscription.
        /// - Parameter cause: What the lines waited for.
        /// - Returns: The lines that the caller keeps or drops, in order.
        mutating func connectionEnded(waitingFor cause: ProtocolProblem.UnsentCause) -> [Line] {
            requestCount = entries.values.count(where: \.isRequest)
            let kept = entries.filter(\.value.isKept).sorted { $0.key < $1.key }.map(\.value.line)
            if entries.count > kept.count, firstCause == nil { firstCause = cause }
            entries = [:]
            return kept
        }
    }
}
