import Conversation
import Formats
import LoadTest
import WSCore

/// Why a run did not end as asked.
///
/// This is the one place that maps an error to an exit status and to the words the user sees.
enum Failure: Error {
    /// An argument that reads well but cannot be used: `what` is what it was for.
    case badArgument(what: String, why: String)
    /// Standard input, or a message on the command line, cannot be sent.
    case badInput(what: String, why: String)
    /// Standard input cannot be read.
    case input(IOError)
    /// Standard output cannot be written.
    case output(IOError)
    /// The recording cannot be written.
    case recording(path: String, IOError)
    /// The system has no resources left.
    case system(IOError)
    /// Could not listen at an address.
    case listening(address: String, IOError)
    /// No connection came about; `url` is without credentials.
    case connecting(url: String, ConnectError)
    /// The peer closed with a code that is not normal.
    case closed(CloseFrame)
    /// The connection ended without a close frame.
    case lost(StreamError?)
    /// Nothing came from the peer for so long, although it had so many heartbeats to answer.
    case silent(for: Duration, misses: Int)
    /// Trying again, so many times in a row, did not help; the last failure.
    indirect case gaveUp(after: Int, Failure)
    /// One that the user has been told of.
    indirect case told(Failure)
    /// The peer broke the protocol.
    case violation(ProtocolError)
    /// A received message exceeded one of our limits.
    case limitExceeded(ProtocolError)
    /// The peer left our close frame unanswered.
    case closingTimedOut(after: Duration)
    /// No message has matched these regular expressions, in this time if it was over.
    case unmet([String], after: Duration?)
    /// The peer closed the connection, with this code, before the goal of `--count` or `--until` was met.
    case closedEarly(UnmetGoal, CloseCode)
    /// The wait after the end of the input was over before the goal was met.
    case waitEnded(UnmetGoal, Linger)
    /// Another failure ended the run before the goal was met.
    indirect case incomplete(UnmetGoal, Failure)
    /// Replies to JSON-RPC calls were errors, which `--fail` asks to report.
    case errorReplies(Int)
    /// A request has had no reply in time, and the replies after it cannot be told.
    case noReply(to: Int, after: Duration)
    /// So many requests have had no reply in time.
    case lateReplies(Int, after: Duration)
    /// The program of the only client has failed; the words say how.
    case program(String)
    /// The connection ended before so many requests were answered.
    case unanswered(Int)
    /// Replies of a load test that were not as they should be.
    case badReplies(LoadTally, in: BenchMode)
    /// Thresholds of a load test that are not met, of which the user has been told.
    case unmetThresholds
    /// The run took longer than it may.
    case runTimedOut(after: Duration)
    /// SIGINT.
    case interrupted
    /// SIGTERM.
    case terminated
    /// SIGHUP.
    case hungUp
    /// SIGQUIT.
    case quit

    /// The status to exit with.
    var status: ExitStatus {
        switch self {
        case .badArgument, .badInput: .usage
        case .input, .output, .recording, .system, .closed, .lost, .unanswered, .program, .limitExceeded: .closed
        case .listening: .unreachable
        case .connecting(_, let error): Self.status(of: error)
        case .violation: .violation
        case .closingTimedOut, .runTimedOut, .silent, .noReply, .lateReplies, .waitEnded: .timedOut
        case .unmet, .closedEarly, .errorReplies, .badReplies, .unmetThresholds: .unmet
        case .gaveUp(_, let failure), .told(let failure), .incomplete(_, let failure): failure.status
        case .interrupted: .interrupted
        case .terminated: .terminated
        case .hungUp: .hungUp
        case .quit: .quit
        }
    }

