import Glibc
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Whole runs with a prompt, a user, and peers in memory.
@Suite struct ConnectPromptRunTests {
    private func echo(_ change: (inout ConnectArguments) -> Void = { _ in }) -> ConnectFixture {
        let fixture = ConnectFixture(change)
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send(text) }
        }
        return fixture
    }

    @Test("a typed line is sent, the reply is written, and Ctrl-D closes the connection")
    func conversation() throws {
        let fixture = echo()
        let outcome = try fixture.run(atPrompt: [.type("hello"), .read("hello"), .leave])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.received) == [[.text("hello"), .close(1000)]])
        #expect(outcome.output == "hello\n")
        #expect(fixture.editor.shown.contains("Connected to ws://h/ in 1 ms. /help lists commands.\n"))
        #expect(fixture.editor.isClosed)
    }

    @Test("/close leaves the prompt open, and /reconnect opens another connection")
    func reconnecting() throws {
        let fixture = echo()
        let outcome = try fixture.run(atPrompt: [
            .type("/close 4000 bye"), .read("Disconnected after "), .type("lost"), .read("not connected"),
            .type("/reconnect"), .read("Connected to"), .type("again"), .read("again"), .type("/quit"),
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.received) == [[.close(4000)], [.text("again"), .close(1000)]])
    }

    @Test("/reconnect closes an open connection first")
    func reconnectingAnOpenConnection() throws {
        let fixture = echo()
        let outcome = try fixture.run(atPrompt: [
            .type("/reconnect"), .read("Disconnected"), .read("Connected"), .type("/quit"),
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.received) == [[.close(1000)], [.close(1000)]])
    }

    @Test("An unreachable server is reported at the prompt, and typed lines are rejected")
    func unreachable() throws {
        let fixture = echo()
        fixture.makePeer = { number, loop in number == 0 ? FakePeer(on: loop) : nil }
        let outcome = try fixture.run(atPrompt: [
            .type("/close"), .read("Disconnected"), .type("/reconnect"), .read("connection refused"), .type("lost"),
            .read("not connected"), .leave,
        ])
        #expect(outcome.failure?.status != .timedOut)
        #expect(outcome.peers.map(\.received) == [[.close(1000)]])
    }

    @Test("/connect leads to another server")
    func anotherServer() throws {
        let fixture = echo()
        let outcome = try fixture.run(atPrompt: [
            .type("/connect ws://other/"), .read("Connected to ws://other/"), .type("/info"),
            .read("URL          ws://other/"), .type("/quit"),
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.count == 2)
    }

    @Test("/connect from a closed connection leads to another server, too")
    func anotherServerAfterTheEnd() throws {
        let fixture = echo()
        let outcome = try fixture.run(atPrompt: [
            .type("/close"), .read("Disconnected"), .type("/info"), .read("disconnected"),
            .type("/connect ws://other/"), .read("Connected to ws://other/"), .type("/quit"),
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.count == 2)
    }

    @Test("/connect takes no messages for the first server to the next")
    func anotherServerWithRequests() throws {
        let fixture = ConnectFixture {
            $0.replies.sendsRequests = true
            $0.staying.reconnection = .always
        }
        fixture.input = nil
        let outcome = try fixture.run(atPrompt: [
            .type("one"), .type("two"), .read("… two"), .type("/connect ws://other/"),
            .read("Connected to ws://other/"), .type("three"), .read("→ three"), .leave,
        ])
        #expect(outcome.peers.map(\.texts) == [["one"], ["three"]])
    }

    @Test("A JSON-RPC call that --encode cannot encode does not wait for a reply")
    func unencodableCall() throws {
        let fixture = ConnectFixture {
            $0.replies.calls = .automatic
            $0.codecs.encoders = [.cbor]
        }
        let outcome = try fixture.run(atPrompt: [
            .read("Connected"), .type(#"sum "\ud800""#), .read("the line was not sent: cbor: "), .leave,
        ])
        #expect(outcome.peers.map(\.received) == [[.close(1000)]])
        #expect(!fixture.editor.shown.contains("not answered"))
    }

    @Test("/ping shows the round trip, which /info repeats")
    func roundTrip() throws {
        let fixture = echo()
        _ = try fixture.run(atPrompt: [
            .type("/info"), .read("not measured yet; /ping measures it"), .type("/ping p"), .read("pong"),
            .type("/info"),
            .read("round trip"), .read("s\n"), .type("/headers"), .read("GET / HTTP/1.1"), .type("/quit"),
        ])
        #expect(fixture.editor.shown.contains("sent         0 messages, 0 B, "))
    }

    @Test("a peer that closes with an error leaves the user at the prompt, and leaving succeeds")
    func peerCloses() throws {
        let fixture = ConnectFixture()
        fixture.didReceive = { peer, event in if case .text = event { peer.close(4001, "no") } }
        let outcome = try fixture.run(atPrompt: [.type("x"), .read("Disconnected"), .read("4001"), .leave])
        #expect(outcome.failure?.status != .timedOut)
        #expect(outcome.peers.count == 1)
        #expect(fixture.editor.isClosed)
    }

    @Test("with --reconnect, messages without an acknowledgement are sent again on the next connection")
    func unacknowledged() throws {
        let fixture = ConnectFixture { $0.staying.reconnection = .always }
        var isFirst = true
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if isFirst { peer.vanish() } else { peer.send(text) }
            isFirst = false
        }
        let outcome = try fixture.run(atPrompt: [
            .type("precious"), .read("Resending 1 message that may not have arrived."), .type("/quit"),
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["precious"], ["precious"]])
    }

    @Test("/connect reports the messages of --reconnect that it drops, and the counts agree")
    func droppedByConnect() throws {
        let fixture = waiting()
        var (isUp, facts, info) = (true, StatusLine.Facts?.none, [String]())
        var currentFacts: () -> StatusLine.Facts? = { nil }
        var currentInfo: () -> [String] = { [] }
        fixture.makePeer = { _, loop in isUp ? FakePeer(on: loop) : nil }
        fixture.didReceive = { peer, event in
            guard event == .text("x") else { return }
            isUp = false
            peer.vanish()
        }
        fixture.didStart = { run in
            currentFacts = { [unowned run] in run.statusFacts }
            currentInfo = { [unowned run] in run.facts.map { "\($0.name): \($0.value)" } }
        }
        let outcome = try fixture.run(atPrompt: [
            .type("x"), .read("reconnecting in"), .type("one"), .read("(attempt 2)"), .type("two"),
            .read("(attempt 3)"),
            .act {
                (facts, info) = (currentFacts(), currentInfo())
                isUp = true
                fixture.editor.type("/connect ws://other/")
            },
            .read(": 1 sent, 0 received"),
            .read("wsx: 1 message may not have reached the peer\n"),
            .read("wsx: 2 messages were not sent: /connect does not take messages to another URL\n"),
            .read("Connected to ws://other/"), .leave,
        ])
        #expect(facts?.sentMessages == 1 && facts?.waitingMessages == 2)
        #expect(info.contains { $0.hasPrefix("state: disconnected, reconnecting in ") && $0.hasSuffix(" s") })
        #expect(info.last == "waiting: 2 messages")
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["x"], []])
        #expect(fixture.editor.shown.ranges(of: "were not sent").count == 1)
    }

    /// A run that waits an hour before each attempt to connect, unless the user ends the wait.
    private func waiting() -> ConnectFixture {
        ConnectFixture {
            $0.staying.reconnection = .always
            $0.staying.reconnectDelay = .seconds(3600) ... .seconds(3600)
        }
    }

    @Test("A typed line starts the next attempt, and further lines wait for the connection")
    func typedLineEndsWait() throws {
        let fixture = waiting()
        var isUp = false
        fixture.makePeer = { _, loop in isUp ? FakePeer(on: loop) : nil }
        let outcome = try fixture.run(atPrompt: [
            .read("Reconnecting in 3600.0 s (attempt 1)"), .type("one"), .read("… one\n"), .read("(attempt 2)"),
            // In one turn, so that no line is typed after the connection has opened.
            .act {
                isUp = true
                for line in ["two", "three"] { fixture.editor.type(line) }
            },
            .read("Sending 3 messages that waited for the connection."), .leave,
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["one", "two", "three"]])
    }

    @Test("A refused first connection with --reconnect opens the prompt and keeps what is typed")
    func refusedFirst() throws {
        let fixture = waiting()
        var isUp = false
        fixture.makePeer = { _, loop in isUp ? FakePeer(on: loop) : nil }
        let outcome = try fixture.run(atPrompt: [
            .read("connection refused"), .type("early"), .read("… early\n"), .read("(attempt 2)"),
            .act { isUp = true }, .type("/reconnect"), .read("Connected to"),
            .read("Sending 1 message that waited for the connection."), .type("late"),
            .read("→ late"), .leave,
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["early", "late"]])
        #expect(!fixture.editor.shown.contains("may not have"))
    }

    @Test("A user who leaves before the first connection gets the status of the last attempt")
    func leavingUnconnected() throws {
        let fixture = waiting()
        fixture.makePeer = { _, _ in nil }
        let outcome = try fixture.run(atPrompt: [
            .read("(attempt 1)"), .type("x"), .read("… x\n"), .read("(attempt 2)"), .leave,
        ])
        #expect(outcome.status == .unreachable)
        let shown = fixture.editor.shown + outcome.notices
        #expect(shown.contains("wsx: 1 message was not sent\n"))
        #expect(!shown.contains("may not have"))
    }

    @Test("A recording that cannot be written is reported at the prompt, and the session continues")
    func failedRecording() throws {
        try withPipe { path, reader in
            let fixture = echo { $0.transcript.recordPath = path }
            let outcome = try fixture.run(atPrompt: [
                .type("a"), .read("a"), .act { _ = close(reader) }, .type("b"), .read("recording to "), .type("c"),
                .read("c"), .leave,
            ])
            #expect(outcome.failure == nil)
            #expect(outcome.peers[0].texts == ["a", "b", "c"])
        }
    }

    @Test("/close stops waiting for the next connection")
    func stopsWaiting() throws {
        let fixture = ConnectFixture { $0.staying.reconnection = .always }
        fixture.makePeer = { number, loop in number == 0 ? FakePeer(on: loop) : nil }
        fixture.didReceive = { peer, event in if case .text = event { peer.vanish() } }
        let outcome = try fixture.run(atPrompt: [
            .type("x"), .read("reconnecting in"), .type("/close"), .read("Disconnected"), .type("/quit"),
        ])
        #expect(outcome.failure?.status != .timedOut)
        #expect(outcome.peers.count == 1)
    }

    @Test("requests wait for the reply to the one before, and one that is no call is refused")
    func requests() throws {
        let fixture = echo { $0.replies.sendsRequests = true }
        let outcome = try fixture.run(atPrompt: [
            .type("one"), .type("two"), .read("… two"), .leave,
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers.first?.texts == ["one", "two"])
        let calls = ConnectFixture { $0.replies.calls = .standard }
        let refused = try calls.run(atPrompt: [.type("m ["), .read("the line was not sent"), .type("/quit")])
        #expect(refused.failure == nil)
        #expect(refused.peers.first?.texts == [])
    }

    @Test("A queued request is numbered once, when it is sent")
    func queuedRequest() throws {
        let fixture = ConnectFixture { $0.replies.sendsRequests = true }
        var first: FakePeer?
        fixture.didReceive = { peer, event in
            if event == .text("one") { first = peer } else if case .text(let text) = event { peer.send(text) }
        }
        let outcome = try fixture.run(atPrompt: [
            .type("one"), .type("two"), .read("     … two\n"), .act { first?.send("1") }, .read("  #3 → two\n"),
            .type("/tail"), .leave,
        ])
        #expect(outcome.failure == nil)
        let lines = fixture.editor.shown.split(separator: "\n")
        #expect(lines.filter { $0 == "  #3 → two" }.count == 2)
        #expect(!lines.contains("  #4 → two"))
    }

    @Test("/repeat with requests does not bypass a pause")
    func repeatedRequests() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(terminal) }
        let fixture = ConnectFixture { $0.replies.sendsRequests = true }
        fixture.outputDescriptor = terminal
        var count = 0
        fixture.didReceive = { [unowned fixture] peer, event in
            guard case .text(let text) = event else { return }
            count += 1
            // The reply to the last request ends the pause.
            if count == 6 { fixture.editor.type("/pause") }
            peer.send(text)
        }
        let outcome = try fixture.run(atPrompt: [
            .type("/pause"), .type("x"), .type("/repeat 5"), .read("Showing messages again."), .type("/quit"),
        ])
        #expect(outcome.peers.first?.texts.count == 6)
        let lines = fixture.editor.shown.split(separator: "\n")
        let pause = lines.firstIndex { $0.hasPrefix("Showing messages again.") } ?? 0
        #expect(lines[..<pause].filter { $0.hasSuffix("x") } == ["  #1 → x"])
    }

    @Test("At the prompt, unconfirmed messages are not called input")
    func unconfirmedAtPrompt() throws {
        let fixture = ConnectFixture { $0.staying.reconnection = .always }
        fixture.makePeer = { number, loop in number == 0 ? FakePeer(on: loop) : nil }
        fixture.didReceive = { peer, event in if case .text = event { peer.vanish() } }
        let outcome = try fixture.run(atPrompt: [.type("x"), .read("reconnecting in"), .leave])
        let shown = fixture.editor.shown + outcome.notices
        #expect(shown.contains("wsx: the last message may not have reached the peer\n"))
    }

    @Test("an editor that cannot be opened ends the run with its error")
    func noEditor() throws {
        let fixture = ConnectFixture()
        fixture.arguments.transcript.timestamps = .off
        fixture.change = { $0.source = .prompt }
        fixture.editorProblem = .badDescriptor
        fixture.skipsWaits = true
        let outcome = try fixture.run()
        guard case .input(.badDescriptor) = outcome.failure else {
            Issue.record("\(outcome.failure as Any)")
            return
        }
    }

    @Test("an output without a reader ends the run, and a failing output fails it")
    func outputs() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let left = echo { $0.ending.linger = .forever }
        left.input = "a\n"
        left.outputDescriptor = ends[1]
        #expect(try left.run().failure == nil)

        let readOnly = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(readOnly) }
        let failing = echo { $0.ending.linger = .forever }
        failing.input = "a\n"
        failing.outputDescriptor = readOnly
        let failure = try failing.run().failure
        guard case .output(.badDescriptor) = failure else {
            Issue.record("\(failure as Any)")
            return
        }
    }
}
