import Conversation
import Formats
import LoadTest
import WSCore

/// Why a run failed.
///
/// This is the one place that maps an error to an exit status and to the message that the user sees.
enum Failure: Error {
    /// A well-formed argument that cannot be used. `what` is its purpose.
    case badArgument(what: String, why: String)
    /// `wsx listen` has neither an address nor a socket.
    case missingAddress
    /// Standard input, or a message on the command line, cannot be sent.
    case badInput(what: String, why: String)
    /// Standard input cannot be read.
    case input(IOError)
    /// Standard output cannot be written.
    case output(IOError)
    /// The recording cannot be written.
    case recording(path: String, IOError)
    /// The run ended before an output was complete.
    case incompleteOutput(OutputLoss)
    /// A file of results cannot be written.
    case writing(path: String, IOError)
    /// The system is out of resources.
    case system(IOError)
    /// The server cannot listen on an address.
    case listening(address: String, IOError)
    /// The connection could not be opened. `url` has no credentials.
    case connecting(url: String, ConnectError)
    /// The peer closed the connection with a code that reports a problem.
    case closed(CloseFrame)
    /// The connection ended without a close frame, this long after the peer's last data.
    case lost(StreamError?, silence: Duration = .zero)
    /// The peer sent nothing for a while and missed this many heartbeats.
    case silent(for: Duration, misses: Int)
    /// This many retries in a row failed; the last failure.
    indirect case gaveUp(after: Int, Failure)
    /// Connections kept ending before the peer confirmed this message, in words; the last failure.
    indirect case undeliverable(String, Failure)
    /// A failure that has been reported already.
    indirect case told(Failure)
    /// The peer violated the protocol.
    case violation(ProtocolError)
    /// A received message exceeded one of our limits.
    case limitExceeded(ProtocolError)
    /// The peer did not answer our close frame.
    case closingTimedOut(after: Duration)
    /// No message matched these regular expressions, within the time limit if there was one.
    case unmet([String], after: Duration?)
    /// The peer closed the connection with this code before the goal of `--count`, `--one`, or `--until` was met.
    case closedEarly(UnmetGoal, CloseCode)
    /// The wait after the end of the input ended before the goal was met. Its message names `--linger`, so it does not
    /// suit other time limits.
    case waitEnded(UnmetGoal, Linger)
    /// Replies lack the value that `--pick` writes.
    case incompleteReplies(IncompleteReplies)
    /// Another failure ended the run before the goal was met.
    indirect case incomplete(UnmetGoal, Failure)
    /// The server reported errors, such as those of JSON-RPC calls, which `--fail` turns into a failure.
    case errorReplies(Int)
    /// A request had no reply in time, and later replies cannot be matched to their requests.
    case noReply(to: Int, after: Duration)
    /// This many requests had no reply in time.
    case lateReplies(Int, after: Duration)
    /// The only client's program failed; how.
    case program(String)
    /// The connection ended before this many requests were answered.
    case unanswered(Int)
    /// The peer closed the connection with this code before this many messages were sent; `nil`: before the first one of
    /// the input.
    case unsent(Int?, CloseCode)
    /// A load test received wrong replies. `mismatched`: the beginning of the first such reply in printable form, or
    /// `nil`.
    case badReplies(LoadTally, in: BenchMode, mismatched: String?)
    /// A load test missed its thresholds, as the results report.
    case unmetThresholds
    /// A load test was stopped after this many seconds, because a condition of `--abort` does not hold.
    case aborted(Threshold.Verdict, afterSeconds: Int)
    /// The peer sent no message that matches `--ready` in time.
    case notReady(String, after: Duration)
    /// The connection ended with this code, if any, before a message matched `--ready`.
    case closedBeforeReady(String, CloseCode?)
    /// An application protocol ended the connection.
    case application(ApplicationFailure)
    /// A step of a scenario has failed.
    case scenarioFailed(ScenarioFailure)
    /// This many clients, of a number of clients, have deviated from the scenario.
    case scenarioFailedForClients(Int, of: Int)
    /// The run exceeded its time limit.
    case runTimedOut(after: Duration)
    /// SIGINT.
    case interrupted
    /// SIGTERM.
    case terminated
    /// SIGHUP.
    case hungUp
    /// SIGQUIT.
    case quit

