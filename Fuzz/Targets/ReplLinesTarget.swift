import WSCore

@testable import wsx

extension FuzzTarget {
    /// Lines typed at the prompt: what is sent may be sent, and a mistake is told in one line that is safe to show.
    static let replLines = FuzzTarget(name: "repl-lines") { input in
        switch ReplLine(input) {
        case .message(let payload):
            expect(input == payload || input == [UInt8(ascii: "/")] + payload, "the message is not what was typed")
            expect(input.first != UInt8(ascii: "/") || payload.first == UInt8(ascii: "/"), "a command was sent")
        case .ping(let payload), .pong(let payload):
            expect(payload.count <= 125, "the payload has \(payload.count) bytes")
        case .close(let frame):
            expect(frame.code.map { isLegal(closeCode: $0.rawValue) } ?? false, "the code must not be sent")
        case .mistake(let words):
            expectOneSafeLine(words)
        case .help, .quit:
            break
        }
    }
}
