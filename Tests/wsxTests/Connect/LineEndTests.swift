import Testing

@testable import UserInterface
@testable import WSCore

/// Runs with `--eol`.
@Suite struct LineEndTests {
    @Test("Messages of the command line and lines of the input end as requested", arguments: LineEnd.allCases)
    func lines(lineEnd: LineEnd) throws {
        let fixture = ConnectFixture {
            $0.messages.texts = ["PING"]
            $0.messages.isInteractive = true
            $0.messages.lineEnd = lineEnd
        }
        fixture.input = "SUB a 1\r\n\nPUB a 0"
        let outcome = try fixture.run()
        let end = lineEnd == .crlf ? "\r\n" : "\n"
        let expected = ["PING", "SUB a 1", "", "PUB a 0"].map { FakePeer.Event.text($0 + end) }
        #expect(outcome.peers[0].received.filter { if case .text = $0 { true } else { false } } == expected)
    }

    @Test("A typed line ends as requested, also when it is repeated, and a binary message does not")
    func prompt() throws {
        let fixture = ConnectFixture { $0.messages.lineEnd = .crlf }
        let outcome = try fixture.run(atPrompt: [
            .type("/binary hex ff"), .type("PING"), .type("/repeat 1"), .leave,
        ])
        let expected: [FakePeer.Event] = [.binary([0xFF]), .text("PING\r\n"), .text("PING\r\n")]
        #expect(Array(outcome.peers[0].received.prefix(3)) == expected)
    }
}