    /// The exit status.
    var status: ExitStatus {
        switch self {
        case .badArgument, .missingAddress, .badInput: .usage
        case .input, .output, .recording, .incompleteOutput, .writing, .system, .closed, .lost, .unanswered, .unsent,
            .program, .limitExceeded, .undeliverable:
            .closed
        case .listening: .unreachable
        case .connecting(_, let error): Self.status(of: error)
        case .application(let failure): failure.status
        case .violation: .violation
        case .closingTimedOut, .runTimedOut, .silent, .noReply, .lateReplies, .waitEnded, .notReady: .timedOut
        case .scenarioFailed(let failure) where failure.reason.isUnansweredClose || failure.reason.isRunTimeout:
            .timedOut
        case .unmet, .closedEarly, .closedBeforeReady, .incompleteReplies, .errorReplies, .badReplies, .unmetThresholds,
            .aborted, .scenarioFailed, .scenarioFailedForClients:
            .unmet
        case .gaveUp(_, let failure), .told(let failure), .incomplete(_, let failure): failure.status
        case .interrupted: .interrupted
        case .terminated: .terminated
        case .hungUp: .hungUp
        case .quit: .quit
        }
    }

    /// One line without the program's name: what failed, why, and what to try; nil for a failure that needs no message.
    var message: String? {
        switch self {
        case .badArgument(let what, let why), .badInput(let what, let why): "\(what): \(why)"
        case .missingAddress:
            "'wsx listen' needs [ADDRESS:]PORT; try 'wsx listen 8080', or pass a socket with LISTEN_FDS"
        case .input(let error): "reading standard input: \(error)"
        case .output(.badDescriptor): "writing standard output: it is closed"
        case .output(let error): "writing standard output: \(error)"
        case .recording(let path, let error): "recording to \(escapingControls(path)): \(error)"
        case .incompleteOutput(let loss): "\(loss)"
        case .writing(let path, let error): "writing \(escapingControls(path)): \(error)"
        case .system(let error): "starting: \(error)"
        case .listening(let address, let error) where error == .addressInUse && address.hasPrefix("unix:"):
            "listening on \(address): \(error); is another server running? If not, delete the socket file"
        case .listening(let address, .noSuchFile) where address.hasPrefix("unix:"):
            "listening on \(address): no such directory: "
                + "\(File.directory(of: String(address.dropFirst("unix:".count)))); create it first"
        case .listening(let address, let error): "listening on \(address): \(error)\(Self.listeningRemedy(for: error))"
        case .connecting(let url, .timedOut(_, let limit, _, let redirectCount)) where redirectCount > 1:
            "connecting to \(url): timed out after \(Phrase.duration(limit)) and \(redirectCount) redirects, perhaps in a "
                + "loop; check the server, or raise --connect-timeout"
        case .connecting(_, .timedOut(let phase, let limit, let peer?, _)):
            "connecting to \(peer): \(Self.words(forTimeout: limit, in: phase))"
        case .connecting(let url, .handshake(.closedBeforeResponse)) where url.hasPrefix("ws://"):
            "connecting to \(url): the server closed the connection without a response; wrong port, a wss:// "
                + "server, or a missing --subprotocol?"
        case .connecting(let url, let error): "connecting to \(url): \(Self.words(for: error))"
        case .closed(let frame): "the peer closed the connection: \(Self.words(for: frame))\(Self.remedy(for: frame))"
        case .lost(let error, let silence):
            "the connection was lost: \(error.map { "\($0)" } ?? "the peer closed it without a close frame")"
                + Self.words(forSilence: silence)
        case .silent(let silence, let misses):
            "the connection was lost: the peer sent nothing for \(Phrase.duration(silence)) and missed "
                + "\(Phrase.count(misses, "heartbeat")); --heartbeat-misses sets the limit"
        case .gaveUp(let count, let failure):
            failure.message.map { Self.joined($0, "gave up after \(Phrase.count(count, "more attempt"))") }
        case .undeliverable(let words, let failure):
            failure.message.map {
                Self.joined($0, "gave up on \(words): connections keep ending before the peer confirms it")
            }
        case .limitExceeded(let error):
            "receiving: \(error)\(Self.remedy(for: error)) (\(error.identifier), closed with \(error.closeCode.rawValue))"
        case .violation(let error):
            "the peer violated the WebSocket protocol: \(error) (\(error.identifier), closed with \(error.closeCode.rawValue))"
        case .closingTimedOut(let limit):
            "closing: no answer from the peer within \(Phrase.duration(limit)); --close-timeout sets the limit"
        case .unmet(let patterns, let limit):
            "no message matched --expect \(patterns.map { "'\(escapingControls($0))'" }.joined(separator: ", "))"
                + (limit.map { " within \(Phrase.duration($0)) (--timeout)" } ?? "")
        case .notReady(let pattern, let limit):
            "no message matched --ready '\(escapingControls(pattern))' within \(Phrase.duration(limit)); "
                + "--connect-timeout sets the limit"
        case .closedBeforeReady(let pattern, let code):
            "\(Self.words(forEndWith: code ?? .noStatus)) before --ready '\(escapingControls(pattern))' matched"
        case .closedEarly(let goal, let code): "\(Self.words(forEndWith: code)) \(goal.moment)"
        case .waitEnded(let goal, .total(let limit)):
            "\(goal.progress) within \(Phrase.duration(limit)) of the end of the input; "
                + "raise --linger or --timeout to wait longer"
        case .waitEnded(let goal, let linger):
            linger.limit == .zero
                ? "\(goal.progress) at the end of the input (--linger 0)"
                : "\(goal.progress); nothing arrived for \(Phrase.duration(linger.limit ?? .zero)) (--linger)"
        case .incompleteReplies(let replies): "\(replies)"
        case .incomplete(let goal, let failure): failure.message.map { Self.joined($0, goal.progress) }
        case .errorReplies(let count):
            "the server reported \(Phrase.count(count, "error")) (--fail)"
        case .noReply(let number, let limit):
            "request \(number): no reply within \(Phrase.duration(limit)); --reply-timeout sets the limit"
        case .lateReplies(let count, let limit):
            "\(Phrase.count(count, "request")) had no reply within \(Phrase.duration(limit)); "
                + "--reply-timeout sets the limit"
        case .program(let words): words
        case .unanswered(let count): "the peer closed the connection: \(Self.words(forUnanswered: count))"
        case .unsent(let count?, let code):
            "\(Self.words(forEndWith: code)) before \(Phrase.count(count, "message")) \(count == 1 ? "was" : "were") sent"
        case .unsent(nil, let code): "\(Self.words(forEndWith: code)) before the input was sent"
        case .badReplies(let tally, .echo, _) where tally.received == 0 && tally.mismatched + tally.duplicated > 0:
            "the replies: \(tally.faults); \(Self.noEchoes)"
        case .badReplies(let tally, let mode, let reply):
            "the \(mode.wording.countedThings): \(tally.faults); \(mode.wording.expectation)"
                + (reply.map { "; the first mismatched reply: \($0.isEmpty ? "an empty message" : $0)" } ?? "")
        case .aborted(let verdict, let seconds):
            "stopped after \(seconds) s: --abort '\(escapingControls(verdict.threshold.expression))' does not hold: "
                + "\(verdict.words)"
        case .application(let failure): failure.message
        case .scenarioFailed(let failure): "the scenario failed in \(failure)"
        case .scenarioFailedForClients(let count, let clientCount):
            "the scenario failed for \(count) of \(Phrase.count(clientCount, "client"))"
        case .runTimedOut(let limit): "timed out after \(Phrase.duration(limit)) (--timeout)"
        case .interrupted, .terminated, .hungUp, .quit, .told, .unmetThresholds: nil
        }
    }