    /// One line without the program's name: what failed, why, and what to try. nil: there is nothing to say.
    var message: String? {
        switch self {
        case .badArgument(let what, let why), .badInput(let what, let why): "\(what): \(why)"
        case .input(let error): "reading standard input: \(error)"
        case .output(.badDescriptor): "writing standard output: it is closed"
        case .output(let error): "writing standard output: \(error)"
        case .recording(let path, let error): "recording to \(escapingControls(path)): \(error)"
        case .system(let error): "starting: \(error)"
        case .listening(let address, let error) where error == .addressInUse && address.hasPrefix("unix:"):
            "listening on \(address): \(error); is another server running there? If none is, remove the file"
        case .listening(let address, .noSuchFile) where address.hasPrefix("unix:"):
            "listening on \(address): there is no directory \(File.directory(of: String(address.dropFirst("unix:".count)))); "
                + "make it first"
        case .listening(let address, let error): "listening on \(address): \(error)\(Self.remedy(for: error))"
        case .connecting(_, .timedOut(let phase, let limit, let peer?)):
            "connecting to \(peer): \(Self.words(for: .timedOut(phase, after: limit, peer: nil)))"
        case .connecting(let url, let error): "connecting to \(url): \(Self.words(for: error))"
        case .closed(let frame): "the peer closed the connection: \(Self.words(for: frame))"
        case .lost(let error?): "the connection was lost: \(error)"
        case .lost(nil): "the connection was lost: the peer closed it without a close frame"
        case .silent(let silence, let misses):
            "the connection was lost: nothing came from the peer for \(Phrase.duration(silence)), "
                + "\(Phrase.count(misses, "heartbeat")) in a row; --heartbeat-misses allows more"
        case .gaveUp(let count, let failure):
            failure.message.map { Self.joined($0, "gave up after \(Phrase.count(count, "more attempt"))") }
        case .limitExceeded(let error):
            "\(error)\(Self.remedy(for: error)) (\(error.identifier), closed with \(error.closeCode.rawValue))"
        case .violation(let error):
            "the peer broke the WebSocket protocol: \(error) (\(error.identifier), closed with \(error.closeCode.rawValue))"
        case .closingTimedOut(let limit):
            "closing: the peer did not answer for \(Phrase.duration(limit)); --close-timeout waits longer"
        case .unmet(let patterns, let limit):
            "no message matched --expect \(patterns.map { "'\(escapingControls($0))'" }.joined(separator: ", "))"
                + (limit.map { " within \(Phrase.duration($0)) (--timeout)" } ?? "")
        case .closedEarly(let goal, let code): "\(Self.words(forEndWith: code)) \(goal.moment)"
        case .waitEnded(let goal, .total(let limit)):
            "\(goal.progress) within \(Phrase.duration(limit)) of the last input; --linger or --timeout waits longer"
        case .waitEnded(let goal, let linger):
            linger.limit == .zero
                ? "\(goal.progress) at the end of the input (--linger 0)"
                : "\(goal.progress); nothing arrived for \(Phrase.duration(linger.limit ?? .zero)) (--linger)"
        case .incomplete(let goal, let failure): failure.message.map { Self.joined($0, goal.progress) }
        case .errorReplies(let count):
            "\(Phrase.count(count, "call")) returned an error (--fail)"
        case .noReply(let number, let limit):
            "request \(number): no reply within \(Phrase.duration(limit)); --reply-timeout waits longer"
        case .lateReplies(let count, let limit):
            "\(Phrase.count(count, "request")) had no reply within \(Phrase.duration(limit)); "
                + "--reply-timeout waits longer"
        case .program(let words): words
        case .unanswered(let count): "the peer closed the connection: \(Self.words(forUnanswered: count))"
        case .badReplies(let tally, let mode):
            "the \(mode.wording.countedThings): \(tally.faults); each message is to \(mode.wording.expectation) once, "
                + "in order, as it was"
        case .runTimedOut(let limit): "timed out after \(Phrase.duration(limit)) (--timeout)"
        case .interrupted, .terminated, .hungUp, .quit, .told, .unmetThresholds: nil
        }
    }

    /// Whether the run had begun to receive messages, so that the report says how far it came.
    var leavesGoalOpen: Bool {
        switch self {
        case .closed, .lost, .silent, .gaveUp, .violation, .limitExceeded, .closingTimedOut, .runTimedOut, .noReply,
            .lateReplies, .unanswered, .errorReplies:
            true
        case .badArgument, .badInput, .input, .output, .recording, .system, .listening, .connecting, .told, .unmet,
            .closedEarly, .waitEnded, .incomplete, .program, .badReplies, .unmetThresholds, .interrupted, .terminated,
            .hungUp, .quit:
            false
        }
    }

    /// A stable word for the kind of failure, as `error` events have it.
    var kind: String {
        switch self {
        case .badArgument, .badInput: "usage"
        case .input, .output, .recording, .system: "system"
        case .listening: "listen"
        case .connecting(_, .handshake), .connecting(_, .compression), .connecting(_, .redirect),
            .connecting(_, .credentialsRefused):
            "handshake"
        case .connecting(_, .security), .connecting(_, .proxySecurity): "tls"
        case .connecting(_, .proxy), .connecting(_, .proxyUnreachable), .connecting(_, .proxyChoice): "proxy"
        case .connecting(_, .timedOut), .closingTimedOut, .runTimedOut, .silent, .noReply, .lateReplies, .waitEnded:
            "timeout"
        case .unmet, .closedEarly, .errorReplies, .badReplies, .unmetThresholds: "expectation"
        case .gaveUp(_, let failure), .told(let failure), .incomplete(_, let failure): failure.kind
        case .connecting: "connect"
        case .closed, .unanswered: "closed"
        case .lost: "lost"
        case .program: "program"
        case .violation: "protocol"
        case .limitExceeded: "limit"
        case .interrupted, .terminated, .hungUp, .quit: "interrupted"
        }
    }

