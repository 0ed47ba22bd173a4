import Formats
import WSCore

@testable import wsx

extension FuzzTarget {
    /// Lines typed at the prompt: what is sent may be sent, and a mistake is told in one line that is safe to show.
    static let replLines = FuzzTarget(name: "repl-lines") { input in
        switch ReplLine(input, commands: ReplCommand.all) {
        case .message(let payload):
            expect(input == payload || input == [UInt8(ascii: "/")] + payload, "the message is not what was typed")
            expect(input.first != UInt8(ascii: "/") || payload.first == UInt8(ascii: "/"), "a command was sent")
        case .empty: expect(input.isEmpty, "what was typed was dropped")
        case .action(.ping(let payload)), .action(.pong(let payload)):
            expect(payload.count <= 125, "the payload has \(payload.count) bytes")
        case .action(.close(let frame)):
            expect(frame.code.map { isLegal(closeCode: $0.rawValue) } ?? false, "the code must not be sent")
        case .mistake(let words):
            expectOneSafeLine(words)
        case .action(.help(let topic?)):
            if let text = ReplHelp.text(about: topic, among: ReplCommand.all) {
                text.split(separator: "\n").forEach { expectOneSafeLine(String($0)) }
            } else {
                expectOneSafeLine(ReplLine.unknown(topic, among: ReplCommand.all))
            }
        case .action(.sendJSON(let text)):
            expect(text.withUnsafeBytes { JSONReader.problem(in: $0.bytes) } == nil, "what is no JSON was sent")
        case .action:
            break
        }
    }
}
