import Formats
import WSCore

@testable import Connect
@testable import Listen
@testable import UserInterface

extension FuzzTarget {
    /// Lines typed at the prompts: everything sent is valid, and errors are one line that is safe to show.
    static let replLines = FuzzTarget(name: "repl-lines") { input in
        check(input, commands: ConnectCommands.all)
        check(input, commands: ListenCommands.all(isRelay: true))
        check(PromptArgument(bytes: Array(input.drop { $0 != UInt8(ascii: " ") }.dropFirst())))
    }

    /// Parses a line.
    private static func check<Prompt>(_ input: [UInt8], commands: [PromptCommand<Prompt>]) {
        switch PromptLine(input, commands: commands) {
        case .message(let payload):
            expect(input == payload || input == [UInt8(ascii: "/")] + payload, "the message differs from the line")
            expect(input.first != UInt8(ascii: "/") || payload.first == UInt8(ascii: "/"), "a command was sent")
        case .empty: expect(input.isEmpty, "a line was dropped")
        case .mistake(let words): expectOneSafeLine(words)
        case .call: break
        }
    }

    /// Reads an argument as commands do.
    private static func check(_ argument: PromptArgument) {
        if let payload = try? argument.controlPayload() {
            expect(payload.count <= 125, "the payload has \(payload.count) bytes")
        }
        if let frame = try? argument.closeFrame() {
            expect(frame.code.map { isLegal(closeCode: $0.rawValue) } ?? false, "the code must not be sent")
        }
        if let text = try? argument.json() {
            expect(text.withUnsafeBytes { JSONReader.problem(in: $0.bytes) } == nil, "invalid JSON was sent")
        }
        guard let topic = argument.optionalText() else { return }
        let commands = ConnectCommands.all.map(\.description)
        if let text = PromptHelp.text(about: topic, among: commands) {
            text.split(separator: "\n").forEach { expectOneSafeLine(String($0)) }
        } else {
            expectOneSafeLine(PromptHelp.unknown(topic, among: commands))
        }
    }
}