    /// What the server answered when it refused the upgrade, or a proxy when it did not connect us.
    var refusal: (head: ResponseHead, body: [UInt8], bodyIsTruncated: Bool)? {
        switch self {
        case .connecting(_, .handshake(.refused(let head, let body, let isTruncated))),
            .connecting(_, .credentialsRefused(.refused(let head, let body, let isTruncated))):
            (head, body, isTruncated)
        case .connecting(_, .proxy(_, .refused(let head, let body, let isTruncated))): (head, body, isTruncated)
        case .gaveUp(_, let failure): failure.refusal
        default: nil
        }
    }

    private static func status(of error: ConnectError) -> ExitStatus {
        switch error {
        case .unresolvable, .noAddress, .unknownZone, .unreachable, .lost: .unreachable
        case .proxyUnreachable, .proxy, .proxySecurity, .security: .unreachable
        case .proxyChoice: .usage
        case .timedOut: .timedOut
        case .handshake(.refused), .credentialsRefused, .redirect: .refused
        // Nothing was said that could be right or wrong.
        case .handshake(.closedBeforeResponse), .handshake(.incompleteResponse): .unreachable
        case .handshake, .compression: .violation
        }
    }

    private static func words(for error: ConnectError) -> String {
        switch error {
        case .unresolvable(let host, let error): "looking up \(host): \(error); check the name"
        case .noAddress(let host): "\(host) has no address of the family asked for; try without -4 or -6"
        case .unknownZone(let zone, let host):
            "\(host): this machine has no interface '\(zone)'; 'ip link' lists those it has"
        case .unreachable(let attempts): words(for: attempts)
        case .lost(let error, .tunnelling): "\(error) while the proxy was asked for the connection"
        case .lost(let error, let phase): "\(error) during the \(phase.rawValue)"
        case .proxyChoice(let error): "\(error)"
        case .proxyUnreachable(let proxy, let error): "the proxy \(proxy): \(words(for: error))"
        case .proxy(let proxy, let error): "the proxy \(proxy): \(error)"
        case .proxySecurity(let proxy, let error): "the proxy \(proxy): \(error) (\(error.identifier))"
        case .security(let error): "\(error) (\(error.identifier))"
        case .redirect(let error): "\(error)"
        case .handshake(let error): "\(error.description)"
        case .credentialsRefused(let error): error.description(hasSentCredentials: true)
        case .compression(let error): "\(error.description)"
        case .timedOut(let phase, let limit, _):
            "timed out after \(Phrase.duration(limit)) (\(phase.rawValue)); --connect-timeout waits longer"
        }
    }

    /// The most addresses that an error line lists: a name may have dozens.
    private static let listedAttempts = 4

    private static func words(for attempts: [(address: String, error: AttemptError)]) -> String {
        var parts = attempts.prefix(listedAttempts).map { "\($0.address): \($0.error)" }
        let rest = attempts.count - parts.count
        if rest > 0 { parts.append("\(rest) more address\(rest == 1 ? "" : "es")") }
        guard case .system(let error)? = attempts.last?.error else { return parts.joined(separator: ", ") }
        return parts.joined(separator: ", ") + remedy(for: error)
    }

    private static func remedy(for error: IOError?) -> String {
        switch error {
        case .connectionRefused?: "; is the server running?"
        case .addressInUse?: "; is another server running there? Port 0 picks a free one"
        default: ""
        }
    }

    /// The option that raises a limit, as the end of a sentence.
    static func remedy(for error: ProtocolError) -> String {
        switch error {
        case .messageTooBig: "; --max-message-size raises the limit"
        case .tooManyFragments: "; --max-fragments raises the limit"
        default: ""
        }
    }

    /// The requests without a reply at the end: `2 requests were not answered`.
    static func words(forUnanswered count: Int) -> String {
        "\(Phrase.count(count, "request")) \(count == 1 ? "was" : "were") not answered"
    }

    /// How a connection ended: `closed with 1000`.
    static func words(forEndWith code: CloseCode) -> String {
        switch code {
        case .abnormalClosure: "lost without a close frame"
        case .noStatus: "closed without a code"
        case let code: "closed with \(code.rawValue)"
        }
    }

    private static func words(for frame: CloseFrame) -> String {
        guard let code = frame.code else { return "no code" }
        let meaning = code.meaning.map { " (\($0))" } ?? ""
        return "\(code.rawValue)\(meaning)" + (frame.reason.isEmpty ? "" : " \"\(escapingControls(frame.reason))\"")
    }

    /// A line with a clause at its end.
    static func joined(_ line: String, _ clause: String) -> String {
        guard line.hasSuffix("?") else { return "\(line); \(clause)" }
        return "\(line) \(clause.prefix(1).uppercased())\(clause.dropFirst())"
    }
}
