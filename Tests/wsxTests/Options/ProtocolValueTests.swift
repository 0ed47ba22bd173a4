import CommandLine
import Conversation
import Testing

@testable import UserInterface
@testable import wsx

@Suite struct ProtocolValueTests {
    @Test(
        "--protocol takes a name, @FILE, or auto",
        arguments: [
            ("mqtt", ProtocolChoice.named("mqtt")), ("@p.json", .file("p.json")), ("auto", .automatic),
        ])
    func choices(text: String, choice: ProtocolChoice) throws {
        #expect(try ProtocolChoice.parse(text) == choice)
    }

    @Test(
        "For an unknown protocol, the error suggests a name and -s, because websocat's --protocol is the subprotocol",
        arguments: [
            ("socketio", "unknown protocol; did you mean 'socket.io'? To offer the subprotocol, use -s socketio"),
            ("graphql-ws", "unknown protocol; did you mean 'graphql'? To offer the subprotocol, use -s graphql-ws"),
            ("v12.stomp", "unknown protocol; did you mean 'stomp'? To offer the subprotocol, use -s v12.stomp"),
            ("chat", "unknown protocol; 'wsx help protocol' lists them; to offer the subprotocol, use -s chat"),
            ("", "expected a name, but got nothing"), ("@", "expected a name, but got nothing"),
        ])
    func unknown(text: String, words: String) {
        let problem = #expect(throws: ValueProblem.self) { try ProtocolChoice.parse(text) }
        #expect(problem?.words == words)
    }

    @Test("Completion offers all names and auto")
    func completion() {
        #expect(ProtocolChoice.choices.map(\.name) == ApplicationProtocol.all.map(\.name) + ["auto"])
    }

    @Test("A value of --param ends with the argument")
    func parameter() throws {
        let value = try ProtocolParameterValue.parse("auth={\"a\":\"=\"}")
        #expect(value == ProtocolParameterValue(name: "auth", value: "{\"a\":\"=\"}"))
        #expect(try ProtocolParameterValue.parse("username=").value.isEmpty)
    }

    @Test("An error for --param hides the value, which may be a secret", arguments: ["hunter2", "=hunter2", ""])
    func badParameter(text: String) {
        let words = ["connect", "u", "--protocol=mqtt", "--param", text]
        let error = #expect(throws: UsageError.self) { try Invocation.program.parse(words) }
        #expect(error?.message.contains("hunter2") == false)
        #expect(error?.message.contains("expected NAME=VALUE") == true)
    }

    @Test(
        "Parameters that no built-in protocol has may be secrets of a file's protocol",
        arguments: [("password", true), ("auth", true), ("token", true), ("username", false), ("client-id", false)])
    func secrets(name: String, mayBeSecret: Bool) {
        #expect(ProtocolParameterValue(name: name, value: "v").mayBeSecret == mayBeSecret)
    }
}
