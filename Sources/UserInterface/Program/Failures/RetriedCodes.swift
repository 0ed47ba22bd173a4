import WSCore

/// The close codes, and the HTTP statuses of refused handshakes, after which a client connects again although the cause may
/// not pass by itself.
package enum RetriedCodes: Equatable, Sendable {
    /// Only these. Numbers below 1000 are statuses; 1005 is a close frame without a code.
    case only(Set<Int>)
    case all

    /// These and other codes.
    package func adding(_ others: RetriedCodes) -> RetriedCodes {
        if case .only(let codes) = self, case .only(let others) = others { .only(codes.union(others)) } else { .all }
    }

    /// Whether another attempt follows a failure: its cause may pass, or its code is one of these.
    package func retries(_ failure: Failure) -> Bool {
        if failure.report.isWorthRetrying { return true }
        guard let code = failure.code else { return false }
        return switch self {
        case .only(let codes): codes.contains(code)
        case .all: true
        }
    }
}

extension Failure {
    /// The code with which the server closed the connection, or the status with which it refused the handshake, or `nil`
    /// for another failure. A proxy's refusal is none of the handshake.
    fileprivate var code: Int? {
        switch self {
        case .closed(let frame): Int((frame.code ?? .noStatus).rawValue)
        case .application(let failure):
            if case .ended(let frame?, _, _) = failure.problem { Int((frame.code ?? .noStatus).rawValue) } else { nil }
        case .connecting(_, .handshake(.refused(let head, _, _))),
            .connecting(_, .loginRefused(.refused(let head, _, _), _)),
            .connecting(_, .certificateMissing(.refused(let head, _, _))):
            head.status
        default: nil
        }
    }
}
