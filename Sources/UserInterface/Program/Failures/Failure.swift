import Conversation
import Formats
import WSCore

/// Why a run failed.
package enum Failure: Error {
    /// A well-formed argument that cannot be used. `what` is its purpose.
    case badArgument(what: String, why: String)
    /// A command, such as `wsx listen`, has neither an address nor a socket.
    case missingAddress(command: String)
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
    /// A HAR file or a page has only the beginning of the session, because there is no space for the rest.
    case cutShort(path: String, IOError)
    /// The system is out of resources.
    case system(IOError)
    /// The server cannot listen on an address.
    case listening(address: String, IOError)
    /// The connection could not be opened. `url` has no credentials.
    case connecting(url: String, ConnectError)
    /// The secrets for a connection could not be renewed by programs. `url` has no credentials.
    indirect case renewingSecrets(url: String, Failure)
    /// The peer closed the connection with a code that reports a problem.
    case closed(CloseFrame)
    /// The connection ended without a close frame, this long after the peer's last data.
    case lost(StreamError?, silence: Duration = .zero)
    /// The peer sent nothing for a while and missed this many heartbeats.
    case silent(for: Duration, misses: Int)
    /// No message arrived for this long.
    case stale(for: Duration)
    /// A message met this condition of `--reconnect-when`.
    case left(because: String)
    /// This many retries in a row failed; the last failure.
    indirect case gaveUp(after: Int, Failure)
    /// Connections kept ending before the peer confirmed this message, in words; the last failure.
    indirect case undeliverable(String, Failure)
    /// A failure that has been reported already.
    indirect case reported(Failure)
    /// The peer violated the protocol.
    case violation(ProtocolError)
    /// The server of a relay has violated the protocol, or exceeded a limit.
    case violationByServer(ProtocolError)
    /// The peer violated HTTP/2, below an open WebSocket.
    case http2Violation(HTTP2Error)
    /// A received message exceeded one of our limits.
    case limitExceeded(ProtocolError)
    /// The peer did not answer our close frame.
    case closingTimedOut(after: Duration)
    /// No message met these conditions of `--expect`, within the time limit if there was one.
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
    /// The command behind the proxy ended in this way.
    case command(ChildProcess.Exit)
    /// The connection ended before this many requests were answered.
    case unanswered(Int)
    /// The peer closed the connection with this code before this many messages were sent; `nil`: before the first one of
    /// the input.
    case unsent(Int?, CloseCode)
    /// A load test received wrong replies, described in a sentence, and in clauses for the results.
    case badReplies(String, reasons: [String])
    /// A load test missed its thresholds, as the results report.
    case unmetThresholds
    /// A server that is to be checked refuses every handshake, with this status. `url` has no credentials.
    case checkRefused(url: String, why: String)
    /// No client has asked `wsx check --listen` for a case.
    case noClients
    /// All cases of `wsx check` were skipped.
    case nothingChecked
    /// This many cases of `wsx check` have failed unexpectedly.
    case failedCases(Int, of: Int)
    /// Some of the load tests that were merged had failed, for these reasons.
    case failedParts([String])
    /// A load test was stopped, because a condition of `--abort` does not hold; in a sentence.
    case aborted(String)
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

    /// The exit status, kind, and message. A new failure needs only a case here.
    package var report: FailureReport {
        switch self {
        case .badArgument(let what, let why), .badInput(let what, let why): .init(.usage, "\(what): \(why)")
        case .missingAddress(let command):
            .init(
                .usage, "'\(command)' needs [ADDRESS:]PORT; try '\(command) 8080', or pass a socket with LISTEN_FDS")
        case .input(let error): .init(.system, "reading standard input: \(error)")
        case .output(.badDescriptor): .init(.system, "writing standard output: it is closed")
        case .output(let error): .init(.system, "writing standard output: \(error)")
        case .recording(let path, let error): .init(.system, "recording to \(escapingControls(path)): \(error)")
        case .incompleteOutput(let loss): .init(.system, "\(loss)")
        case .writing(let path, let error): .init(.system, "writing \(escapingControls(path)): \(error)")
        case .cutShort(let path, let error):
            .init(.system, "writing \(escapingControls(path)): \(error); the file has the messages that fit")
        case .system(let error): .init(.system, "starting: \(error)")
        case .listening(let address, let error):
            .init(.listen, "listening on \(address): \(Self.words(forListeningOn: address, error))")
        case .connecting(let url, let error): error.report(connectingTo: url)
        case .renewingSecrets(let url, let failure):
            .init(
                .program, "connecting to \(url): \(failure.message ?? "")", status: .unreachable,
                isWorthRetrying: true)
        case .closed(let frame):
            .init(
                .closed, "the peer closed the connection: \(Self.words(for: frame))\(Self.remedy(for: frame))",
                leavesGoalOpen: true, yieldsToRefusal: true, isWorthRetrying: frame.code?.isTemporary ?? false)
        case .lost(let error, let silence):
            .init(
                .lost,
                "the connection was lost: \(error.map { "\($0)" } ?? "the peer closed it without a close frame")"
                    + Self.words(forSilence: silence),
                leavesGoalOpen: true, yieldsToRefusal: true, isWorthRetrying: true)
        case .silent(let silence, let misses):
            .init(
                .timeout,
                "the connection was lost: the peer sent nothing for \(Phrase.duration(silence)) and missed "
                    + "\(Phrase.count(misses, "heartbeat")); --heartbeat-misses sets the limit",
                leavesGoalOpen: true, isWorthRetrying: true)
        case .stale(let limit):
            .init(
                .timeout, "no message arrived for \(Phrase.duration(limit)); --stale sets the limit",
                leavesGoalOpen: true, isWorthRetrying: true)
        case .left(let condition):
            .init(
                .closed, "a message matched --reconnect-when '\(escapingControls(condition))'", leavesGoalOpen: true,
                isWorthRetrying: true)
        case .gaveUp(let count, let failure):
            failure.report.ending(with: "gave up after \(Phrase.count(count, "more attempt"))", leavesGoalOpen: true)
        case .undeliverable(let words, let failure):
            .init(
                .lost,
                failure.message.map {
                    Self.joined($0, "gave up on \(words): connections keep ending before the peer confirms it")
                }, leavesGoalOpen: true)
        case .reported(let failure): .init(failure.kind, nil, status: failure.status)
        case .limitExceeded(let error):
            .init(
                .limit,
                "receiving: \(error)\(Self.remedy(for: error)) (\(error.identifier), closed with "
                    + "\(error.closeCode.rawValue))", leavesGoalOpen: true)
        case .violation(let error):
            .init(
                .violation,
                "the peer violated the WebSocket protocol: \(error) (\(error.identifier), closed with "
                    + "\(error.closeCode.rawValue))", leavesGoalOpen: true)
        case .violationByServer(let error):
            .init(
                error.isLimit ? .limit : .violation,
                (error.isLimit ? "receiving from the server: " : "the server violated the WebSocket protocol: ")
                    + "\(error)\(Self.remedy(for: error)) (\(error.identifier), closed with \(error.closeCode.rawValue))"
            )
        case .http2Violation(let error): .init(.violation, "\(error)", leavesGoalOpen: true)
        case .closingTimedOut(let limit):
            .init(
                .timeout,
                "closing: no answer from the peer within \(Phrase.duration(limit)); --close-timeout sets the limit",
                leavesGoalOpen: true, yieldsToRefusal: true)
        case .unmet(let patterns, let limit):
            .init(
                .expectation,
                "no message matched --expect \(patterns.map { "'\(escapingControls($0))'" }.joined(separator: ", "))"
                    + (limit.map { " within \(Phrase.duration($0)) (--timeout)" } ?? ""))
        case .notReady(let pattern, let limit):
            .init(
                .timeout,
                "no message matched --ready '\(escapingControls(pattern))' within \(Phrase.duration(limit)); "
                    + "--connect-timeout sets the limit", leavesGoalOpen: true, isWorthRetrying: true)
        case .closedBeforeReady(let pattern, let code):
            .init(
                .expectation,
                "\(Self.words(forEndWith: code ?? .noStatus)) before --ready '\(escapingControls(pattern))' matched")
        case .closedEarly(let goal, let code):
            .init(.expectation, "\(Self.words(forEndWith: code)) \(goal.moment)", yieldsToRefusal: true)
        case .waitEnded(let goal, let linger):
            .init(.timeout, goal.progress + Self.words(forEndOf: linger), yieldsToRefusal: true)
        case .incompleteReplies(let replies): .init(.expectation, "\(replies)")
        case .incomplete(let goal, let failure): failure.report.ending(with: goal.progress)
        case .errorReplies(let count):
            .init(
                .expectation, "the server reported \(Phrase.count(count, "error")) (--fail)", leavesGoalOpen: true)
        case .noReply(let number, let limit):
            .init(
                .timeout,
                "request \(number): no reply within \(Phrase.duration(limit)); --reply-timeout sets the limit",
                leavesGoalOpen: true, yieldsToRefusal: true)
        case .lateReplies(let count, let limit):
            .init(
                .timeout,
                "\(Phrase.grouped(count)) request\(count == 1 ? "" : "s") had no reply within \(Phrase.duration(limit)); "
                    + "--reply-timeout sets the limit", leavesGoalOpen: true, yieldsToRefusal: true)
        case .program(let words): .init(.program, words)
        case .command(.status(let status)): .init(.program, nil, status: ExitStatus(rawValue: Int32(status)))
        case .command(.signal(let number)): .init(.program, nil, status: ExitStatus(rawValue: 128 + Int32(number)))
        case .unanswered(let count):
            .init(
                .closed, "the peer closed the connection: \(Self.words(forUnanswered: count))", leavesGoalOpen: true,
                yieldsToRefusal: true)
        case .unsent(let count, let code):
            .init(
                .closed,
                Self.words(forEndWith: code) + " before "
                    + (count.map { "\(Phrase.count($0, "message")) \($0 == 1 ? "was" : "were")" } ?? "the input was")
                    + " sent", leavesGoalOpen: true, yieldsToRefusal: true)
        case .badReplies(let words, _), .aborted(let words): .init(.expectation, words)
        case .unmetThresholds: .init(.expectation, nil)
        case .checkRefused(let url, let why):
            .init(.handshake, "checking \(url): \(why); try 'wsx connect' with the same arguments")
        case .noClients: .init(.expectation, "no client has been checked: none connected to /runCase")
        case .nothingChecked: .init(.expectation, "nothing has been checked: all cases were skipped")
        case .failedCases(let count, let total):
            .init(.expectation, "\(count) of \(Phrase.count(total, "case")) failed")
        case .failedParts(let reasons): .init(.expectation, reasons.joined(separator: "; "))
        case .application(let failure): failure.report
        case .scenarioFailed(let failure):
            .init(
                failure.reason.isUnansweredClose || failure.reason.isRunTimeout ? .timeout : .expectation,
                "the scenario failed in \(failure)")
        case .scenarioFailedForClients(let count, let clientCount):
            .init(.expectation, "the scenario failed for \(count) of \(Phrase.count(clientCount, "client"))")
        case .runTimedOut(let limit):
            .init(
                .timeout, "timed out after \(Phrase.duration(limit)) (--timeout)", leavesGoalOpen: true,
                yieldsToRefusal: true)
        case .interrupted: .init(.interrupted, nil)
        case .terminated: .init(.interrupted, nil, status: .terminated)
        case .hungUp: .init(.interrupted, nil, status: .hungUp)
        case .quit: .init(.interrupted, nil, status: .quit)
        }
    }

    /// The exit status.
    package var status: ExitStatus { report.status }
    /// The kind of failure, which `error` events contain.
    package var kind: FailureKind { report.kind }
    /// One line without the program's name: what failed, why, and what to try; nil for a failure that needs no message.
    package var message: String? { report.message }

    /// The time without a sign of the peer before the failure ended the connection.
    package var silence: Duration {
        switch self {
        case .silent(let silence, _), .stale(let silence): silence
        default: .zero
        }
    }

    /// The option or operand that a failure with the status 2 is about, or `nil` if it is another input.
    package var option: String? {
        switch self {
        case .badArgument(let what, _), .badInput(let what, _):
            what.split(separator: " ").first.flatMap { $0.hasPrefix("--") || $0 == "URL" ? String($0) : nil }
        case .missingAddress: "[ADDRESS:]PORT"
        default: nil
        }
    }

    /// The response of the server that rejected the upgrade, or of the proxy that rejected the connection.
    /// The body is decoded.
    package var refusal: (head: ResponseHead, body: [UInt8], bodyIsTruncated: Bool)? {
        switch self {
        case .connecting(_, .handshake(.refused(let head, let body, let isTruncated))),
            .connecting(_, .loginRefused(.refused(let head, let body, let isTruncated), _)),
            .connecting(_, .certificateMissing(.refused(let head, let body, let isTruncated))),
            .connecting(_, .proxy(_, .refused(let head, let body, let isTruncated))):
            RejectionBody.decoded(body, of: head, isTruncated: isTruncated)
        case .gaveUp(_, let failure): failure.refusal
        default: nil
        }
    }
}
