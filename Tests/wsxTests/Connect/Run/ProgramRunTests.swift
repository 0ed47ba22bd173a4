import Glibc
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Runs of `connect --exec` with peers in memory.
@Suite struct ProgramRunTests {
    private func fixture(_ script: String, _ change: (inout ConnectArguments) -> Void = { _ in }) -> ConnectFixture {
        let fixture = ConnectFixture {
            $0.messages.program = ["/bin/sh", "-c", script]
            change(&$0)
        }
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send("re: \(text)") }
        }
        return fixture
    }

    @Test("A program's lines are sent, and it reads the replies; its exit closes the connection")
    func conversation() throws {
        let outcome = try fixture(#"echo hello; read -r reply; echo "got $reply"; read -r reply"#).run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.received) == [[.text("hello"), .text("got re: hello"), .close(1000)]])
        #expect(outcome.output.isEmpty && outcome.notices.isEmpty)
    }

    @Test("A program's failure fails the run, and the peer gets the reason")
    func failure() throws {
        let outcome = try fixture("exit 3").run()
        #expect(outcome.failure?.message == "sh exited with status 3")
        #expect(outcome.peers.map(\.received) == [[.close(1011)]])
    }

    @Test("When the peer closes, the program's input ends, and its late output is discarded")
    func peerCloses() throws {
        let fixture = fixture("echo hello; cat >/dev/null; echo late")
        fixture.didReceive = { peer, event in if event == .text("hello") { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["hello"])
    }

    @Test("A program that ignores the end of its input and SIGTERM is killed, which is not its failure")
    func stubborn() throws {
        let fixture = fixture("trap '' TERM; echo hello; while :; do sleep 1; done") {
            $0.programs.programGrace = .milliseconds(1)
        }
        fixture.didReceive = { peer, event in if event == .text("hello") { peer.close(1000) } }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.notices.contains("sh did not exit in time and was killed (--exec-grace)"))
    }

    @Test("A program's standard error is shown with its name, also after its last message")
    func standardError() throws {
        let outcome = try fixture("echo hello; read -r reply; echo oops >&2") { $0.transcript.verbosity = 1 }.run()
        #expect(outcome.failure == nil)
        #expect(outcome.notices.contains("sh | oops\n"))
        #expect(outcome.notices.contains("sh is process "))
    }

    @Test("A background process that keeps the output open does not keep the connection open")
    func background() throws {
        let outcome = try fixture("echo hello; sleep 1000 &") { $0.programs.programGrace = .milliseconds(1) }.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.received) == [[.text("hello"), .close(1000)]])
    }

    @Test("Programs can exchange events, and the first line that is none is reported")
    func events() throws {
        let script = #"""
            read -r open; case $open in *'"type":"open"'*) ;; *) exit 9;; esac
            echo nonsense; echo more; echo '{"type":"message","data":"m"}'; read -r sent
            """#
        let outcome = try fixture(script) { $0.programs.exchangesEvents = true }.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["m"])
        #expect(outcome.notices.contains("line 1 of sh's output"))
        #expect(!outcome.notices.contains("line 2 of sh's output"))
    }

    @Test("With --binary, a program's output is sent as it is read, and messages are its input without newlines")
    func chunks() throws {
        let fixture = fixture(#"printf 'ab\000'; [ "$(head -c 2)" = yz ]"#) { $0.format.payload = .binary }
        fixture.didReceive = { peer, event in
            if case .binary = event { peer.send(binary: Array("yz".utf8)) }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].received == [.binary([0x61, 0x62, 0]), .close(1000)])
    }

    @Test("Output that the options cannot convert ends the run with the number of its line")
    func unencodable() throws {
        let outcome = try fixture("echo 1; echo x; cat >/dev/null") { $0.codecs.encoders = [.messagePack] }.run()
        #expect(outcome.failure?.message?.hasPrefix("line 2 of sh's output was not sent: msgpack") ?? false)
        #expect(outcome.peers[0].received == [.binary([1]), .close(1011)])
    }

    @Test("A program with an interpreter that does not exist is an error before the connection")
    func noInterpreter() throws {
        try withFile(Array("#!/no/such/interpreter\n".utf8)) { path in
            #expect(chmod(path, 0o700) == 0)
            let fixture = ConnectFixture { $0.messages.program = [path] }
            #expect(throws: Failure.self) { try fixture.run() }
        }
    }
}
