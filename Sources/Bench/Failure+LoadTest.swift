import Formats
import LoadTest
import UserInterface
import WSCore

extension Failure {
    /// Why a load test ended, as a clause.
    var loadTestReason: String {
        switch self {
        case .reported(let failure): failure.loadTestReason
        case .interrupted: "interrupted"
        case .terminated: "ended by SIGTERM"
        case .hungUp: "ended by SIGHUP"
        case .quit: "ended by SIGQUIT"
        default: message ?? kind.rawValue
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
        case .violation(let error): ErrorCause(.violation, Int(error.closeCode.rawValue), error.identifier)
        case .http2Violation: ErrorCause(.violation, 0, "HTTP/2 violation")
        case .closingTimedOut: ErrorCause(.silence, 0, "closing handshake timed out")
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
        case .proxyUnreachable(_, let error): error.cause.map { ErrorCause(.proxy, 0, $0.words) }
        case .proxy(_, .refused(let head, _, _)):
            ErrorCause(.proxy, head.status, "HTTP \(head.status) \(HTTPStatus.reason(of: head.status))")
        case .proxy(_, .closedBeforeAnswer): ErrorCause(.proxy, 0, "closed before an answer")
        case .proxy(_, .incompleteAnswer): ErrorCause(.proxy, 0, "closed within its answer")
        case .proxy(_, .loginRefused): ErrorCause(.proxy, 0, "login refused")
        case .proxy: ErrorCause(.proxy, 0, "wrong answer")
        case .proxySecurity(_, let error): ErrorCause(.proxy, 0, error.cause.words)
        case .security(let error): error.cause
        case .timedOut(let phase, _, _, _): ErrorCause(.silence, 0, "\(phase.rawValue) timed out")
        case .compression: ErrorCause(.upgrade, 0, "wrong compression parameters")
        case .handshake(let error), .loginRefused(let error, _), .certificateMissing(let error): error.cause
        default: nil
        }
    }
}

extension HandshakeError {
    fileprivate var cause: ErrorCause? {
        let words: String
        switch self {
        case .refused(let head, _, _): return ErrorCause(.http, head.status, HTTPStatus.reason(of: head.status))
        case .closedBeforeResponse: words = "closed before a response"
        case .incompleteResponse: words = "closed within the response"
        case .notHTTP: words = "no HTTP response"
        case .wrongAccept: words = "wrong Sec-WebSocket-Accept"
        case .missingAccept, .repeatedAccept: words = "no single Sec-WebSocket-Accept"
        case .repeatedSubprotocol, .unrequestedSubprotocol: words = "wrong subprotocol"
        case .malformedExtensions, .unofferedExtension: words = "wrong extensions"
        case .http2: words = "HTTP/2 failed"
        case .invalidResponse, .tooManyInterimResponses, .invalidUpgrade, .invalidConnection: words = "invalid response"
        }
        return ErrorCause(.upgrade, 0, words)
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
    fileprivate var cause: ErrorCause {
        peerAlert.map { ErrorCause(.tls, $0.number, $0.name) } ?? ErrorCause(.tls, 0, identifier)
    }
}

extension ErrorCause {
    fileprivate init(_ error: IOError) { self.init(.system, error.number, "\(error)") }

    fileprivate init(_ code: CloseCode) { self.init(.close, Int(code.rawValue), code.meaning ?? "") }
}