    /// Whether the run may have received messages. If so, the report includes the progress towards the goal.
    var leavesGoalOpen: Bool {
        switch self {
        case .closed, .lost, .silent, .gaveUp, .undeliverable, .violation, .limitExceeded, .closingTimedOut,
            .runTimedOut, .noReply,
            .lateReplies, .unanswered, .unsent, .errorReplies, .notReady, .application:
            true
        case .badArgument, .missingAddress, .badInput, .input, .output, .recording, .incompleteOutput, .writing,
            .system, .listening, .connecting,
            .told, .unmet, .closedEarly, .closedBeforeReady, .waitEnded, .incompleteReplies, .incomplete, .program,
            .badReplies, .unmetThresholds, .aborted, .scenarioFailed, .scenarioFailedForClients, .interrupted,
            .terminated, .hungUp, .quit:
            false
        }
    }

    /// Whether the refusal of what a line asked for is the more important failure. After it, the server may close the
    /// connection, or leave other lines unanswered.
    var yieldsToRefusal: Bool {
        switch self {
        case .closed, .lost, .closingTimedOut, .waitEnded, .runTimedOut, .unanswered, .unsent, .closedEarly,
            .lateReplies, .noReply:
            true
        case .application(let failure): failure.status == .closed || failure.status == .timedOut
        default: false
        }
    }

