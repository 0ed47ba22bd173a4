import Testing
import WSCore

@testable import UserInterface

@Suite struct FrameTraceTests {
    @Test("A frame's payload is shown below its header, once, in any number of pieces")
    func pieces() throws {
        let header = FrameHeader(opcode: .binary, payloadBytes: 4)
        let expected = "← frame          FIN binary 4 B\n                 01 02 03 04  ....\n"
        for cut in 0...4 {
            try withTrace { trace, editor in
                let payload: [UInt8] = [1, 2, 3, 4]
                trace.received(header)
                trace.received(payload.span.bytes.extracting(0..<cut), of: header)
                trace.received(payload.span.bytes.extracting(cut..<4), of: header)
                #expect(editor.text == expected)
            }
        }
    }

    @Test("A long payload is truncated, and its size is shown")
    func long() throws {
        let header = FrameHeader(isFinal: false, opcode: .text, payloadBytes: 1000)
        let payload = [UInt8](repeating: 0x41, count: 1000)
        try withTrace { trace, editor in
            trace.sent(header, payload: payload.span.bytes)
            let sent = editor.text.split(separator: "\n")
            #expect(sent.count == 18)
            #expect(sent.last == "                 … 744 more bytes")
            trace.received(header)
            trace.received(payload.span.bytes.extracting(first: 300), of: header)
            trace.received(payload.span.bytes.extracting(droppingFirst: 300), of: header)
            #expect(editor.text.split(separator: "\n").dropFirst(18).dropFirst() == sent.dropFirst())
        }
    }

    @Test("A frame without a payload is only its header")
    func empty() throws {
        try withTrace { trace, editor in
            let header = FrameHeader(opcode: .ping, payloadBytes: 0)
            trace.received(header)
            trace.received([UInt8]().span.bytes, of: header)
            #expect(editor.text == "← frame          FIN ping 0 B\n")
        }
    }

    private func withTrace(_ body: (FrameTrace, ShownLines) throws -> Void) throws {
        try withIdleLoop { loop in
            let lines = ShownLines()
            let transcript = Transcript(palette: Palette(isEnabled: false), timestamps: .off, style: .off, on: loop)
            try body(FrameTrace(transcript: transcript) { lines.text += $0 }, lines)
        }
    }
}

/// The text shown so far.
private final class ShownLines {
    var text = ""
}
