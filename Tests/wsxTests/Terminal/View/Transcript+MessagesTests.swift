import Conversation
import Formats
import Testing
import WSCore

@testable import UserInterface

@Suite struct TranscriptMessagesTests {
    @Test("A message that fits takes one line, with its number and direction")
    func oneLine() throws {
        try withTranscript { transcript in
            #expect(lines(transcript, #"{"op": "ping"}"#, .sent) == "  #1 → {\"op\":\"ping\"}\n")
            #expect(lines(transcript, "hello", .received, number: 12) == " #12 ← hello\n")
            #expect(lines(transcript, "hello", .received, number: 12_345) == "#12345 ← hello\n")
            #expect(lines(transcript, "hello", .received, client: 3) == "  #1 @3 ← hello\n")
            #expect(lines(transcript, "", .received) == "  #1 ← (empty)\n")
            #expect(lines(transcript, "later", .queued) == "  #1 … later\n")
        }
    }

    @Test("Longer text is wrapped at words with a hanging indent, and folded beyond the limit")
    func wrapped() throws {
        try withTranscript(columns: 50, rows: 24) { transcript in
            let words = String(repeating: "word ", count: 14)
            #expect(
                lines(transcript, words, .received).split(separator: "\n").map { $0.trimmedAtEnd } == [
                    "  #1 ← word word word word word word word word", "       word word word word word word",
                ])
            let long = lines(transcript, String(repeating: "word ", count: 500), .received, number: 7)
            let rows = long.split(separator: "\n")
            #expect(rows.count == 7)
            #expect(rows.last == "       … 2500 B, /7 shows all")
        }
    }

    @Test("Narrow windows use the space of the number column, and no line is too long", arguments: [30, 60, 80, 120])
    func widths(columns: Int) throws {
        try withTranscript(columns: columns, rows: 24) { transcript in
            let json = #"{"a":"\#(String(repeating: "x", count: 300))","b":[\#(String(repeating: "1,", count: 200))2]}"#
            for text in [json, String(repeating: "水", count: 200), "a\tb\nc", String(repeating: "y", count: 20_000)] {
                for line in lines(transcript, text, .received, number: 1000).split(separator: "\n") {
                    #expect(DisplayWidth.of(String(line)) < columns)
                }
            }
            let bytes = [UInt8](repeating: 0xFF, count: 1000)
            let dump = transcript.lines(
                of: bytes.span.bytes, as: .binary, .received, number: 3, at: transcript.clock.now)
            #expect(dump.isFolded)
            for line in dump.text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) < columns) }
        }
    }

    @Test("Binary messages show their size, bytes, and text")
    func binary() throws {
        try withTranscript { transcript in
            let bytes: [UInt8] = [0, 0x41, 0xFF]
            let shown = transcript.lines(
                of: bytes.span.bytes, as: .binary, .received, number: 1, at: transcript.clock.now)
            #expect(shown.text == "  #1 ← binary 3 B  00 41 ff  .A.\n")
            #expect(!shown.isFolded)
        }
    }

    @Test("At 30 columns, three bytes of a binary message fit on a line")
    func narrowBinary() throws {
        try withTranscript(columns: 30) { transcript in
            for (bytes, expected) in [
                ([0, 0x41, 0xFF], "#1 ← binary 3 B  00 41 ff\n"),
                ([UInt8](repeating: 0xFF, count: 40), "#1 ← binary 40 B  ff ff ff …\n     … /1 shows all\n"),
            ] as [([UInt8], String)] {
                let shown = transcript.lines(
                    of: bytes.span.bytes, as: .binary, .received, number: 1, at: transcript.clock.now)
                #expect(shown.text == expected)
            }
        }
    }

    @Test("At 30 columns, the JSON of a reply begins on its own line")
    func narrowReply() throws {
        try withTranscript(columns: 30) { transcript in
            let role = Transcript.Role.reply(to: 14, roundTrip: .microseconds(1_377), error: nil)
            #expect(
                lines(transcript, #"{"jsonrpc":"2.0","id":2}"#, .received, number: 5, role: role)
                    == "#5 ← #14 1.38 ms \n     {\"jsonrpc\":\"2.0\",\"id\":2}\n")
        }
    }

    @Test("A reply shows its request, its round trip, and its error")
    func replies() throws {
        try withTranscript { transcript in
            let role = Transcript.Role.reply(to: 4, roundTrip: .microseconds(1500), error: nil)
            #expect(lines(transcript, "[1]", .received, number: 5, role: role) == "  #5 ← #4 1.50 ms [1]\n")
            let failed = Transcript.Role.reply(to: nil, roundTrip: .zero, error: "error -32601: no such method")
            #expect(
                lines(transcript, "{}", .received, number: 6, role: failed)
                    == "  #6 ← 0.00 us error -32601: no such method {}\n")
        }
    }

    @Test("A left edge wider than the window does not crash", arguments: [1, 10, 20, 24])
    func tiny(columns: Int) throws {
        try withTranscript(columns: columns, rows: 5) { transcript in
            transcript.clock.style = .local
            for text in ["short", String(repeating: "x", count: 500), #"{"a":[1,2,3],"b":"long value"}"#] {
                let shown = lines(transcript, text, .received, number: 1_234_567, client: 1234)
                #expect(shown.contains("@1234 ← "))
            }
        }
    }

    @Test(
        "At 30 columns, no line is longer than the window beside the time",
        arguments: [TimestampStyle.local, .relative])
    func narrowWithTime(style: TimestampStyle) throws {
        try withTranscript(columns: 30, rows: 24) { transcript in
            transcript.clock.style = style
            for text in ["words that have to be wrapped", #"{"key":"a long value","list":[1,2,3]}"#] {
                let shown = lines(transcript, text, .received, number: 10)
                #expect(shown.split(separator: "\n").allSatisfy { $0.count < 30 })
                #expect(!shown.hasPrefix(" "))
            }
        }
    }

    @Test("A match in a message that fits is highlighted in the whole message")
    func matchInShortMessage() throws {
        try withTranscript { transcript in
            let text = Array("a message that fits, with a needle".utf8)
            let shown = transcript.lines(
                of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                highlighting: try Pattern("needle"))
            #expect(shown.text == "  #1 ← a message that fits, with a needle\n")
            #expect(!shown.isFolded)
        }
    }

    @Test("A notification is dim as a whole")
    func notification() throws {
        try withIdleLoop { loop in
            let transcript = Transcript(
                palette: Palette(isEnabled: true), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
            let text = Array(#"{"a":[1]}"#.utf8)
            let shown = transcript.lines(
                of: text.span.bytes, as: .text, .received, number: 1, role: .notification, at: transcript.clock.now)
            #expect(shown.text.hasSuffix("\u{1B}[2m{\"a\":[1]}\u{1B}[0m\n"))
        }
    }

    @Test("Control frames have no number; a close frame shows its meaning and reason")
    func frames() throws {
        try withTranscript { transcript in
            let payload = Array("a\"\u{1B}".utf8)
            #expect(
                transcript.control(.ping, payload.span.bytes, .received, note: "(after 1 ms)")
                    == #"     ← ping "a"\u{1B}" (after 1 ms)"# + "\n")
            #expect(
                transcript.close(CloseFrame(code: .normalClosure, reason: "bye"), .received)
                    == "     ← close 1000 normal closure: \"bye\"\n")
            #expect(transcript.close(CloseFrame(code: nil), .sent) == "     → close without a code\n")
        }
    }

    @Test("A close frame shows no secret that the peer repeats")
    func secretReason() throws {
        try withIdleLoop { loop in
            let secrets = SecretRecord()
            secrets.add("hunter2hunter2", of: "--bearer")
            let transcript = Transcript(
                palette: Palette(isEnabled: false), timestamps: .off, isAtPrompt: true, style: .fit, without: secrets,
                on: loop)
            let shown = transcript.close(CloseFrame(code: .normalClosure, reason: "no hunter2hunter2"), .received)
            #expect(!shown.contains("hunter2"))
        }
    }

    @Test("Control characters from a peer are escaped in every style")
    func hostile() throws {
        try withTranscript { transcript in
            for style in [PrettyStyle.fit, .full, .off] {
                transcript.layout.style = style
                let shown = lines(transcript, "\u{1B}[2J\r\u{9B}H\u{202E}", .received)
                #expect(shown == "  #1 ← \\u{1B}[2J\\u{D}\\u{9B}H\\u{202E}\n", "\(style)")
                let json = lines(transcript, "[\"\u{9B}\u{202E}\"]", .received)
                #expect(json.contains("\\u{9B}\\u{202E}"), "\(style)")
            }
        }
    }

    @Test("The style full shows one member per line, and off shows the text unchanged")
    func styles() throws {
        try withTranscript { transcript in
            transcript.layout.style = .full
            #expect(lines(transcript, "[1]", .received) == "  #1 ← [\n         1\n       ]\n")
            transcript.layout.style = .off
            #expect(lines(transcript, "[ 1 ]", .received) == "  #1 ← [ 1 ]\n")
        }
    }

    @Test("A message in full has a line of facts and no margin")
    func whole() throws {
        try withTranscript { transcript in
            var log = MessageLog()
            log.add(Array("{\"a\":[1]}".utf8).span.bytes, as: .text, .received, at: transcript.clock.now)
            let lines = transcript.whole(try #require(log.entry(1))).split(separator: "\n")
            #expect(lines[0].hasPrefix("  #1 ← text, 9 B, "))
            #expect(lines[1...] == ["{", "  \"a\": [", "    1", "  ]", "}"])
            log.add(
                Array(repeating: UInt8(ascii: "x"), count: 2 << 20).span.bytes, as: .text, .sent,
                at: transcript.clock.now)
            let part = transcript.whole(try #require(log.entry(2)))
            #expect(part.hasSuffix("… only the beginning is shown; /save FILE 2 saves all of it\n"))
            #expect(part.prefix { $0 != "\n" }.hasSuffix(", only the beginning"))
        }
    }

    @Test("A match is shown with its surroundings, highlighted")
    func match() throws {
        try withIdleLoop { loop in
            let transcript = Transcript(
                palette: Palette(isEnabled: true), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
            let text = Array("some text".utf8)
            let shown = transcript.lines(
                of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                highlighting: try Pattern("text"))
            #expect(shown.text.hasSuffix("some \u{1B}[7mtext\u{1B}[0m\n"))
        }
    }

    @Test("A match does not unfold a message, and one in the folded part is shown with its surroundings")
    func matchInFoldedMessage() throws {
        let numbers = (1...400).map { "\($0)" }.joined(separator: ",")
        let text = Array("{\"first\":true,\"numbers\":[\(numbers)]}".utf8)
        try withIdleLoop { loop in
            let transcript = Transcript(
                palette: Palette(isEnabled: true), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
            func shown(_ pattern: String) throws -> Transcript.Message {
                transcript.lines(
                    of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                    highlighting: try Pattern(pattern))
            }
            let visible = try shown("first\":t")
            #expect(visible.text.contains("\u{1B}[7mfirst\":t\u{1B}[0m"))
            #expect(visible.isFolded && visible.text.contains("shows all"))
            let hidden = try shown("399")
            #expect(hidden.isFolded && hidden.text.contains("397,398,\u{1B}[7m399\u{1B}[0m,400"))
        }
    }

    @Test("A match in whitespace between tokens does not hide the colors of the message")
    func matchInWhitespace() throws {
        let text = Array(#"{"a": [1,  2]}"#.utf8)
        try withIdleLoop { loop in
            let transcript = Transcript(
                palette: Palette(isEnabled: true), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
            for style in [PrettyStyle.fit, .full] {
                transcript.layout.style = style
                let shown = transcript.lines(
                    of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                    highlighting: try Pattern("  "))
                #expect(shown.text.contains("\u{1B}[1;38;5;27m\"a\"") && !shown.isFolded)
            }
        }
    }

    @Test("Punctuation is highlighted in all layouts", arguments: [PrettyStyle.fit, .full, .off])
    func matchInPunctuation(style: PrettyStyle) throws {
        let text = Array(#"{"a":[1,22]}"#.utf8)
        try withIdleLoop { loop in
            let transcript = Transcript(
                palette: Palette(isEnabled: true), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
            transcript.layout.style = style
            for pattern in ["{", ":", #"\["#, ",", "]", "}"] {
                let shown = transcript.lines(
                    of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                    highlighting: try Pattern(pattern))
                #expect(shown.text.contains("\u{1B}[7m\(pattern.suffix(1))\u{1B}[0m"))
                #expect(style == .off || shown.text.contains("\u{1B}[1;38;5;27m"))
            }
        }
    }

    @Test("A match does not change line breaks", arguments: [30, 60, 80, 120])
    func matchKeepsLines(columns: Int) throws {
        let texts = [
            #"{"text":"\#(String(repeating: "word ", count: 9))","n":[1,2,3,4,5,6,7,8,9]}"#,
            "  indented text with words, \u{1B}[2J, and\ttabs\n \n  next " + String(repeating: "line ", count: 20),
            String(repeating: "水", count: 60), "a literal \\u{1B} in a text that is longer than a line of 30 columns",
        ]
        try withTranscript(columns: columns) { transcript in
            for text in texts.map({ Array($0.utf8) }) {
                func shown(_ pattern: Pattern?) -> Transcript.Message {
                    transcript.lines(
                        of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                        highlighting: pattern)
                }
                let plain = shown(nil)
                for pattern in [" ", "w", "u", "line|,", "水", #"\W"#, "."] {
                    let found = shown(try Pattern(pattern))
                    #expect(found.text == plain.text && found.isFolded == plain.isFolded, "\(pattern)")
                }
            }
        }
    }

    @Test("No excerpt is wider than the window, even with control characters", arguments: [30, 60, 80, 120])
    func excerptWidth(columns: Int) throws {
        let noise = String(repeating: "\u{1B}\u{202E}x水", count: 400)
        let text = Array((noise + "needle" + noise).utf8)
        try withTranscript(columns: columns) { transcript in
            let shown = transcript.lines(
                of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                highlighting: try Pattern("needle"), isListed: true)
            #expect(shown.text.contains("needle") && shown.isFolded)
            #expect(DisplayWidth.of(String(shown.text.dropLast())) < columns)
        }
    }

    @Test("Highlights in the layouts full and off")
    func matchInOtherLayouts() throws {
        let text = Array(#"{"a":[1,22]}"#.utf8)
        try withIdleLoop { loop in
            let transcript = Transcript(
                palette: Palette(isEnabled: true), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
            for (style, rest) in [(PrettyStyle.full, "\n"), (.off, "]}\n")] {
                transcript.layout.style = style
                let shown = transcript.lines(
                    of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now,
                    highlighting: try Pattern("22"))
                #expect(shown.text.contains("\u{1B}[7m22\u{1B}[0m\(rest)"))
            }
        }
    }

    @Test("A message is not folded if the line with the hint could show the rest", arguments: [PrettyStyle.fit, .off])
    func pointlessFold(style: PrettyStyle) throws {
        try withTranscript(columns: 60, rows: 20) { transcript in
            transcript.layout.style = style
            // Five rows fit in a quarter of the window; in the style off, fourteen leave six for other output.
            let rows = style == .fit ? 5 : 14
            for (count, isFolded) in [(rows, false), (rows + 1, false), (rows + 2, true)] {
                let line = String(repeating: "x", count: 45)
                let text = Array((1...count).map { _ in line }.joined(separator: "\n").utf8)
                let shown = transcript.lines(
                    of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now)
                #expect(shown.isFolded == isFolded, "\(count) lines")
                #expect(shown.text.split(separator: "\n").count <= rows + 1)
            }
        }
    }

    @Test("A long value is wrapped if folding it would not save a line")
    func pointlessFoldOfValue() throws {
        try withTranscript(columns: 60) { transcript in
            let text = Array("{\"text\":\"\(String(repeating: "x", count: 70))\"}".utf8)
            let shown = transcript.lines(of: text.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now)
            #expect(!shown.isFolded)
            #expect(shown.text.split(separator: "\n").count == 2)
            let long = Array("{\"text\":\"\(String(repeating: "x", count: 120))\"}".utf8)
            let folded = transcript.lines(
                of: long.span.bytes, as: .text, .received, number: 1, at: transcript.clock.now)
            #expect(folded.isFolded)
            #expect(folded.text.split(separator: "\n").count == 2)
        }
    }

    private func withTranscript(
        columns: Int = 100, rows: Int = 30, _ body: (Transcript) throws -> Void
    ) throws {
        try withIdleLoop { loop in
            try body(
                Transcript(
                    palette: Palette(isEnabled: false), timestamps: .off, isAtPrompt: true, style: .fit, on: loop
                ) {
                    ScreenSize(columns: columns, rows: rows)
                })
        }
    }

    private func lines(
        _ transcript: Transcript, _ text: String, _ direction: Transcript.Direction, number: Int = 1,
        client: Int? = nil, role: Transcript.Role = .plain
    ) -> String {
        let bytes = Array(text.utf8)
        return transcript.lines(
            of: bytes.span.bytes, as: .text, direction, number: number, client: client, role: role,
            at: transcript.clock.now
        ).text
    }
}

extension Substring {
    fileprivate var trimmedAtEnd: String {
        var text = String(self)
        while text.last == " " { text.removeLast() }
        return text
    }
}