    /// The kind of failure, which `error` events contain.
    var kind: FailureKind {
        switch self {
        case .badArgument, .missingAddress, .badInput: .usage
        case .input, .output, .recording, .incompleteOutput, .writing, .system: .system
        case .listening: .listen
        case .connecting(_, .handshake), .connecting(_, .compression), .connecting(_, .redirect),
            .connecting(_, .credentialsRefused), .connecting(_, .negotiation):
            .handshake
        case .connecting(_, .security), .connecting(_, .proxySecurity): .tls
        case .connecting(_, .proxy), .connecting(_, .proxyUnreachable), .connecting(_, .proxyChoice): .proxy
        case .connecting(_, .timedOut), .closingTimedOut, .runTimedOut, .silent, .noReply, .lateReplies, .waitEnded,
            .notReady:
            .timeout
        case .scenarioFailed(let failure) where failure.reason.isUnansweredClose || failure.reason.isRunTimeout:
            .timeout
        case .unmet, .closedEarly, .closedBeforeReady, .incompleteReplies, .errorReplies, .badReplies, .unmetThresholds,
            .aborted, .scenarioFailed, .scenarioFailedForClients:
            .expectation
        case .gaveUp(_, let failure), .told(let failure), .incomplete(_, let failure): failure.kind
        case .connecting: .connect
        case .application(let failure): failure.kind
        case .closed, .unanswered, .unsent: .closed
        case .lost, .undeliverable: .lost
        case .program: .program
        case .violation: .violation
        case .limitExceeded: .limit
        case .interrupted, .terminated, .hungUp, .quit: .interrupted
        }
    }

    /// The response of the server that rejected the upgrade, or of the proxy that rejected the connection.
    /// The body is decoded.
    var refusal: (head: ResponseHead, body: [UInt8], bodyIsTruncated: Bool)? {
        switch self {
        case .connecting(_, .handshake(.refused(let head, let body, let isTruncated))),
            .connecting(_, .credentialsRefused(.refused(let head, let body, let isTruncated))),
            .connecting(_, .proxy(_, .refused(let head, let body, let isTruncated))):
            RejectionBody.decoded(body, of: head, isTruncated: isTruncated)
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
        case .handshake(.refused), .credentialsRefused, .redirect, .negotiation: .refused
        // Without a response, there is no violation.
        case .handshake(.closedBeforeResponse), .handshake(.incompleteResponse): .unreachable
        case .handshake, .compression: .violation
        }
    }

