import Formats
import WSCore

@testable import UserInterface

extension FuzzTarget {
    /// Lines typed at the prompts: everything sent is valid, and errors are one line that is safe to show.
    static let replLines = FuzzTarget(name: "repl-lines") { input in
        switch check(input, commands: PromptCommandTable.connect) {
        case .shared(let action)?: check(action)
        case .sendJSON(let text)?:
            expect(text.withUnsafeBytes { JSONReader.problem(in: $0.bytes) } == nil, "invalid JSON was sent")
        default: break
        }
        if case .shared(let action)? = check(input, commands: PromptCommandTable.listen) { check(action) }
    }

    /// Parses a line and returns its action.
    private static func check<Action: Equatable & Sendable>(_ input: [UInt8], commands: [PromptCommand<Action>])
        -> Action?
    {
        switch PromptLine(input, commands: commands) {
        case .message(let payload):
            expect(input == payload || input == [UInt8(ascii: "/")] + payload, "the message differs from the line")
            expect(input.first != UInt8(ascii: "/") || payload.first == UInt8(ascii: "/"), "a command was sent")
        case .empty: expect(input.isEmpty, "a line was dropped")
        case .mistake(let words): expectOneSafeLine(words)
        case .action(let action): return action
        }
        return nil
    }

    private static func check(_ action: PromptAction) {
        switch action {
        case .ping(let payload), .pong(let payload):
            expect(payload.count <= 125, "the payload has \(payload.count) bytes")
        case .close(let frame):
            expect(frame.code.map { isLegal(closeCode: $0.rawValue) } ?? false, "the code must not be sent")
        case .view(.help(let topic?)):
            let commands = PromptCommandTable.all.map(\.description)
            if let text = PromptHelp.text(about: topic, among: commands) {
                text.split(separator: "\n").forEach { expectOneSafeLine(String($0)) }
            } else {
                expectOneSafeLine(PromptHelp.unknown(topic, among: commands))
            }
        default: break
        }
    }
}
