import Conversation
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Complete runs that end after the replies, with peers in memory.
///
/// The peers' timers and that of the wait run on one loop, in the order of their times, however slow the machine is.
@Suite struct ConnectRepliesTests {
    /// A peer that calls `reply` for each text message.
    private func answering(
        _ change: (inout ConnectArguments) -> Void = { _ in }, reply: @escaping (FakePeer, String) -> Void
    ) -> ConnectFixture {
        let fixture = ConnectFixture(change)
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { reply(peer, text) }
        }
        return fixture
    }

    /// Timers that live as long as the test.
    private final class Timers {
        private var timers: [WSCore.Timer] = []

        func after(_ delay: Duration, on loop: EventLoop, _ action: @escaping () -> Void) {
            let timer = WSCore.Timer(on: loop, action: action)
            timer.start(after: delay)
            timers.append(timer)
        }

        func cancel() { timers = [] }
    }

    /// The output of a run that waits at most a minute, and whose peer sends `first` at once and `second` later.
    /// - Parameter second: The second message: in time for a wait of a minute, but too late for a short one.
    private func output(
        first: [String], second: (text: String, delay: Duration) = ("too late", .seconds(30)), greeting: String? = nil,
        messages: [String] = ["question"]
    ) throws -> String {
        let timers = Timers()
        var count = 0
        let fixture = answering {
            $0.messages.texts = messages
            $0.ending.linger = .answered(idle: .seconds(60))
        } reply: { peer, _ in
            count += 1
            guard count == messages.count else { return }
            for text in first { peer.send(text) }
            timers.after(second.delay, on: peer.loop) { peer.send(second.text) }
        }
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            if let greeting { peer.send(greeting) }
            return peer
        }
        let outcome = try fixture.run()
        timers.cancel()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].received.last == .close(1000))
        return outcome.output
    }

    // MARK: The default wait

    @Test("The run ends soon after each message has its reply")
    func shortWait() throws {
        #expect(try output(first: ["reply"]) == "reply\n")
        #expect(try output(first: ["1", "2"], messages: ["a", "b"]) == "1\n2\n")
    }

    @Test("A reply that takes 700 ms still arrives, and ends the wait")
    func slowReply() throws {
        #expect(try output(first: [], second: ("reply", .milliseconds(700))) == "reply\n")
        #expect(try output(first: ["1"], second: ("2", .milliseconds(700)), messages: ["a", "b"]) == "1\n2\n")
    }

    @Test("A greeting is no reply: a slow reply still arrives")
    func greeting() throws {
        #expect(try output(first: [], second: ("reply", .milliseconds(700)), greeting: "hi") == "hi\nreply\n")
        #expect(try output(first: ["reply"], greeting: "hi") == "hi\nreply\n")
    }

    @Test(
        "After more messages than were sent, or without a pong, the whole wait applies",
        arguments: [(["1", "2"], true), (["1"], false)])
    func wholeWait(first: [String], answersPings: Bool) throws {
        let timers = Timers()
        let fixture = answering {
            $0.messages.texts = ["question"]
        } reply: { peer, _ in
            for text in first { peer.send(text) }
            timers.after(.milliseconds(700), on: peer.loop) { peer.send("late") }
        }
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: answersPings) }
        fixture.skipsWaits = true
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == (first + ["late", ""]).joined(separator: "\n"))
    }

    @Test("The ping before the messages is neither shown nor an event, unless -v is given")
    func hiddenPing() throws {
        for verbosity in 0...1 {
            let fixture = answering {
                $0.format.output = .json
                $0.transcript.verbosity = verbosity
                $0.transcript.timestamps = .off
                $0.messages.texts = ["a", "b"]
            } reply: { peer, text in
                peer.send(text)
            }
            let outcome = try fixture.run()
            #expect(outcome.peers.map(\.received) == [[.ping, .text("a"), .text("b"), .close(1000)]])
            #expect(!outcome.output.contains(#""type":"p"#))
            #expect(outcome.notices.contains("ping") == (verbosity == 1))
        }
    }

    @Test("With --linger, or without a message, there is no ping")
    func noPing() throws {
        let fixture = answering {
            $0.messages.texts = ["a"]
            $0.ending.linger = .idle(.milliseconds(1))
        } reply: { _, _ in
        }
        #expect(try fixture.run().peers.map(\.received) == [[.text("a"), .close(1000)]])
        #expect(try ConnectFixture().run().peers.map(\.received) == [[.close(1000)]])
    }

    @Test("Each connection has its own ping before its first message")
    func reconnect() throws {
        let fixture = answering {
            $0.staying.reconnection = .always
            $0.messages.texts = ["login"]
        } reply: { peer, text in
            if peer.answersPings { peer.send(text) } else { peer.vanish() }
        }
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop)
            peer.answersPings = number > 0
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        // The last ping confirms the message before the closing handshake.
        #expect(
            outcome.peers.map(\.received) == [
                [.ping, .text("login")], [.ping, .text("login"), .ping, .close(1000)],
            ])
    }

    // MARK: --one

    @Test("--one ends the run with the reply, which a ping tells from a greeting")
    func one() throws {
        let fixture = answering {
            $0.messages.texts = ["question"]
            $0.ending.isOne = true
        } reply: { peer, _ in
            for text in ["reply", "more"] { peer.send(text) }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "reply\n")
        #expect(outcome.peers.map(\.received) == [[.ping, .text("question"), .close(1000)]])
    }

    @Test("--one waits for one reply per message of the input", arguments: ["a\nb\nc\n", "a"])
    func oneEach(input: String) throws {
        let fixture = answering {
            $0.ending.isOne = true
        } reply: { peer, text in
            peer.send(text)
        }
        fixture.input = input
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == input + (input.hasSuffix("\n") ? "" : "\n"))
    }

    @Test("--one counts no message that arrives before the first one is sent")
    func oneGreeting() throws {
        let fixture = answering {
            $0.messages.texts = ["question"]
            $0.ending.isOne = true
        } reply: { peer, _ in
            peer.send("reply")
        }
        fixture.firstBytes = [0x81, 7] + Array("welcome".utf8)
        let outcome = try fixture.run()
        #expect(outcome.output == "welcome\nreply\n")
    }

    @Test("--one without a message waits for the first one")
    func oneWithoutMessage() throws {
        let fixture = ConnectFixture {
            $0.ending.isOne = true
            $0.format.readsInput = false
        }
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send("first")
            peer.send("second")
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "first\n")
    }

    @Test("--one fails with 7 if the peer closes first, and with 6 if time runs out")
    func missingReplies() throws {
        let closing = answering {
            $0.messages.texts = ["a", "b"]
            $0.ending.isOne = true
        } reply: { peer, text in
            if text == "a" { peer.send("1") } else { peer.close(1000) }
        }
        let closed = try closing.run()
        #expect(closed.status == .unmet)
        #expect(closed.failure?.message == "closed with 1000 after 1 of 2 replies")
        let silent = ConnectFixture {
            $0.messages.texts = ["a"]
            $0.ending.isOne = true
            $0.ending.timeout = .milliseconds(1)
        }
        silent.opensAtOnce = true
        let late = try silent.run()
        #expect(late.status == .timedOut)
        #expect(late.failure?.message == "timed out after 1 ms (--timeout); 0 of 1 replies")
    }

    @Test("With requests, --one ends after the last reply, and other messages do not count")
    func oneRequest() throws {
        let fixture = answering {
            $0.messages.texts = [#"{"id":1}"#]
            $0.replies.correlation = Correlation("id")
            $0.ending.isOne = true
        } reply: { peer, text in
            peer.send("push")
            peer.send(text)
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "push\n{\"id\":1}\n")
    }

    // MARK: Subprotocols

    @Test("A server that selects no subprotocol gets one warning, unless --quiet is given", arguments: [false, true])
    func noSubprotocol(isQuiet: Bool) throws {
        let fixture = ConnectFixture {
            $0.client.request.subprotocols = ["chat", "v2"]
            $0.staying.reconnection = .always
            $0.transcript.display.isQuiet = isQuiet
        }
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop)
            if number == 0 { peer.vanish() }
            return peer
        }
        fixture.skipsWaits = true
        let outcome = try fixture.run()
        let warning = "wsx: warning: the server selected none of the subprotocols offered: chat, v2"
        let lines = outcome.notices.split(separator: "\n").filter { $0 == warning }
        #expect(lines.count == (isQuiet ? 0 : 1))
    }
}