    private static func words(for error: ConnectError) -> String {
        switch error {
        case .unresolvable(let host, let error): words(forLookupOf: host, error)
        case .noAddress(let host): "\(host) has no address of the requested family; try without -4 or -6"
        case .unknownZone(let zone, let host):
            "\(host): this machine has no interface '\(zone)'; list the interfaces with 'ip link'"
        case .unreachable(let attempts): words(for: attempts, of: "server")
        case .lost(let error, .tunnelling): "\(error) while waiting for the proxy's response; see the proxy's log"
        case .lost(let error, .upgrading):
            "\(error) during the upgrade; check the port, the path, and --subprotocol, and see the server's log"
        case .lost(let error, let phase):
            "\(error) during the \(phase.rawValue); check the port, and see the server's log"
        case .proxyChoice(let error): "\(error)"
        case .proxyUnreachable(let proxy, .unreachable(let attempts)):
            "the proxy \(proxy): \(words(for: attempts, of: "proxy"))"
        case .proxyUnreachable(let proxy, let error): "the proxy \(proxy): \(words(for: error))"
        case .proxy(let proxy, let error): "the proxy \(proxy): \(error)"
        case .proxySecurity(let proxy, let error): "the proxy \(proxy): \(error) (\(error.identifier))"
        case .security(let error): "\(error) (\(error.identifier))"
        case .redirect(let error): "\(error)"
        case .negotiation(let reason): reason
        case .handshake(let error): "\(error.description)"
        case .credentialsRefused(let error): error.description(hasSentCredentials: true)
        case .compression(let error): "\(error.description)"
        case .timedOut(let phase, let limit, _, _): words(forTimeout: limit, in: phase)
        }
    }

    private static func words(forLookupOf host: String, _ error: IOError) -> String {
        switch error {
        case .unknownName, .noAddress: "no such host: \(host); check the name"
        case .nameServiceBusy: "cannot look up \(host): the name server does not answer; check the network connection"
        default: "cannot look up \(host): \(error)"
        }
    }

    private static func words(forTimeout limit: Duration, in phase: ConnectError.Phase) -> String {
        let cause =
            switch phase {
            case .resolving: "the name server does not answer; check the network, or"
            case .connecting: "the host does not answer; check the address and any firewall, or"
            case .tunnelling: "the proxy does not answer; check its port, or"
            case .securing:
                "the port is open, but does not answer the TLS handshake; wrong port, or a ws:// server? Otherwise,"
            case .upgrading: "the port is open, but does not answer the HTTP request; wrong port? Otherwise,"
            }
        return "timed out after \(Phrase.duration(limit)): \(cause) raise --connect-timeout"
    }

    /// The most addresses that an error line lists: a name may have dozens.
    private static let listedAttempts = 4

    private static func words(
        for attempts: [(address: String, error: AttemptError)], of target: String
    ) -> String {
        var parts = attempts.prefix(listedAttempts).map { "\($0.address): \($0.error)" }
        let rest = attempts.count - parts.count
        if rest > 0 { parts.append("\(rest) more address\(rest == 1 ? "" : "es")") }
        let remedy =
            switch attempts.last?.error {
            case .system(.connectionRefused), .system(.noSuchFile): "; is the \(target) running?"
            case .system(.networkUnreachable), .system(.hostUnreachable):
                "; check the address and the network connection"
            case .source(_, .addressNotAvailable): "; give an address of this machine with --source-ip"
            case .noSource: "; add one with --source-ip"
            case .missingZone: "; write one like [fe80::1%eth0]"
            default: ""
            }
        return parts.joined(separator: ", ") + remedy
    }

