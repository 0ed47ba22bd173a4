/// The report of a failure: for the user, for scripts, and for the rest of the run.
package struct FailureReport {
    /// The kind of failure, which `error` events contain.
    let kind: FailureKind
    /// The exit status.
    package let status: ExitStatus
    /// One line without the program's name: what failed, why, and what to try; nil for a failure that needs no message.
    package var message: String?
    /// Whether the run may have received messages. If so, the message ends with the progress towards the goal.
    package var leavesGoalOpen: Bool
    /// Whether the refusal of what a line asked for is the more important failure. After it, the server may close the
    /// connection, or leave other lines unanswered.
    package var yieldsToRefusal: Bool
    /// Whether another attempt may succeed without a change on this side, because the server or the network may be down
    /// temporarily. A server does not change its mind about access rights.
    package let isWorthRetrying: Bool

    /// Creates a report. By default, the status is that of most failures of this kind.
    init(
        _ kind: FailureKind, _ message: String?, status: ExitStatus? = nil, leavesGoalOpen: Bool = false,
        yieldsToRefusal: Bool = false, isWorthRetrying: Bool = false
    ) {
        self.kind = kind
        self.status = status ?? kind.usualStatus
        self.message = message
        self.leavesGoalOpen = leavesGoalOpen
        self.yieldsToRefusal = yieldsToRefusal
        self.isWorthRetrying = isWorthRetrying
    }

    /// The report for the end of a run: the message continues with a clause, and no other traits apply.
    func ending(with clause: String, leavesGoalOpen: Bool = false) -> FailureReport {
        FailureReport(
            kind, message.map { Failure.joined($0, clause) }, status: status, leavesGoalOpen: leavesGoalOpen)
    }
}

extension FailureKind {
    fileprivate var usualStatus: ExitStatus {
        switch self {
        case .usage: .usage
        case .listen, .connect, .proxy, .tls: .unreachable
        case .handshake: .refused
        case .violation: .violation
        case .system, .limit, .closed, .lost, .program: .closed
        case .timeout: .timedOut
        case .expectation: .unmet
        case .interrupted: .interrupted
        }
    }
}
