import Formats
import Testing

@testable import WSCore
@testable import wsx

/// Whole runs with peers in memory: no sockets, and nothing waits longer than it has to.
@Suite struct ConnectRunTests {
    private func echo(_ change: (inout ConnectArguments) -> Void = { _ in }) -> ConnectFixture {
        let fixture = ConnectFixture(change)
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send(text) }
        }
        return fixture
    }

    // MARK: Messages

    @Test("lines of the input are sent in order, and messages are written in order")
    func lines() throws {
        let fixture = echo { $0.ending.count = 3 }
        fixture.input = "a\nb\nc\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "a\nb\nc\n")
        #expect(outcome.peers.map(\.received) == [[.text("a"), .text("b"), .text("c"), .close(1000)]])
        #expect(outcome.notices.isEmpty)
    }

    @Test("messages of the command line are sent first, and standard input is not read")
    func commandLine() throws {
        let fixture = echo {
            $0.messages = ["x", "y"]
            $0.ending.count = 2
        }
        fixture.input = nil
        let outcome = try fixture.run()
        #expect(outcome.output == "x\ny\n")
    }

    @Test("a half-closed input is followed by the replies to it")
    func halfClosed() throws {
        let fixture = ConnectFixture { $0.ending.linger = .forever }
        fixture.input = "question"
        fixture.didReceive = { peer, event in
            guard case .text = event else { return }
            for answer in ["one", "two"] { peer.send(answer) }
            peer.close(1000)
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "one\ntwo\n")
    }

    @Test("events of the input are sent as pings, pongs, and a close frame")
    func events() throws {
        let fixture = ConnectFixture {
            $0.format.input = .json
            $0.format.output = .json
        }
        fixture.input = """
            {"type":"ping","data":"p"}
            {"type":"pong","data":"q"}
            {"type":"message","data":"m"}
            {"type":"close","code":4001,"reason":"bye"}

            """
        let outcome = try fixture.run()
        #expect(outcome.peers[0].received == [.ping, .pong, .text("m"), .close(4001)])
        #expect(outcome.output.contains(#""type":"pong""#) && outcome.output.contains(#""code":4001"#))
    }

    @Test("input that cannot be sent ends the run, after what came before it")
    func badInput() throws {
        let fixture = echo { $0.format.input = .json }
        fixture.input = "{\"type\":\"message\",\"data\":\"m\"}\nnot JSON\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input line 2") ?? false)
        #expect(outcome.peers[0].texts == ["m"])
    }

    // MARK: Ends

    @Test("--until ends the run with the message that matches")
    func until() throws {
        let fixture = echo { $0.ending.until = ["^b"] }
        fixture.input = "a\nb\nc\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "a\nb\n")
    }

    @Test("a peer that closes before --count messages fails the run")
    func closedEarly() throws {
        let fixture = ConnectFixture { $0.ending.count = 2 }
        fixture.didReceive = { peer, event in
            guard event == .text("go") else { return }
            peer.send("1")
            peer.close(1000)
        }
        fixture.input = "go\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .unmet)
        #expect(outcome.failure?.message == "closed with 1000 after 1 of 2 messages")
    }

    @Test("an expectation that is met and one that is not", arguments: [("b", wsx.ExitStatus.success), ("z", .unmet)])
    func expectations(pattern: String, status: wsx.ExitStatus) throws {
        let fixture = ConnectFixture {
            $0.ending.expectations = [pattern]
            $0.ending.linger = .forever
        }
        fixture.input = "a\nb\n"
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            peer.send(text)
            if text == "b" { peer.close(1000) }
        }
        #expect(try fixture.run().status == status)
    }

    @Test("the wait after the input ends, and the goal is not met")
    func linger() throws {
        let fixture = ConnectFixture {
            $0.ending.count = 1
            $0.ending.linger = .idle(.milliseconds(1))
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.failure?.message == "0 of 1 message; nothing arrived for 1 ms (--linger)")
    }

    @Test("the time limit ends a run whose input stays open")
    func timeLimit() throws {
        let fixture = ConnectFixture { $0.ending.timeout = .milliseconds(1) }
        fixture.input = nil
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.peers[0].received == [.close(1000)])
    }

    @Test("a close code that is not normal is the run's failure")
    func closed() throws {
        let fixture = ConnectFixture { $0.ending.linger = .forever }
        fixture.input = "x\n"
        fixture.didReceive = { peer, event in if case .text = event { peer.close(4000, "no") } }
        let outcome = try fixture.run()
        #expect(outcome.status == .closed)
        #expect(outcome.failure?.message?.contains("4000") ?? false)
    }

    @Test("a server that cannot be reached fails the run before anything is sent")
    func refused() throws {
        let fixture = ConnectFixture()
        fixture.makePeer = { _, _ in nil }
        let outcome = try fixture.run()
        #expect(outcome.status == .unreachable)
        #expect(outcome.peers.isEmpty)
    }

    // MARK: Requests

    @Test("with --request each message waits for the reply to the one before")
    func sequentialRequests() throws {
        let fixture = ConnectFixture { $0.replies.sendsRequests = true }
        fixture.input = "a\nb\nc\n"
        var waiting = 0
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            waiting += 1
            #expect(waiting == 1)
            waiting = 0
            peer.send(text.uppercased())
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "A\nB\nC\n")
    }

    @Test("replies are matched by a field, whatever their order, and the run waits for all")
    func correlatedRequests() throws {
        let fixture = ConnectFixture {
            $0.replies.correlation = "id"
            $0.format.output = .json
        }
        fixture.input = "{\"id\":1}\n{\"id\":2}\n"
        fixture.didReceive = { peer, event in
            if event == .text("{\"id\":2}") {
                peer.send("{\"id\":2,\"r\":true}")
                peer.send("{\"push\":0}")
                peer.send("{\"id\":1,\"r\":true}")
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        let replies = outcome.output.split(separator: "\n").filter { $0.contains("\"request\"") }
        #expect(replies.count == 2)
    }

    @Test("JSON-RPC calls are made of lines; error replies are reported, and fail the run with --fail")
    func calls() throws {
        for fails in [true, false] {
            let fixture = ConnectFixture {
                $0.replies.calls = .standard
                $0.replies.failsOnErrorReply = fails
            }
            fixture.input = "sum 1 2\n"
            fixture.didReceive = { peer, event in
                guard case .text = event else { return }
                peer.send(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#)
            }
            let outcome = try fixture.run()
            #expect(outcome.status == (fails ? .unmet : .success))
            #expect(outcome.notices.contains("request 1: error -32601: Method not found"))
            #expect(outcome.peers[0].texts == [#"{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}"#])
        }
    }

    @Test("a request without a reply in time fails the run when later replies cannot be matched")
    func noReply() throws {
        let fixture = ConnectFixture {
            $0.replies.sendsRequests = true
            $0.replies.replyTimeout = .milliseconds(1)
        }
        fixture.input = "a\nb\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.peers[0].texts == ["a"])
    }

    @Test("with a field, requests without a reply are given up one by one")
    func expiredRequests() throws {
        let fixture = ConnectFixture {
            $0.replies.correlation = "id"
            $0.replies.replyTimeout = .milliseconds(1)
        }
        fixture.input = "{\"id\":1}\n{\"id\":2}\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.notices.contains("request 1 (id 1): no reply within 1 ms"))
        #expect(outcome.notices.contains("request 2 (id 2): no reply within 1 ms"))
    }

    @Test("requests that the peer leaves unanswered when it closes fail the run")
    func unanswered() throws {
        let fixture = ConnectFixture { $0.replies.correlation = "id" }
        fixture.input = "{\"id\":1}\n"
        fixture.didReceive = { peer, event in if case .text = event { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.failure?.message == "the peer closed the connection: 1 request was not answered")
    }

    // MARK: Further connections

    @Test("what a lost connection has not confirmed is sent again on the next one")
    func reconnect() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.ending.linger = .idle(.zero)
        }
        fixture.input = "a\nb\n"
        fixture.didReceive = { peer, event in
            // The first connection is lost with its messages; nothing was confirmed.
            if event == .text("b"), !peer.answersPings { peer.vanish() }
        }
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop, answersPings: number > 0)
            peer.answersPings = number > 0
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["a", "b"], ["a", "b"]])
        #expect(outcome.notices.contains("reconnecting in"))
        #expect(outcome.notices.contains("connected to ws://h/"))
    }

    @Test("a server that cannot be reached is tried again as often as asked for")
    func tries() throws {
        let fixture = ConnectFixture { $0.staying.reconnection = .times(1) }
        fixture.makePeer = { _, _ in nil }
        let outcome = try fixture.run()
        #expect(outcome.status == .unreachable)
        #expect(outcome.notices.contains("(attempt 1)"))
        #expect(outcome.failure?.message?.contains("Gave up after 1 more attempt") ?? false)
    }

    @Test("requests without a reply are sent again on the next connection, after the messages of the command line")
    func requestsAgain() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.replies.sendsRequests = true
            $0.messages = ["login"]
        }
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop)
            peer.answersPings = number > 0
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if peer.answersPings { peer.send("re: " + text) } else { peer.vanish() }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "re: login\n")
        #expect(outcome.peers.map(\.texts) == [["login"], ["login"]])
    }

    @Test("messages that no peer has confirmed at the end are reported")
    func unacknowledged() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.ending.linger = .idle(.zero)
        }
        fixture.input = "a\nb\n"
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: false) }
        fixture.didReceive = { peer, event in if event == .text("b") { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.notices.contains("the last 2 messages of the input may not have arrived"))
    }

    // MARK: Keepalive and display

    @Test("a heartbeat sends its message, and a silent peer is lost")
    func heartbeat() throws {
        let fixture = ConnectFixture {
            $0.staying.heartbeats.heartbeat = .milliseconds(1)
            $0.staying.heartbeats.heartbeatMisses = 1
            $0.ending.linger = .forever
        }
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: false) }
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.peers[0].received.contains(.ping))
    }

    @Test("-vv shows the handshake without secrets, every frame, and a summary")
    func verbose() throws {
        let fixture = echo {
            $0.transcript.verbosity = 2
            $0.ending.count = 1
            $0.transcript.timestamps = .off
        }
        fixture.input = "hello\n"
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            peer.sendPing("p")
            peer.send(text)
        }
        let notices = try fixture.run().notices
        for part in [
            "Reached memory", "Authorization: •••", "HTTP/1.1 101", "frame", "ping", "close", "1 sent, 1 received",
        ] {
            #expect(notices.contains(part), "\(part)")
        }
    }

    @Test("a recording holds both directions")
    func recording() throws {
        try withFile([]) { path in
            let fixture = echo {
                $0.transcript.recordPath = path
                $0.ending.count = 1
            }
            fixture.input = "hello\n"
            _ = try fixture.run()
            let bytes = try File.readRegular(path, maximumBytes: 1 << 20)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            #expect(lines.contains { $0.contains(#""direction":"out""#) && $0.contains("hello") })
            #expect(lines.contains { $0.contains(#""direction":"in""#) && $0.contains("hello") })
            #expect(lines.contains { $0.contains(#""type":"close""#) })
        }
    }

    @Test("a message that is no call is refused before the recording empties its file")
    func recordingIsKept() throws {
        try withFile(Array("old".utf8)) { path in
            let fixture = ConnectFixture {
                $0.replies.calls = .standard
                $0.messages = ["sum [1"]
                $0.transcript.recordPath = path
            }
            #expect(throws: Failure.self) { _ = try fixture.run() }
            let contents = try File.readRegular(path, maximumBytes: 10)
            #expect(contents == Array("old".utf8))
        }
    }
}