    private static func listeningRemedy(for error: IOError) -> String {
        switch error {
        case .addressInUse: "; is another server running? Port 0 picks a free port"
        case .addressNotAvailable: "; use an address of this machine"
        // Linux reserves the ports below 1024 by default.
        case .accessDenied: "; use a port above 1023, or a directory that you can write to"
        default: ""
        }
    }

    /// The option that raises the exceeded limit, as a clause after the error.
    static func remedy(for error: ProtocolError) -> String {
        switch error {
        case .messageTooBig: "; raise --max-message-size to accept it"
        case .tooManyFragments: "; raise --max-fragments to accept it"
        default: ""
        }
    }

    /// The remedy for a close code, as a clause after its words.
    private static func remedy(for frame: CloseFrame) -> String {
        // The code of GraphQL servers, after the HTTP status 406.
        frame.code?.rawValue == 4406
            ? "; a GraphQL server requires another subprotocol: check --subprotocol or --protocol" : ""
    }

    /// The shortest time after which proxies usually drop an idle connection.
    private static let idleLimit = Duration.seconds(10)

    /// The likely cause of the end of a connection after the peer was silent, as a clause.
    private static func words(forSilence silence: Duration) -> String {
        guard silence >= idleLimit else { return "" }
        return ", \(Phrase.duration(.seconds(silence.components.seconds))) after its last data; a proxy may drop idle "
            + "connections: use --heartbeat with a shorter interval"
    }

    /// The remedy if a server in `--mode echo` replies, but not with echoes.
    static let noEchoes = "no reply was an echo; if this server does not echo, use --mode request"

    /// The number of requests without a reply: `2 requests were not answered`.
    static func words(forUnanswered count: Int) -> String {
        "\(Phrase.count(count, "request")) \(count == 1 ? "was" : "were") not answered"
    }

    /// A message, shortened and in printable form.
    static func words(forMessage payload: [UInt8], as kind: MessageKind) -> String {
        guard kind == .text else { return "a binary message (\(Phrase.count(payload.count, "byte")))" }
        return "the message \(quoted(String(decoding: payload, as: UTF8.self)))"
    }

    /// A line that is given up, in printable form.
    static func words(forLine line: UnconfirmedLines.Line) -> String {
        line.origin == .renewal
            ? "renewing \(quoted(String(decoding: line.payload, as: UTF8.self)))"
            : words(forMessage: line.payload, as: line.kind)
    }

    /// How a connection ended: `closed with 1000`.
    static func words(forEndWith code: CloseCode) -> String {
        switch code {
        case .abnormalClosure: "lost without a close frame"
        case .noStatus: "closed without a code"
        case let code: "closed with \(code.rawValue)"
        }
    }

    /// How a connection ended, and who ended it: `the peer closed it: 4001 "expired"`.
    static func words(forEnd end: ConnectionEnd) -> String {
        guard let received = end.closing.received, !end.closing.wasStartedHere else {
            let lost = end.closing.received == nil ? end.failure.map { "the connection was lost: \($0)" } : nil
            return lost ?? words(forEndWith: end.code)
        }
        return "the peer closed it: \(words(for: received))"
    }

    /// A received close frame: `4403 (forbidden) "wrong token"`.
    /// - Parameter meaning: The meaning of the code in an application protocol, or `nil` for the usual one.
    static func words(for frame: CloseFrame, meaning: String? = nil) -> String {
        guard let code = frame.code else { return "no code" }
        let meaning = (meaning ?? code.meaning).map { " (\($0))" } ?? ""
        return "\(code.rawValue)\(meaning)" + (frame.reason.isEmpty ? "" : " \"\(escapingControls(frame.reason))\"")
    }

    /// A line followed by a clause, or by a sentence if the line ends with a question.
    static func joined(_ line: String, _ clause: String) -> String {
        guard line.hasSuffix("?") else { return "\(line); \(clause)" }
        return "\(line) \(clause.prefix(1).uppercased())\(clause.dropFirst())"
    }
}
