import CommandLine
import Conversation
import Testing

@testable import UserInterface
@testable import wsx

@Suite struct ProtocolManualTests {
    private static func text(_ words: [String]) throws -> String {
        guard case .text(.longHelp(let text)) = try Invocation.program.parse(words) else { return "" }
        return text
    }

    @Test("'wsx help protocol' lists all protocols with their summaries")
    func list() throws {
        let text = try Self.text(["help", "protocol"])
        for one in ApplicationProtocol.all { #expect(text.contains("\n  \(one.name)\n"), "\(one.name)") }
        #expect(try Self.text(["help", "protocols"]) == text)
    }

    @Test(
        "'wsx help protocol NAME' has the texts, parameters, and example of the descriptor",
        arguments: ApplicationProtocol.all.map(\.name))
    func explanation(name: String) throws {
        let text = try Self.text(["help", "protocol", name])
        let words = text.split { " \n".contains($0) }.joined(separator: " ")
        let one = try #require(ApplicationProtocol(named: name))
        for part in [one.manual.input, one.manual.automatic, one.manual.hidden] {
            // A mark would be removed.
            #expect(words.contains(part), "\(part)")
        }
        for parameter in one.parameters { #expect(text.contains("\n  \(parameter.name)\n")) }
        #expect(text.hasSuffix("\n\n    \(one.manual.example)\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("The example of each protocol can be parsed", arguments: ApplicationProtocol.all)
    func examples(one: ApplicationProtocol) throws {
        // The examples quote with single quotes. A variable stands for a URL.
        var words: [String] = []
        for (index, part) in one.manual.example.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map { $0 == "\"$url\"" ? "ws://h/" : String($0) }
            }
        }
        guard case .connect(let arguments) = try Invocation.program.parse(Array(words.dropFirst())) else {
            Issue.record("not a command line of connect")
            return
        }
        #expect(arguments.protocols.choice == .named(one.name))
    }

    @Test("The help names what a protocol adds to the request, and its close codes")
    func details() throws {
        #expect(try Self.text(["help", "protocol", "socket.io"]).contains("/socket.io/?EIO=4&transport=websocket"))
        #expect(try Self.text(["help", "protocol", "graphql"]).contains("  4403  forbidden"))
        #expect(try Self.text(["help", "protocol", "signalr"]).contains("/hub/negotiate?negotiateVersion=1"))
    }

    @Test(
        "'wsx help protocol auto' and '@FILE' explain these values of --protocol",
        arguments: [("auto", "auto: "), ("@FILE", "@FILE: "), ("@chat.json", "@FILE: ")])
    func otherValues(word: String, heading: String) throws {
        let text = try Self.text(["help", "protocol", word])
        #expect(text.hasPrefix(heading))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(
        "An unknown protocol is an error with a suggestion",
        arguments: [
            ("socketio", "wsx: unknown protocol 'socketio'; did you mean 'wsx help protocol socket.io'?"),
            ("chat", "wsx: unknown protocol 'chat'; 'wsx help protocol' lists the names"),
        ])
    func unknown(word: String, message: String) {
        let error = #expect(throws: UsageError.self) { try Invocation.program.parse(["help", "protocol", word]) }
        #expect(error?.message == message)
    }
}
