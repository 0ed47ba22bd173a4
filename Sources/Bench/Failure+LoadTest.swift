import Formats
import LoadTest
import UserInterface
import WSCore

extension Failure {
    /// Why a load test failed, as clauses. Errors with known causes are named by their counts: the message of the
    /// first one has no count, and may not be the most frequent.
    func loadTestReasons(_ causes: ErrorCauses) -> [String] {
        switch self {
        case .badReplies(_, let reasons): reasons
        case .reported(let failure): failure.loadTestReasons(causes)
        case _ where cause != nil && !causes.isEmpty: [escapingControls(causes.words(limit: 3, times: Glyphs.times))]
        case .interrupted: ["interrupted"]
        case .terminated: ["ended by SIGTERM"]
        case .hungUp: ["ended by SIGHUP"]
        case .quit: ["ended by SIGQUIT"]
        default: [message ?? kind.rawValue]
        }
    }
}

extension Failure {
    /// The remedy if a server in `--mode echo` replies, but not with echoes.
    static let noEchoes = "no reply was an echo; if this server does not echo, use --mode request"

    /// Wrong replies.
    /// - Parameter reply: The beginning of the first mismatched reply in printable form, or `nil`.
    static func badReplies(_ tally: LoadTally, in mode: BenchMode, mismatched reply: String?) -> Failure {
        let reasons = tally.reasons(in: mode)
        if mode == .echo, tally.received == 0, tally.mismatched + tally.duplicated > 0 {
            return .badReplies("the replies: \(tally.faults); \(noEchoes)", reasons: reasons)
        }
        return .badReplies(
            "the \(mode.wording.countedThings): \(tally.faults); \(mode.wording.expectation)"
                + (reply.map { "; the first mismatched reply: \($0.isEmpty ? "an empty message" : $0)" } ?? ""),
            reasons: reasons)
    }

    /// A condition of `--abort` does not hold.
    static func aborted(_ verdict: Threshold.Verdict, afterSeconds seconds: Int) -> Failure {
        .aborted(
            "stopped after \(seconds) s: --abort '\(escapingControls(verdict.threshold.expression))' does not "
                + "hold: \(verdict.words)")
    }

    /// What the peer or the system has said about it.
    var cause: ErrorCause? {
        switch self {
        case .connecting(_, let error): error.cause
        case .closed(let frame): ErrorCause(frame.code ?? .noStatus)
        case .lost(let error, _): error?.cause ?? ErrorCause(.abnormalClosure)
        case .reported(let failure): failure.cause
        default: nil
        }
    }
}

extension ConnectError {
    fileprivate var cause: ErrorCause? {
        switch self {
        case .unresolvable(_, let error): ErrorCause(error)
        case .unreachable(let attempts):
            attempts.lazy.compactMap { attempt in
                if case .system(let error) = attempt.error { ErrorCause(error) } else { nil }
            }.last
        case .lost(let error, _): error.cause
        case .proxyUnreachable(_, let error): error.cause
        case .proxy(_, .refused(let head, _, _)): ErrorCause(.http, head.status, HTTPStatus.reason(of: head.status))
        case .proxySecurity(_, let error), .security(let error): error.cause
        case .handshake(let error), .loginRefused(let error, _), .certificateMissing(let error): error.cause
        default: nil
        }
    }
}

extension HandshakeError {
    fileprivate var cause: ErrorCause? {
        guard case .refused(let head, _, _) = self else { return nil }
        return ErrorCause(.http, head.status, HTTPStatus.reason(of: head.status))
    }
}

extension StreamError {
    fileprivate var cause: ErrorCause? {
        switch self {
        case .system(let error): ErrorCause(error)
        case .protection(let error): (error as? TLSError)?.cause
        }
    }
}

extension TLSError {
    fileprivate var cause: ErrorCause? {
        peerAlert.map { ErrorCause(.tls, $0.number, $0.name) }
    }
}

extension ErrorCause {
    fileprivate init(_ error: IOError) { self.init(.system, error.number, "\(error)") }

    fileprivate init(_ code: CloseCode) { self.init(.close, Int(code.rawValue), code.meaning ?? "") }
}
