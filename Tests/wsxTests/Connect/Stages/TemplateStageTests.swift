import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Runs with `--template`, with peers in memory.
@Suite struct TemplateStageTests {
    private func echo(_ change: (inout ConnectArguments) -> Void) -> ConnectFixture {
        let fixture = ConnectFixture {
            $0.data.usesTemplates = true
            change(&$0)
        }
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send(text) }
        }
        return fixture
    }

    @Test("Messages of the command line are numbered, in order")
    func commandLine() throws {
        let outcome = try echo {
            $0.messages.texts = ["a{{seq}}", "b{{seq}} {{connection}}"]
            $0.ending.count = 2
        }.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["a1", "b2 1"])
    }

    @Test("An unknown placeholder of the command line is an error before the connection")
    func unknownName() throws {
        let fixture = echo { $0.messages.texts = ["fine", "{{sqe}}"] }
        let failure = #expect(throws: Failure.self) { try fixture.run() }
        #expect(failure?.message?.contains("message 2") ?? false)
        #expect(failure?.message?.contains("{{seq}}") ?? false)
    }

    @Test("Input lines are templates, and the first invalid one ends the run")
    func lines() throws {
        let fixture = echo { $0.ending.count = 3 }
        fixture.input = "{{seq}}\n{{seq}}\n{{nothing}}\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input message 3: unknown placeholder") ?? false)
        #expect(outcome.peers[0].texts == ["1", "2"])
    }

    @Test("A typed line can insert a value of the last message, and a line without a value is not sent")
    func lastMessage() throws {
        let fixture = echo { _ in }
        let outcome = try fixture.run(atPrompt: [
            .type("{{last:/n}}"), .type(#"{"n":"{{seq}}"}"#), .read(#"→ {"n":"1"}"#), .type("n is {{last:/n}}"),
            .read("→ n is 1"), .leave,
        ])
        #expect(fixture.editor.shown.contains("the line was not sent: "))
        #expect(outcome.peers[0].texts == [#"{"n":"1"}"#, "n is 1"])
    }

    @Test("A request inserts values of the reply before it, although it was read earlier", arguments: [0, 1, 2])
    func lastReply(operandCount: Int) throws {
        let lines = [#"{"n":1}"#, #"{"n":2,"last":{{last:.n}}}"#, #"{"n":3,"last":{{last:.n}},"seq":{{seq}}}"#]
        let fixture = ConnectFixture {
            $0.data.usesTemplates = true
            $0.replies.sendsRequests = true
            $0.messages.texts = Array(lines.prefix(operandCount))
            if operandCount > 0 { $0.messages.isInteractive = true }
        }
        fixture.input = lines.dropFirst(operandCount).map { $0 + "\n" }.joined()
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send(text.replacing("\"n\":", with: "\"n\":1")) }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(
            outcome.peers[0].texts == [
                #"{"n":1}"#, #"{"n":2,"last":11}"#, #"{"n":3,"last":12,"seq":3}"#,
            ])
    }

    @Test("A request without a value to insert ends the run when it is its turn, with its name")
    func missingReplyValue() throws {
        let fixture = ConnectFixture {
            $0.data.usesTemplates = true
            $0.replies.sendsRequests = true
        }
        fixture.input = "a\n{{last:.n}}\nb\n"
        fixture.didReceive = { peer, event in
            if case .text = event { peer.send("no JSON") }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input message 2: ") == true)
        #expect(outcome.output == "no JSON\n" && outcome.peers[0].texts == ["a"])
    }

    @Test("Columns of a data file are variables")
    func dataFile() throws {
        try withFile(Array("user,token\nann,s3cret\nbob,t4cit\n".utf8)) { path in
            let outcome = try echo {
                $0.data.path = path
                $0.data.row = 2
                $0.messages.texts = ["{{user}}:{{token}}"]
                $0.ending.count = 1
            }.run()
            #expect(outcome.peers[0].texts == ["bob:t4cit"])
        }
    }

    @Test("Heartbeat messages are numbered")
    func heartbeat() throws {
        let fixture = echo {
            $0.staying.heartbeats.heartbeat = .milliseconds(1)
            $0.staying.heartbeats.heartbeatMisses = 1_000_000
            $0.staying.heartbeatMessage = "beat {{seq}}"
        }
        fixture.input = nil
        fixture.didReceive = { peer, event in if event == .text("beat 3") { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.peers[0].texts.prefix(3) == ["beat 1", "beat 2", "beat 3"])
    }

    @Test("A heartbeat without a value to insert is skipped and reported")
    func skippedHeartbeat() throws {
        let fixture = echo {
            $0.staying.heartbeats.heartbeat = .milliseconds(1)
            $0.staying.heartbeats.heartbeatMisses = 1_000_000
            $0.staying.heartbeatMessage = "{{last:/n}}"
        }
        fixture.input = nil
        var timer: Timer?
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            // A later time than that of the first heartbeat.
            timer = Timer(on: loop) { peer.send(#"{"n":7}"#) }
            timer?.start(after: .milliseconds(500))
            return peer
        }
        fixture.didReceive = { peer, event in if event == .text("7") { peer.close(1000) } }
        let outcome = try fixture.run()
        withExtendedLifetime(timer) {}
        #expect(outcome.peers[0].texts.first == "7")
        #expect(outcome.notices.contains("the heartbeat message was not sent: "))
    }
}
