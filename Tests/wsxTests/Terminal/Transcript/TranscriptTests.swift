import Testing
import WSCore

@testable import UserInterface

@Suite struct TranscriptTests {
    @Test("Messages show their direction, kind, size, and content")
    func messages() throws {
        try withTranscript { transcript in
            #expect(message(transcript, "hello", .text, .sent) == "→ text      5 B  hello\n")
            #expect(message(transcript, "", .text, .received) == "← text      0 B\n")
            #expect(message(transcript, "日本", .text, .received, client: 7) == "#7 ← text      6 B  日本\n")
            #expect(message(transcript, [0, 1, 0xAB], .binary, .received) == "← binary    3 B  00 01 ab  ...\n")
        }
    }

    @Test("A long message shows its beginning and its size")
    func folded() throws {
        try withTranscript(size: ScreenSize(columns: 100, rows: 30)) { transcript in
            let text = String(repeating: "line\n", count: 100)
            let lines = message(transcript, text, .text, .received).split(separator: "\n")
            #expect(lines.count == 25)
            #expect(lines.last == "                 … 77 more lines, 500 B in all")
            let dump = self.message(transcript, [UInt8](repeating: 0xFF, count: 1000), .binary, .received)
            #expect(dump.hasSuffix("                 … 39 more lines, 1000 B in all\n"))
        }
        try withTranscript { transcript in
            let text = message(transcript, String(repeating: "x", count: 16385), .text, .received)
            #expect(
                text == "← text  16385 B  " + String(repeating: "x", count: 16384)
                    + "\n                 … 16.0 KiB in all\n"
            )
        }
    }

    @Test("A long message is not truncated within a character")
    func cutBetweenCharacters() throws {
        try withTranscript { transcript in
            let line = message(transcript, "xx" + String(repeating: "日", count: 6000), .text, .received)
            #expect(!line.contains("\u{FFFD}"))
            #expect(line.contains("日\n                 … 17.5 KiB in all\n"))
        }
    }

    @Test("A dump that does not fit next to its prefix has its own lines")
    func narrow() throws {
        let bytes = [UInt8](repeating: 0, count: 17)
        try withTranscript(size: ScreenSize(columns: 89, rows: 30)) { transcript in
            #expect(message(transcript, bytes, .binary, .sent).hasPrefix("→ binary   17 B  0000  00 00"))
        }
        try withTranscript(size: ScreenSize(columns: 88, rows: 30)) { transcript in
            let lines = message(transcript, bytes, .binary, .sent).split(separator: "\n")
            #expect(lines.first == "→ binary   17 B")
            #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  00") && $0.count <= 74 })
        }
    }

    @Test("JSON is indented on request")
    func pretty() throws {
        try withTranscript { transcript in
            #expect(message(transcript, "[1]", .text, .sent) == "→ text      3 B  [1]\n")
            transcript.layout.style = .full
            let margin = String(repeating: " ", count: 17)
            #expect(message(transcript, "[1]", .text, .sent) == "→ text      3 B  [\n\(margin)  1\n\(margin)]\n")
            #expect(control(transcript, "[1]", .sent) == "→ ping      3 B  [1]\n")
        }
    }

    @Test("The lines of a message are aligned, for any client and size")
    func severalLines() throws {
        for style in [TimestampStyle.off, .utc, .relative] {
            try withTranscript(style) { transcript in
                for client in [nil, 7, 123] as [Int?] {
                    for filler in [0, 200_000] {
                        let text = "{\n  1\n}" + String(repeating: " ", count: filler)
                        let line = message(transcript, text, .text, .received, client: client)
                        let lines = line.split(separator: "\n", omittingEmptySubsequences: false)
                        let start = lines[0].prefix { $0 != "{" }.count
                        #expect(lines[1] == String(repeating: " ", count: start) + "  1")
                        #expect(lines[2].hasPrefix(String(repeating: " ", count: start) + "}"))
                    }
                }
            }
        }
    }

    @Test("Control characters from a peer are escaped")
    func hostile() throws {
        try withTranscript { transcript in
            let attack = "\u{1B}[2J\r\u{9B}H\u{202E}"
            let shown = #"\u{1B}[2J\u{D}\u{9B}H\u{202E}"#
            #expect(message(transcript, attack, .text, .received) == "← text     11 B  \(shown)\n")
            let close = transcript.close(CloseFrame(code: .normalClosure, reason: attack + "\n"), .received)
            #expect(close == "← close  1000    normal closure: \"\(shown)\\u{A}\"\n")
            #expect(control(transcript, "a\nb", .received) == "← ping      3 B  a\\u{A}b\n")
            #expect(control(transcript, attack, .received) == "← ping     11 B  \(shown)\n")
        }
    }

    @Test("A queued message is not shown as sent")
    func queued() throws {
        try withTranscript { transcript in
            #expect(message(transcript, "later", .text, .queued) == "… text      5 B  later\n")
        }
    }

    @Test("Pings and pongs show their payload, as hex if it is not text, and a note")
    func controls() throws {
        try withTranscript { transcript in
            #expect(control(transcript, "", .sent) == "→ ping      0 B\n")
            let pong = [UInt8]([0xFF]).withUnsafeBytes {
                transcript.control(.pong, $0.bytes, .received, note: "(after 1.000 ms)")
            }
            #expect(pong == "← pong      1 B  ff  .  (after 1.000 ms)\n")
            let empty = [UInt8]().withUnsafeBytes { transcript.control(.pong, $0.bytes, .received, note: "(note)") }
            #expect(empty == "← pong      0 B  (note)\n")
        }
    }

    @Test("Close frames show their code, its meaning, and the reason")
    func closes() throws {
        try withTranscript { transcript in
            func close(_ code: UInt16?, _ reason: String = "") -> String {
                transcript.close(CloseFrame(code: code.map { CloseCode(rawValue: $0) }, reason: reason), .received)
            }
            #expect(close(1000, "bye") == "← close  1000    normal closure: \"bye\"\n")
            #expect(close(1001) == "← close  1001    going away\n")
            #expect(close(4321) == "← close  4321\n")
            #expect(close(4321, "mine") == "← close  4321    \"mine\"\n")
            #expect(close(nil) == "← close          no code\n")
        }
    }

    @Test("A frame's header shows its fields")
    func headers() throws {
        try withTranscript { transcript in
            let header = FrameHeader(isFinal: true, opcode: .text, payloadBytes: 5)
            #expect(transcript.header(header, .received) == "← frame          FIN text 5 B\n")
            let fragment = FrameHeader(isFinal: false, opcode: .continuation, payloadBytes: 0)
            let masked = FrameHeader(
                isCompressed: true, opcode: .binary, maskingKey: MaskingKey(word: UInt32(0x0102_AB04).bigEndian),
                payloadBytes: 1)
            #expect(transcript.header(masked, .sent) == "→ frame          FIN RSV1 binary masked 0102ab04 1 B\n")
            #expect(transcript.header(fragment, .received) == "← frame          continuation 0 B\n")
        }
    }

    @Test("The lines of a head show their direction")
    func heads() throws {
        try withTranscript { transcript in
            #expect(transcript.head("GET / HTTP/1.1", .sent) == "→ GET / HTTP/1.1\n")
            #expect(transcript.head("GET / HTTP/1.1", .received, client: 3) == "#3 ← GET / HTTP/1.1\n")
        }
    }

    @Test("Times are clock times or relative to the start, with constant width")
    func timestamps() throws {
        for style in [TimestampStyle.local, .utc] {
            try withTranscript(style) { transcript in
                let line = message(transcript, "x", .text, .sent)
                #expect(line.wholeMatch(of: /[0-2]\d:[0-5]\d:[0-6]\d\.\d{3} → text      1 B  x\n/) != nil)
            }
        }
        try withTranscript(.relative) { transcript in
            #expect(
                message(transcript, "x", .text, .sent).wholeMatch(of: /\ {6}\+0\.\d{3} → text      1 B  x\n/) != nil)
        }
    }

    @Test("The time and the direction are colored, but never the peer's text")
    func colors() throws {
        try withIdleLoop { loop in
            let transcript = Transcript(palette: Palette(isEnabled: true), timestamps: .off, style: .off, on: loop)
            #expect(
                message(transcript, "x", .text, .sent)
                    == "\u{1B}[38;5;30m→\u{1B}[0m \u{1B}[38;5;30mtext\u{1B}[0m      1 B  x\n")
            #expect(
                message(transcript, "x", .text, .received)
                    == "\u{1B}[38;5;28m←\u{1B}[0m \u{1B}[38;5;28mtext\u{1B}[0m      1 B  x\n")
            #expect(
                message(transcript, [], .binary, .sent)
                    == "\u{1B}[38;5;30m→\u{1B}[0m \u{1B}[38;5;163mbinary\u{1B}[0m    0 B\n")
            #expect(control(transcript, "", .received) == "\u{1B}[38;5;28m←\u{1B}[0m \u{1B}[2mping\u{1B}[0m      0 B\n")
            #expect(
                transcript.close(CloseFrame(code: nil), .received)
                    == "\u{1B}[38;5;28m←\u{1B}[0m \u{1B}[1mclose\u{1B}[0m          no code\n")
        }
    }

    private func withTranscript(
        _ style: TimestampStyle = .off, size: ScreenSize? = nil, _ body: (Transcript) throws -> Void
    ) throws {
        try withIdleLoop { loop in
            try body(Transcript(palette: Palette(isEnabled: false), timestamps: style, style: .off, on: loop) { size })
        }
    }

    private func message(
        _ transcript: Transcript, _ bytes: [UInt8], _ kind: MessageKind, _ direction: Transcript.Direction,
        client: Int? = nil
    ) -> String {
        bytes.withUnsafeBytes { transcript.message($0.bytes, as: kind, direction, client: client) }
    }

    private func message(
        _ transcript: Transcript, _ text: String, _ kind: MessageKind, _ direction: Transcript.Direction,
        client: Int? = nil
    ) -> String {
        message(transcript, Array(text.utf8), kind, direction, client: client)
    }

    private func control(_ transcript: Transcript, _ text: String, _ direction: Transcript.Direction) -> String {
        Array(text.utf8).withUnsafeBytes { transcript.control(.ping, $0.bytes, direction) }
    }
}
