import Testing

@testable import UserInterface
@testable import WSCore

/// Runs with `--first-message`, `--ready`, and `--answer`, with peers in memory.
@Suite struct LoginRunTests {
    @Test("Input waits until the peer is ready, and messages of the login are shown with -v only")
    func login() throws {
        let fixture = ConnectFixture {
            $0.exchange.firstMessages = ["login"]
            $0.exchange.ready = "^welcome$"
            $0.exchange.answers = ["^are you there (.*) => yes, $1"]
            $0.transcript.verbosity = 1
            $0.ending.count = 1
        }
        fixture.input = "hello\n"
        fixture.didReceive = { peer, event in
            switch event {
            case .text("login"): for text in ["wait", "are you there ann", "welcome"] { peer.send(text) }
            case .text("hello"): peer.send("hi")
            default: break
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["login", "yes, ann", "hello"])
        #expect(outcome.output == "hi\n")
        for text in ["wait", "are you there ann", "yes, ann", "welcome"] { #expect(outcome.notices.contains(text)) }
    }

    @Test("A peer that does not become ready in time fails the run")
    func notReady() throws {
        let fixture = ConnectFixture {
            $0.exchange.ready = "^welcome$"
            $0.client.network.connectTimeouts.whole = .milliseconds(1)
        }
        fixture.opensAtOnce = true
        fixture.input = "hello\n"
        let outcome = try fixture.run()
        #expect(outcome.failure?.message?.contains("^welcome$") ?? false)
        #expect(outcome.peers[0].texts == [])
    }

    @Test("A connection that ends before the peer is ready names what was missing")
    func endedEarly() throws {
        let fixture = ConnectFixture { $0.exchange.ready = "^welcome$" }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send("no")
            peer.close(1000)
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure?.message?.contains("^welcome$") ?? false)
    }

    @Test("A message without a value for its answer is reported and passed on")
    func noValue() throws {
        let fixture = ConnectFixture {
            $0.exchange.answers = ["^ask => {{last:/id}}"]
            $0.ending.count = 1
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send("ask")
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "ask\n")
        #expect(outcome.notices.contains("a message was not answered (--answer): "))
    }

    @Test("Every connection gets the first messages, with its number")
    func reconnection() throws {
        let fixture = ConnectFixture {
            $0.exchange.firstMessages = ["login {{connection}}"]
            $0.exchange.ready = "^welcome$"
            $0.staying.reconnection = .always
            $0.ending.count = 2
        }
        fixture.input = nil
        fixture.reconnectsAtOnce = true
        fixture.didReceive = { peer, event in
            if case .text = event {
                peer.send("welcome")
                peer.send("news")
                peer.vanish()
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map { $0.texts.first } == ["login 1", "login 2"])
        #expect(outcome.output == "news\nnews\n")
    }
}
