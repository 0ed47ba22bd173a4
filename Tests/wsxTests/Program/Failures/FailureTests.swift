import Formats
import Testing
import WSCore

@testable import UserInterface

@Suite struct FailureTests {
    struct Example: Sendable {
        let failure: Failure
        let status: UserInterface.ExitStatus
        let kind: String
        let message: String?
    }

    private static let refused = HandshakeError.refused(
        ResponseHead(status: 403, reason: "Forbidden", fields: HTTPFields()), body: Array("why".utf8),
        bodyIsTruncated: true)
    private static let url = "ws://h/"

    static let examples: [Example] = [
        Example(
            failure: .badArgument(what: "--x", why: "bad"), status: .usage, kind: "usage", message: "--x: bad"),
        Example(
            failure: .application(ApplicationFailure(name: "mqtt", problem: .refused("no", afterLogin: false))),
            status: .refused, kind: "handshake", message: "mqtt: no; check the credentials (wsx help protocol mqtt)"),
        Example(
            failure: .application(ApplicationFailure(name: "mqtt", problem: .refused("no", afterLogin: true))),
            status: .closed, kind: "closed", message: "mqtt: no"),
        Example(
            failure: .application(ApplicationFailure(name: "mqtt", problem: .unusable("silent"))), status: .closed,
            kind: "lost", message: "the connection was lost: silent (mqtt)"),
        Example(
            failure: .application(
                ApplicationFailure(name: "mqtt", problem: .ended(nil, meaning: nil, afterLogin: false))),
            status: .closed, kind: "lost",
            message: "mqtt: the server ended the connection before the login was complete; check the URL and the "
                + "credentials"),
        Example(
            failure: .application(
                ApplicationFailure(
                    name: "stomp", problem: .refused("it speaks 2.0", afterLogin: false, isAboutLogin: false))),
            status: .refused, kind: "handshake", message: "stomp: it speaks 2.0"),
        Example(
            failure: .application(ApplicationFailure(name: "own", problem: .refused("no", afterLogin: false))),
            status: .refused, kind: "handshake", message: "own: no; check the credentials"),
        Example(
            failure: .application(ApplicationFailure(name: "phoenix", problem: .unsentLines(2, .subscription))),
            status: .timedOut,
            kind: "timeout",
            message: "phoenix: 2 lines were not sent: the server did not confirm the subscription; check it, "
                + "or wait longer with --linger"),
        Example(
            failure: .application(ApplicationFailure(name: "phoenix", problem: .unsentLines(1, .refusal))),
            status: .unmet, kind: "expectation",
            message: "phoenix: 1 line was not sent: the server refused or ended the subscription"),
        Example(
            failure: .application(ApplicationFailure(name: "mqtt", problem: .unconfirmedLines(2))),
            status: .timedOut, kind: "timeout",
            message: "mqtt: the server did not confirm 2 lines, such as a subscription; check them, or wait longer "
                + "with --linger"),
        Example(
            failure: .application(ApplicationFailure(name: "stomp", problem: .refusedLine("no"))), status: .unmet,
            kind: "expectation", message: "stomp: no"),
        Example(
            failure: .application(ApplicationFailure(name: "phoenix", problem: .errors(1))), status: .unmet,
            kind: "expectation", message: "phoenix: the server reported 1 error"),
        Example(
            failure: .application(
                ApplicationFailure(
                    name: "socket.io",
                    problem: .ended(CloseFrame(code: .goingAway), meaning: "close packet", afterLogin: true))),
            status: .closed, kind: "closed", message: "socket.io: the server closed the connection: 1001 (close packet)"
        ),
        Example(
            failure: .application(ApplicationFailure(name: "mqtt", problem: .unsendable("too long"))), status: .usage,
            kind: "usage", message: "sending: too long"),
        Example(
            failure: .application(ApplicationFailure(name: "mqtt", problem: .undecodable("cbor: no"))),
            status: .violation, kind: "protocol", message: "--decode: a message cannot be decoded: cbor: no"),
        Example(
            failure: .missingAddress(command: "wsx listen"), status: .usage, kind: "usage",
            message: "'wsx listen' needs [ADDRESS:]PORT; try 'wsx listen 8080', or pass a socket with LISTEN_FDS"),
        Example(
            failure: .badInput(what: "the input", why: "bad"), status: .usage, kind: "usage",
            message: "the input: bad"),
        Example(
            failure: .input(.badDescriptor), status: .closed, kind: "system",
            message: "reading standard input: bad file descriptor"),
        Example(
            failure: .output(.brokenPipe), status: .closed, kind: "system",
            message: "writing standard output: broken pipe"),
        Example(
            failure: .system(.badDescriptor), status: .closed, kind: "system",
            message: "starting: bad file descriptor"),
        Example(
            failure: .listening(address: "80", .addressInUse), status: .unreachable, kind: "listen",
            message:
                "listening on 80: address already in use; is another server running? Port 0 picks a free port"),
        Example(
            failure: .listening(address: "unix:/no/such/s", .noSuchFile), status: .unreachable, kind: "listen",
            message: "listening on unix:/no/such/s: no such directory: /no/such; create it first"),
        Example(
            failure: .program("false exited with status 1"), status: .closed, kind: "program",
            message: "false exited with status 1"),
        Example(
            failure: .closed(CloseFrame(code: .internalError, reason: "x\u{1B}")), status: .closed, kind: "closed",
            message: #"the peer closed the connection: 1011 (internal error) "x\u{1B}""#),
        Example(
            failure: .closed(CloseFrame(code: CloseCode(rawValue: 4000))), status: .closed, kind: "closed",
            message: "the peer closed the connection: 4000"),
        Example(
            failure: .closed(CloseFrame(code: CloseCode(rawValue: 4406), reason: "x")), status: .closed, kind: "closed",
            message:
                "the peer closed the connection: 4406 \"x\"; a GraphQL server requires another subprotocol: check --subprotocol or --protocol"
        ),
        Example(
            failure: .lost(.system(.connectionReset)), status: .closed, kind: "lost",
            message: "the connection was lost: connection reset by peer"),
        Example(
            failure: .http2Violation(.violation(reason: "x")), status: .violation, kind: "protocol",
            message: "the peer violated the HTTP/2 protocol (x)"),
        Example(
            failure: .lost(nil), status: .closed, kind: "lost",
            message: "the connection was lost: the peer closed it without a close frame"),
        Example(
            failure: .lost(nil, silence: .milliseconds(9999)), status: .closed, kind: "lost",
            message: "the connection was lost: the peer closed it without a close frame"),
        Example(
            failure: .lost(nil, silence: .milliseconds(61_234)), status: .closed, kind: "lost",
            message:
                "the connection was lost: the peer closed it without a close frame, 61 s after its last data; a proxy may drop idle connections: use --heartbeat with a shorter interval"
        ),
        Example(
            failure: .silent(for: .milliseconds(1500), misses: 3), status: .timedOut, kind: "timeout",
            message:
                "the connection was lost: the peer sent nothing for 1.500 s and missed 3 heartbeats; --heartbeat-misses sets the limit"
        ),
        Example(
            failure: .silent(for: .seconds(1), misses: 1), status: .timedOut, kind: "timeout",
            message:
                "the connection was lost: the peer sent nothing for 1 s and missed 1 heartbeat; --heartbeat-misses sets the limit"
        ),
        Example(
            failure: .gaveUp(after: 2, .lost(.system(.connectionReset))), status: .closed, kind: "lost",
            message: "the connection was lost: connection reset by peer; gave up after 2 more attempts"),
        Example(
            failure: .gaveUp(after: 1, .connecting(url: url, .unreachable([("h:1", .system(.connectionRefused))]))),
            status: .unreachable, kind: "connect",
            message:
                "connecting to ws://h/: h:1: connection refused; is the server running? Gave up after 1 more attempt"),
        Example(
            failure: .violation(.invalidText), status: .violation, kind: "protocol",
            message:
                "the peer violated the WebSocket protocol: a text message is not valid UTF-8 (invalid-text, closed with 1007)"
        ),
        Example(
            failure: .closingTimedOut(after: .seconds(5)), status: .timedOut, kind: "timeout",
            message: "closing: no answer from the peer within 5 s; --close-timeout sets the limit"),
        Example(
            failure: .runTimedOut(after: .milliseconds(250)), status: .timedOut, kind: "timeout",
            message: "timed out after 250 ms (--timeout)"),
        Example(
            failure: .unmet(["a\u{1B}", "b"], after: nil), status: .unmet, kind: "expectation",
            message: #"no message matched --expect 'a\u{1B}', 'b'"#),
        Example(
            failure: .unmet(["a"], after: .seconds(2)), status: .unmet, kind: "expectation",
            message: "no message matched --expect 'a' within 2 s (--timeout)"),
        Example(
            failure: .noReply(to: 3, after: .seconds(30)), status: .timedOut, kind: "timeout",
            message: "request 3: no reply within 30 s; --reply-timeout sets the limit"),
        Example(
            failure: .lateReplies(2, after: .milliseconds(250)), status: .timedOut, kind: "timeout",
            message: "2 requests had no reply within 250 ms; --reply-timeout sets the limit"),
        Example(
            failure: .unanswered(1), status: .closed, kind: "closed",
            message: "the peer closed the connection: 1 request was not answered"),
        Example(
            failure: .unanswered(2), status: .closed, kind: "closed",
            message: "the peer closed the connection: 2 requests were not answered"),
        Example(failure: .interrupted, status: .interrupted, kind: "interrupted", message: nil),
        Example(failure: .terminated, status: .terminated, kind: "interrupted", message: nil),
        Example(failure: .hungUp, status: .hungUp, kind: "interrupted", message: nil),
        Example(failure: .quit, status: .quit, kind: "interrupted", message: nil),
        Example(
            failure: .connecting(url: url, .unresolvable(host: "h", .canceled)), status: .unreachable,
            kind: "connect", message: "connecting to ws://h/: cannot look up h: operation canceled"),
        Example(
            failure: .connecting(url: url, .unresolvable(host: "h", .unknownName)), status: .unreachable,
            kind: "connect", message: "connecting to ws://h/: no such host: h; check the name"),
        Example(
            failure: .connecting(url: url, .unresolvable(host: "h", .nameServiceBusy)), status: .unreachable,
            kind: "connect",
            message:
                "connecting to ws://h/: cannot look up h: the name server does not answer; check the network connection"
        ),
        Example(
            failure: .connecting(url: url, .noAddress(host: "h")), status: .unreachable, kind: "connect",
            message:
                "connecting to ws://h/: h has no address of the requested family; try without -4 or -6"),
        Example(
            failure: .connecting(
                url: url, .unreachable([("[::1]:1", .system(.canceled)), ("127.0.0.1:1", .system(.connectionRefused))])),
            status: .unreachable, kind: "connect",
            message:
                "connecting to ws://h/: [::1]:1: operation canceled, 127.0.0.1:1: connection refused; is the server running?"
        ),
        Example(
            failure: .connecting(
                url: url,
                .unreachable(
                    [("[::1]:1", .noSource(.ipv6)), ("[fe80::1]:1", .missingZone)]
                        + (1...4).map { ("127.0.0.\($0):1", .source("192.0.2.9", .addressNotAvailable)) })),
            status: .unreachable, kind: "connect",
            message:
                "connecting to ws://h/: [::1]:1: there is no IPv6 source address, [fe80::1]:1: the address names no interface, "
                + "127.0.0.1:1: 192.0.2.9 is not an address of this machine, "
                + "127.0.0.2:1: 192.0.2.9 is not an address of this machine, 2 more addresses; "
                + "give an address of this machine with --source-ip"),
        Example(
            failure: .connecting(url: url, .unreachable([("[::1]:1", .noSource(.ipv6))])), status: .unreachable,
            kind: "connect",
            message: "connecting to ws://h/: [::1]:1: there is no IPv6 source address; add one with --source-ip"),
        Example(
            failure: .connecting(url: url, .unreachable([("[fe80::1]:1", .missingZone)])), status: .unreachable,
            kind: "connect",
            message:
                "connecting to ws://h/: [fe80::1]:1: the address names no interface; write one like [fe80::1%eth0]"),
        Example(
            failure: .connecting(url: url, .unreachable([("192.0.2.1:1", .system(.networkUnreachable))])),
            status: .unreachable, kind: "connect",
            message:
                "connecting to ws://h/: 192.0.2.1:1: network is unreachable; check the address and the network connection"
        ),
        Example(
            failure: .connecting(
                url: url,
                .unreachable((1...5).map { ("127.0.0.\($0):1", .system(.connectionRefused)) })),
            status: .unreachable, kind: "connect",
            message: "connecting to ws://h/: 127.0.0.1:1: connection refused, 127.0.0.2:1: connection refused, "
                + "127.0.0.3:1: connection refused, 127.0.0.4:1: connection refused, 1 more address; "
                + "is the server running?"),
        Example(
            failure: .connecting(url: url, .unknownZone("eth9", host: "fe80::1%eth9")), status: .unreachable,
            kind: "connect",
            message:
                "connecting to ws://h/: fe80::1%eth9: this machine has no interface 'eth9'; list the interfaces with 'ip link'"
        ),
        Example(
            failure: .connecting(url: url, .lost(.system(.connectionReset), .upgrading)), status: .unreachable,
            kind: "connect",
            message:
                "connecting to ws://h/: connection reset by peer during the upgrade; check the port, the path, and --subprotocol, and see the server's log"
        ),
        Example(
            failure: .connecting(url: url, .timedOut(.upgrading, after: .seconds(10), peer: nil)), status: .timedOut,
            kind: "timeout",
            message:
                "connecting to ws://h/: timed out after 10 s: the port is open, but does not answer the HTTP request; wrong port? Otherwise, raise --connect-timeout"
        ),
        Example(
            failure: .connecting(url: url, .timedOut(.upgrading, after: .seconds(10), peer: "h:80", redirectCount: 9)),
            status: .timedOut, kind: "timeout",
            message:
                "connecting to ws://h/: timed out after 10 s and 9 redirects, perhaps in a loop; check the server, or raise --connect-timeout"
        ),
        Example(
            failure: .connecting(url: url, .handshake(refused)), status: .refused, kind: "handshake",
            message:
                "connecting to ws://h/: the server answered 403 Forbidden; check the path, --origin, and the credentials"
        ),
        Example(
            failure: .connecting(url: url, .handshake(.closedBeforeResponse)), status: .unreachable,
            kind: "handshake",
            message:
                "connecting to ws://h/: the server closed the connection without a response; wrong port, a wss:// server, or a missing --subprotocol?"
        ),
        Example(
            failure: .connecting(url: url, .handshake(.incompleteResponse)), status: .unreachable,
            kind: "handshake",
            message:
                "connecting to ws://h/: the server closed the connection in the middle of its response; try again"),
        Example(
            failure: .connecting(url: url, .compression(.doesNotMatch(ExtensionOffer(name: "permessage-deflate")))),
            status: .violation, kind: "handshake",
            message:
                "connecting to ws://h/: the server accepted compression with parameters that were not offered: \"permessage-deflate\"; check the server, or try --compress=off"
        ),
        Example(
            failure: .connecting(url: url, .handshake(.missingAccept)), status: .violation, kind: "handshake",
            message:
                "connecting to ws://h/: the server's response has no Sec-WebSocket-Accept header; is this a WebSocket server? Check the path"
        ),
    ]

    @Test("Each failure has its exit status, kind, and message", arguments: examples)
    func table(example: Example) {
        #expect(example.failure.status == example.status)
        #expect(example.failure.kind.rawValue == example.kind)
        #expect(example.failure.message == example.message)
        #expect(example.failure.message?.contains("\n") != true)
    }

    @Test(
        "Whether the goal stays open, and whether the refusal of a line is more important, depends on the kind of end")
    func goalAndRefusal() {
        let second = Duration.seconds(1)
        let ends: [Failure] = [
            .closed(CloseFrame(code: .internalError)), .lost(nil), .closingTimedOut(after: second),
            .runTimedOut(after: second), .unanswered(1), .unsent(1, .normalClosure), .lateReplies(1, after: second),
            .noReply(to: 1, after: second),
            .application(ApplicationFailure(name: "mqtt", problem: .unusable("silent"))),
        ]
        for end in ends { #expect(end.report.leavesGoalOpen && end.report.yieldsToRefusal, "\(end)") }
        let causes: [Failure] = [
            .silent(for: second, misses: 3), .gaveUp(after: 1, .lost(nil)), .undeliverable("x", .lost(nil)),
            .violation(.reservedBits(1)), .limitExceeded(.messageTooBig(limit: 1)), .errorReplies(1),
            .notReady("x", after: second),
            .application(ApplicationFailure(name: "mqtt", problem: .error("no"))),
        ]
        for cause in causes { #expect(cause.report.leavesGoalOpen && !cause.report.yieldsToRefusal, "\(cause)") }
        let last: [Failure] = [.reported(.lost(nil)), .program("x"), .unmet(["x"], after: nil), .interrupted]
        for failure in last { #expect(!failure.report.leavesGoalOpen && !failure.report.yieldsToRefusal, "\(failure)") }
    }

    @Test("A refusal contains the server's response, and other failures contain none")
    func refusal() throws {
        let refusal = try #require(Failure.connecting(url: Self.url, .handshake(Self.refused)).refusal)
        #expect(refusal.head.status == 403)
        #expect(refusal.body == Array("why".utf8))
        #expect(refusal.bodyIsTruncated)
        let last = Failure.gaveUp(after: 1, .connecting(url: Self.url, .handshake(Self.refused)))
        #expect(last.refusal?.head.status == 403)
        #expect(Failure.lost(nil).refusal == nil)
        #expect(Failure.connecting(url: Self.url, .handshake(.missingAccept)).refusal == nil)
    }

    @Test(
        "Lost lines are counted with commas",
        arguments: [
            (1, "1 log line was"), (999, "999 log lines were"), (1_000, "1,000 log lines were"),
            (12_034_005, "12,034,005 log lines were"),
        ])
    func lostLines(count: Int, words: String) {
        #expect(Phrase.lostLines(count) == words + " lost: nothing was reading standard error")
    }

    @Test("The exit statuses match the manual")
    func statuses() {
        let statuses: [UserInterface.ExitStatus] = [
            .success, .closed, .usage, .unreachable, .refused, .violation, .timedOut, .interrupted, .terminated,
            .hungUp,
            .quit,
        ]
        #expect(statuses.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 130, 143, 129, 131])
    }
}
