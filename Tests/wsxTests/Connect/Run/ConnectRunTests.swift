import Conversation
import Formats
import Glibc
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Complete runs with peers in memory, without sockets or unnecessary waits.
@Suite struct ConnectRunTests {
    private func echo(_ change: (inout ConnectArguments) -> Void = { _ in }) -> ConnectFixture {
        let fixture = ConnectFixture(change)
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send(text) }
        }
        return fixture
    }

    // MARK: Messages

    @Test("Input lines are sent in order, and received messages are written in order")
    func lines() throws {
        let fixture = echo { $0.ending.count = 3 }
        fixture.input = "a\nb\nc\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "a\nb\nc\n")
        #expect(outcome.peers.map(\.received) == [[.text("a"), .text("b"), .text("c"), .close(1000)]])
        #expect(outcome.notices.isEmpty)
    }

    @Test("Messages from the command line are sent first, and standard input is not read")
    func commandLine() throws {
        let fixture = echo {
            $0.messages.texts = ["x", "y"]
            $0.ending.count = 2
        }
        fixture.input = nil
        let outcome = try fixture.run()
        #expect(outcome.output == "x\ny\n")
    }

    @Test("After the end of the input, the run waits for replies")
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

    @Test("Input events are sent as pings, pongs, and a close frame")
    func events() throws {
        let fixture = ConnectFixture {
            $0.format.input = .json
            $0.format.output = .json
            $0.ending.linger = .idle(.seconds(1))
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

    @Test("Invalid input ends the run, after the input before it has been sent")
    func badInput() throws {
        let fixture = echo { $0.format.input = .json }
        fixture.input = "{\"type\":\"message\",\"data\":\"m\"}\nnot JSON\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input line 2") ?? false)
        #expect(outcome.peers[0].texts == ["m"])
    }

    @Test("A slow reader of the output pauses the peer, and no message is lost")
    func slowOutput() throws {
        let pipe = try ReadablePipe()
        let fixture = ConnectFixture { $0.ending.linger = .forever }
        fixture.outputDescriptor = pipe.writing
        fixture.input = "go\n"
        let message = String(repeating: "x", count: 64 << 10)
        var byteCount = 0
        var timer: Timer?
        fixture.didReceive = { peer, event in
            guard event == .text("go") else { return }
            for _ in 0..<64 { peer.send(message) }
            peer.close(1000)
            timer = Timer(on: peer.loop) { if peer.wasPaused { byteCount += pipe.take().utf8.count } }
            timer?.start(after: .milliseconds(1), every: .milliseconds(1))
        }
        let outcome = try fixture.run()
        timer?.stop()
        byteCount += pipe.take().utf8.count
        #expect(outcome.failure == nil)
        #expect(byteCount == 64 * (message.utf8.count + 1))
    }

    // MARK: Ends

    @Test("--until ends the run with the matching message")
    func until() throws {
        let fixture = echo { $0.ending.until = ["^b"] }
        fixture.input = "a\nb\nc\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "a\nb\n")
    }

    @Test("A run fails if the peer closes before --count messages")
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

    @Test("One expectation is met and one is not", arguments: [("b", UserInterface.ExitStatus.success), ("z", .unmet)])
    func expectations(pattern: String, status: UserInterface.ExitStatus) throws {
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

    @Test("The run fails if the wait after the input ends before the goal is met")
    func linger() throws {
        let fixture = ConnectFixture {
            $0.ending.count = 1
            $0.ending.linger = .idle(.milliseconds(1))
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.failure?.message == "0 of 1 message; nothing arrived for 1 ms (--linger)")
    }

    @Test("The time limit ends a run with open input")
    func timeLimit() throws {
        let fixture = ConnectFixture { $0.ending.timeout = .milliseconds(1) }
        fixture.input = nil
        // Otherwise the limit might pass first.
        fixture.opensAtOnce = true
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.peers[0].received == [.close(1000)])
    }

    @Test("A run fails if the peer closes with an abnormal code")
    func closed() throws {
        let fixture = ConnectFixture { $0.ending.linger = .forever }
        fixture.input = "x\n"
        fixture.didReceive = { peer, event in if case .text = event { peer.close(4000, "no") } }
        let outcome = try fixture.run()
        #expect(outcome.status == .closed)
        #expect(outcome.failure?.message?.contains("4000") ?? false)
    }

    @Test("A run fails before sending anything if the server is unreachable")
    func refused() throws {
        let fixture = ConnectFixture()
        fixture.makePeer = { _, _ in nil }
        let outcome = try fixture.run()
        #expect(outcome.status == .unreachable)
        #expect(outcome.peers.isEmpty)
    }

    // MARK: Requests

    @Test("With --request, each message waits for the reply to the previous one")
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

    @Test("Replies are matched by a field in any order, and the run waits for all of them")
    func correlatedRequests() throws {
        let fixture = ConnectFixture {
            $0.replies.correlation = Correlation("id")
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

    @Test("Lines become JSON-RPC calls; error replies are reported, and fail the run with --fail")
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

    @Test("A line that is not a call ends the run, after the calls before it have been sent")
    func badCall() throws {
        let fixture = ConnectFixture { $0.replies.calls = .standard }
        fixture.input = "sum 1\nsum [1\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input message 2") ?? false)
        #expect(outcome.peers[0].texts.count == 1)
    }

    @Test("A line without the field of --correlate ends the run with its number, and is not sent")
    func otherMessages() throws {
        let fixture = echo { $0.replies.correlation = Correlation("id") }
        fixture.input = "{\"id\":1}\n{\"ID\":2}\n{\"id\":3}\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(
            outcome.failure?.message == "input message 2: it has no 'id' to match its reply; rename 'ID'")
        #expect(outcome.peers[0].texts == ["{\"id\":1}"])
    }

    @Test("A message of the command line without the field of --correlate is an error before the connection")
    func operandWithoutField() throws {
        let fixture = echo {
            $0.replies.correlation = Correlation("id")
            $0.messages.texts = [#"{"id":1}"#, "{}"]
        }
        let failure = #expect(throws: Failure.self) { try fixture.run() }
        #expect(failure?.message?.hasPrefix("message 2: it has no 'id' to match its reply") == true)
    }

    @Test("A request that times out is an error event")
    func timeoutEvent() throws {
        let fixture = ConnectFixture {
            $0.replies.correlation = Correlation("id")
            $0.replies.replyTimeout = .milliseconds(1)
            $0.format.output = .json
        }
        fixture.input = "{\"id\":1}\n"
        let output = try fixture.run().output
        let event = output.split(separator: "\n").first { $0.contains("\"kind\":\"timeout\"") }
        #expect(event?.contains("\"type\":\"error\"") ?? false)
        #expect(event?.contains("\"request\":1") ?? false)
    }

    @Test("A request timeout fails the run if later replies can no longer be matched")
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

    @Test("With a field, requests time out one by one")
    func expiredRequests() throws {
        let fixture = ConnectFixture {
            $0.replies.correlation = Correlation("id")
            $0.replies.replyTimeout = .milliseconds(1)
        }
        fixture.input = "{\"id\":1}\n{\"id\":2}\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.notices.contains("request 1 (id 1): no reply within 1 ms"))
        #expect(outcome.notices.contains("request 2 (id 2): no reply within 1 ms"))
    }

    @Test("A late reply is written, and its delay is reported")
    func lateReply() throws {
        let fixture = ConnectFixture {
            $0.replies.correlation = Correlation("id")
            $0.replies.replyTimeout = .milliseconds(1)
            $0.ending.count = 1
        }
        fixture.input = "{\"id\":1}\n"
        var hasTimedOut: () -> Bool = { false }
        fixture.didStart = { run in hasTimedOut = { [unowned run] in run.lines.queue.isSettled } }
        var timer: Timer?
        fixture.didReceive = { peer, event in
            guard case .text = event else { return }
            timer = Timer(on: peer.loop) {
                guard hasTimedOut() else { return }
                timer?.stop()
                peer.send("{\"id\":1,\"late\":true}")
            }
            timer?.start(after: .milliseconds(1), every: .milliseconds(1))
        }
        let outcome = try fixture.run()
        // Its action refers to it.
        timer = nil
        #expect(outcome.output == "{\"id\":1,\"late\":true}\n")
        #expect(outcome.notices.contains("request 1: the reply arrived "))
    }

    @Test("A run fails if the peer closes with unanswered requests")
    func unanswered() throws {
        let fixture = ConnectFixture { $0.replies.correlation = Correlation("id") }
        fixture.input = "{\"id\":1}\n"
        fixture.didReceive = { peer, event in if case .text = event { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.failure?.message == "the peer closed the connection: 1 request was not answered")
    }

    // MARK: Further connections

    @Test("Unconfirmed messages are sent again on the next connection")
    func reconnect() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.ending.linger = .idle(.zero)
        }
        fixture.input = "a\nb\n"
        fixture.didReceive = { peer, event in
            // The first connection is lost with its messages; none of them was confirmed.
            if event == .text("b"), !peer.answersPings { peer.vanish() }
        }
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop, answersPings: number > 0)
            peer.answersPings = number > 0
            return peer
        }
        fixture.skipsWaits = true
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["a", "b"], ["a", "b"]])
        #expect(outcome.notices.contains("reconnecting in"))
        #expect(outcome.notices.contains("connected to ws://h/"))
    }

    @Test(
        "A message that ends every connection is sent four times, and then the run ends with status 1 and names it",
        arguments: [true, false])
    func poison(isOperand: Bool) throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.messages.texts = isOperand ? ["poison\u{1B}"] : []
            $0.format.readsInput = true
        }
        fixture.input = isOperand ? "" : "poison\u{1B}\nother\n"
        fixture.reconnectsAtOnce = true
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: false) }
        fixture.didReceive = { peer, event in
            if case .text(let text) = event, text.hasPrefix("poison") { peer.vanish() }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .closed)
        #expect(outcome.failure?.message?.contains(#"gave up on the message "poison\u{1B}""#) ?? false)
        #expect(outcome.peers.map { $0.texts.first } == Array(repeating: "poison\u{1B}", count: 4))
        #expect(outcome.peers.suffix(2).allSatisfy { $0.texts.count == 1 })
    }

    @Test("A server that drops every connection before it gets a message is retried")
    func flappingServer() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.ending.count = 1
        }
        fixture.input = "a\n"
        fixture.reconnectsAtOnce = true
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop, answersPings: number >= 8)
            if 2..<8 ~= number { peer.vanish() }
            return peer
        }
        var count = 0
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            count += 1
            if count <= 2 { peer.vanish() } else { peer.send(text) }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.count == 9 && count == 3)
    }

    @Test("An unreachable server is retried as often as requested")
    func tries() throws {
        let fixture = ConnectFixture { $0.staying.reconnection = .times(1) }
        fixture.makePeer = { _, _ in nil }
        fixture.skipsWaits = true
        let outcome = try fixture.run()
        #expect(outcome.status == .unreachable)
        #expect(outcome.notices.contains("(attempt 1)"))
        #expect(outcome.failure?.message?.contains("Gave up after 1 more attempt") ?? false)
    }

    @Test("Unanswered requests are sent again on the next connection, after the initial messages")
    func requestsAgain() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.replies.sendsRequests = true
            $0.messages.texts = ["login"]
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

    @Test("Messages still unconfirmed at the end are reported")
    func unacknowledged() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.ending.linger = .idle(.zero)
        }
        fixture.input = "a\nb\n"
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: false) }
        fixture.didReceive = { peer, event in if event == .text("b") { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.notices.contains("the last 2 messages of the input may not have reached the peer"))
    }

    @Test("Without a confirmation, the closing handshake starts after the close timeout")
    func confirmationTimeout() throws {
        let fixture = ConnectFixture {
            $0.staying.reconnection = .always
            $0.ending.linger = .idle(.zero)
            $0.client.limits.closeTimeout = .milliseconds(100)
        }
        fixture.input = "a\n"
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: false) }
        let outcome = try fixture.run()
        // The answer to the close frame confirms the message.
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.received) == [[.text("a"), .ping, .close(1000)]])
        #expect(!outcome.notices.contains("may not have reached the peer"))
    }

    // MARK: Keepalive and display

    @Test("A heartbeat message is sent and shown like others")
    func heartbeatMessage() throws {
        let fixture = ConnectFixture {
            $0.staying.heartbeats.heartbeat = .milliseconds(1)
            $0.staying.heartbeatMessage = "still here"
            $0.ending.linger = .forever
            $0.transcript.verbosity = 2
        }
        fixture.didReceive = { peer, event in if event == .text("still here") { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts.first == "still here")
        #expect(outcome.notices.contains("still here"))
    }

    @Test("A heartbeat sends its message, and a silent peer is considered dead")
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

    @Test("-vv shows the handshake without secrets, all frames, and a summary")
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
            "Reached memory", "Timings: total 1.000 ms", "Authorization: •••", "HTTP/1.1 101", "frame", "ping", "close",
            "1 sent, 1 received",
        ] {
            #expect(notices.contains(part), "\(part)")
        }
    }

    @Test("A recording contains both directions")
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

    @Test("A recording that cannot be written ends the run")
    func failedRecording() throws {
        try withPipe { path, reader in
            let fixture = ConnectFixture {
                $0.transcript.recordPath = path
                $0.ending.linger = .forever
            }
            fixture.input = "a\n"
            fixture.didReceive = { peer, event in
                guard event == .text("a") else { return }
                _ = close(reader)
                peer.send("b")
            }
            let outcome = try fixture.run()
            guard case .recording(path: path, _)? = outcome.failure else {
                Issue.record("\(outcome.failure as Any)")
                return
            }
            #expect(outcome.peers[0].received == [.text("a"), .close(1000)])
        }
    }

    @Test("An invalid call is rejected before the recording truncates its file")
    func recordingIsKept() throws {
        try withFile(Array("old".utf8)) { path in
            let fixture = ConnectFixture {
                $0.replies.calls = .standard
                $0.messages.texts = ["sum [1"]
                $0.transcript.recordPath = path
            }
            #expect(throws: Failure.self) { _ = try fixture.run() }
            let contents = try File.readRegular(path, maximumBytes: 10)
            #expect(contents == Array("old".utf8))
        }
    }
}
