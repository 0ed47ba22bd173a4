import Formats
import LoadTest
import UserInterface
import WSCore

extension Failure {
    /// Why a load test failed, as clauses. Errors with known causes are named by their counts: the message of the
    /// first one has no count, and may not be the most frequent.
    func loadTestReasons(_ causes: ErrorCauses) -> [String] {
        switch self {
        case .badReplies(let tally, let mode, _): tally.reasons(in: mode)
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
