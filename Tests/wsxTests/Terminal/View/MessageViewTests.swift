import Formats
import Testing

@testable import UserInterface
@testable import WSCore

@Suite struct MessageViewTests {
    @Test("A flood shows samples and counts, and keeps every message")
    func flood() throws {
        try withView { view, diagnostics, loop in
            for number in 1...1000 { view.receive("message \(number)") }
            #expect(diagnostics.take().count == FloodGate.limit)
            var lines: [String] = []
            loop.turn {
                lines += diagnostics.take()
                return !lines.isEmpty
            }
            #expect(lines.first?.hasPrefix("… 800 more messages in ") ?? false)
            view.showTail(2)
            #expect(diagnostics.take() == ["#999 ← message 999", "#1000 ← message 1000"])
            #expect(view.log.kept.count == 1000)
        }
    }

    @Test("Messages that the user typed are shown in any case; repetitions are part of a flood")
    func own() throws {
        try withView { view, diagnostics, _ in
            view.togglePause()
            view.setFilter("nothing")
            _ = diagnostics.take()
            view.isTyped = true
            view.send("mine")
            #expect(diagnostics.take() == ["  #1 → mine"])
            view.isTyped = false
            view.send("mine")
            #expect(diagnostics.take() == [])
        }
    }

    @Test("A typed message that waits is shown without a number; a repeated one is not shown")
    func waiting() throws {
        try withView { view, diagnostics, _ in
            let text = Array("later".utf8)
            view.isTyped = true
            view.show(waiting: text.span.bytes, as: .text)
            view.isTyped = false
            view.show(waiting: text.span.bytes, as: .text)
            #expect(diagnostics.take() == ["     … later"])
            #expect(view.log.lastNumber == 0)
        }
    }

    @Test("A message without the selected value is omitted, other hidden messages are not")
    func omitted() throws {
        try withView { view, diagnostics, _ in
            view.setFilter("a")
            view.setSelection(try JSONPath(".a"))
            _ = diagnostics.take()
            let results = [#"{"a":1}"#, #"["a"]"#, "b"].map { view.receive($0) }
            #expect(results == [false, true, false])
            #expect(diagnostics.take() == ["  #1 ← 1"])
            #expect(view.filterNames == "filter /a/ · pick .a")
        }
    }

    @Test("Sent and received messages are counted, whether shown or not")
    func counts() throws {
        try withView { view, _, _ in
            view.togglePause()
            for _ in 1...3 { view.receive("x") }
            view.send("y")
            #expect(view.log.receivedCount == 3 && view.log.sentCount == 1)
        }
    }

    @Test("A pause hides and counts messages, and the prompt says so")
    func pause() throws {
        try withView { view, diagnostics, _ in
            var changes = 0
            view.tagsDidChange = { changes += 1 }
            view.togglePause()
            for _ in 1...3 { view.receive("x") }
            #expect(view.tags.map(\.text) == ["[paused, 3 new]"])
            #expect(changes == 4)
            #expect(diagnostics.take() == ["Paused. Messages are kept; /pause shows new ones again."])
            view.togglePause()
            #expect(diagnostics.take() == ["Showing messages again. 3 messages arrived meanwhile; /tail 3 shows them."])
            #expect(view.tags.isEmpty)
        }
    }

    @Test("Filters show their condition and what they hide")
    func filters() throws {
        try withView { view, diagnostics, _ in
            view.setFilter("err|warn")
            for text in ["error", "debug", "debug"] { view.receive(text) }
            #expect(view.tags.map(\.text) == ["[/err|warn/ 2 hidden]"])
            #expect(diagnostics.take().last == "  #1 ← error")
            view.setFilter(nil)
            #expect(diagnostics.take() == ["Showing all messages again; /err|warn/ hid 2 messages."])
            view.setFilter(String(repeating: "long", count: 20))
            #expect(view.tags.map(\.text) == ["[/longlonglonglonglonglong…/]"])
        }
    }

    @Test("A condition and a selection apply to received JSON messages")
    func queries() throws {
        try withView { view, diagnostics, _ in
            view.setCondition(try JSONCondition(".price>50"))
            view.setSelection(try JSONPath(".name"))
            _ = diagnostics.take()
            view.receive(#"{"price":51,"name":"a b"}"#)
            view.receive(#"{"price":50,"name":"c"}"#)
            view.receive(#"{"price":52}"#)
            view.receive("no JSON")
            #expect(diagnostics.take() == ["  #1 ← a b"])
            #expect(view.tags.map(\.text) == ["[where .price>50 2 hidden]", "[pick .name 1 hidden]"])
            view.setSelection(nil)
            view.setCondition(nil)
            #expect(diagnostics.take().last == "Showing all messages again; .price>50 hid 2 messages.")
            view.setCondition(try JSONCondition(".name ~ ^a"))
            view.receive(#"{"name":"abc"}"#)
            #expect(diagnostics.take().last == #"  #5 ← {"name":"abc"}"#)
        }
    }

    @Test("A dropped folded message does not hide the last one from /show")
    func showAfterDrop() throws {
        try withView { view, diagnostics, _ in
            view.receive(String(repeating: "long ", count: 1000))
            _ = diagnostics.take()
            view.togglePause()
            for _ in 0..<MessageLog.maximumCount { view.receive("x") }
            _ = diagnostics.take()
            view.showMessage(nil)
            #expect(diagnostics.take().first?.hasPrefix("#\(MessageLog.maximumCount + 1) ← text, 1 B") ?? false)
        }
    }

    @Test("A selection keeps errors and the round trip of replies")
    func selectedReplies() throws {
        try withView { view, diagnostics, _ in
            view.setSelection(try JSONPath(".result"))
            _ = diagnostics.take()
            let (good, bad) = (Array(#"{"result":3}"#.utf8), Array(#"{"error":1}"#.utf8))
            view.show(
                good.span.bytes, as: .text, .received, role: .reply(to: nil, roundTrip: .milliseconds(1), error: nil))
            view.show(
                bad.span.bytes, as: .text, .received, role: .reply(to: nil, roundTrip: .zero, error: "error 1: no"))
            #expect(diagnostics.take() == ["  #1 ← 1.00 ms 3", #"  #2 ← 0.00 us error 1: no {"error":1}"#])
        }
    }

    @Test("Changes are shown on one line; replies and the first message of a kind are shown as a whole")
    func changes() throws {
        try withView { view, diagnostics, _ in
            view.setChanges(true)
            _ = diagnostics.take()
            view.receive(#"{"type":"a","x":1}"#)
            view.receive(#"{"type":"b","x":1}"#)
            view.receive(#"{"type":"a","x":2}"#)
            let reply = Array(#"{"type":"a","x":3}"#.utf8)
            view.show(
                reply.span.bytes, as: .text, .received, role: .reply(to: nil, roundTrip: .zero, error: nil))
            view.receive(#"{"type":"a","x":4}"#)
            #expect(
                diagnostics.take() == [
                    #"  #1 ← {"type":"a","x":1}"#, #"  #2 ← {"type":"b","x":1}"#, "  #3 ← a: .x 1 → 2",
                    #"  #4 ← 0.00 us {"type":"a","x":3}"#, "  #5 ← a: .x 2 → 4",
                ])
            view.setChanges(nil)
            view.receive(#"{"type":"a","x":5}"#)
            #expect(diagnostics.take() == ["Showing whole messages.", #"  #6 ← {"type":"a","x":5}"#])
            view.showMessage(5)
            #expect(diagnostics.take().contains { $0.contains(#""x": 4"#) })
        }
    }

    @Test("Many changes are broken into lines, and folded like a message")
    func manyChanges() throws {
        try withView { view, diagnostics, _ in
            view.setChanges(true)
            _ = diagnostics.take()
            for start in [0, 100] {
                view.receive("[" + (start..<start + 60).map { "\($0)" }.joined(separator: ",") + "]")
            }
            let lines = diagnostics.take()
            #expect(lines.contains { $0.hasPrefix("  #2 ← .[0] 0 → 100  .[1] 1 → 101") })
            #expect(lines.last?.contains("/2 shows all") ?? false)
        }
    }

    @Test("After a search, matches in later messages are highlighted until the search ends")
    func highlighting() throws {
        try withView(isColored: true) { view, diagnostics, _ in
            view.receive("needle and thread")
            _ = diagnostics.take()
            view.find("n..dle")
            #expect(diagnostics.take().first?.contains("\u{1B}[7mneedle\u{1B}[0m and thread") ?? false)
            view.receive("a needle")
            #expect(diagnostics.take().first?.contains("a \u{1B}[7mneedle") ?? false)
            view.send("my needle")
            #expect(diagnostics.take().first?.contains("my \u{1B}[7mneedle") ?? false)
            view.receive(#"{"text":"a needle and a needle"}"#)
            #expect(
                diagnostics.take().first?.hasSuffix(
                    "{\u{1B}[1;38;5;27m\"text\"\u{1B}[0m:\u{1B}[38;5;28m\"a \u{1B}[0m\u{1B}[7mneedle\u{1B}[0m"
                        + "\u{1B}[38;5;28m and a \u{1B}[0m\u{1B}[7mneedle\u{1B}[0m\u{1B}[38;5;28m\"\u{1B}[0m}") ?? false
            )
            view.find(nil)
            view.receive("a needle")
            #expect(diagnostics.take().last?.hasSuffix("a needle") ?? false)
        }
    }

    @Test(
        "A search matches what was received and what is shown",
        arguments: [
            (#""id":5"#, 2), (#""id": 5"#, 2), ("Zoë", 2), (#"Zo\\u00eb"#, 1), (#"\{"id":5,"name":"Zoë"\}"#, 2),
            ("x", 0),
        ])
    func search(pattern: String, count: Int) throws {
        try withView { view, diagnostics, _ in
            view.receive(#"{"id": 5, "name": "Zo\u00eb"}"#)
            view.receive(#"{"id":5,"name":"Zoë"}"#)
            _ = diagnostics.take()
            view.find(pattern)
            #expect(diagnostics.take().last == "Found \(count) message\(count == 1 ? "" : "s").")
            view.setFilter(pattern)
            _ = diagnostics.take()
            view.receive(#"{"id": 5, "name": "Zo\u00eb"}"#)
            #expect(diagnostics.take().count == (count > 0 ? 1 : 0))
        }
    }

    @Test("A filter that excludes something hides it in the form that was received, and with its heading")
    func exclusion() throws {
        try withView { view, diagnostics, _ in
            view.setFilter(#"^(?!.*"type": "beat")"#)
            _ = diagnostics.take()
            view.receive(#"{"type": "beat"}"#)
            view.receive(#"{"type": "trade"}"#)
            #expect(diagnostics.take() == [#"  #2 ← {"type":"trade"}"#])
            view.setFilter("^(?!beat)")
            _ = diagnostics.take()
            for heading in ["beat", "trade"] {
                view.show(Array("{}".utf8).span.bytes, as: .text, .received, heading: heading)
            }
            #expect(diagnostics.take() == ["  #4 ← trade {}"])
        }
    }

    @Test("A match in the received text is highlighted where it is shown")
    func highlightOfReceived() throws {
        try withView(isColored: true) { view, diagnostics, _ in
            view.find(#"eb", "id": 5"#)
            _ = diagnostics.take()
            view.receive(#"{"name": "Zo\u00eb", "id": 5}"#)
            let line = try #require(diagnostics.take().last)
            let reversed = line.split(separator: "\u{1B}[7m").dropFirst().map { $0.prefix { $0 != "\u{1B}" } }
            #expect(reversed.joined() == #"ë","id":5"#)
        }
    }

    @Test(
        "A search that finds nothing suggests what does",
        arguments: [
            ("price", "; /find (?i)price finds 2."), ("a.b(c)", "; /find \\Qa.b(c)\\E finds 1."),
            ("A.B(C)", "; /find (?i)\\QA.B(C)\\E finds 1."), ("z", "."),
        ])
    func suggestions(pattern: String, end: String) throws {
        try withView { view, diagnostics, _ in
            for text in ["Price 1", "PRICE 2", "a.b(c)"] { view.receive(text) }
            _ = diagnostics.take()
            view.find(pattern)
            #expect(diagnostics.take() == ["Found 0 messages" + end])
        }
    }

    @Test("Pings are counted, and shown if someone waits for them")
    func pings() throws {
        try withView { view, diagnostics, _ in
            view.show(control: .ping, Array("x".utf8).span.bytes, .received, isRequested: false)
            #expect(diagnostics.take() == [] && view.pings == .hidden(count: 1))
            view.show(control: .pong, Array("x".utf8).span.bytes, .received, isRequested: true)
            #expect(diagnostics.take() == [#"     ← pong "x""#] && view.pings == .hidden(count: 1))
            view.setPings(true)
            view.show(control: .ping, Array("x".utf8).span.bytes, .received, isRequested: false)
            #expect(diagnostics.take().last == #"     ← ping "x""# && view.pings == .shown)
        }
    }

    @Test("An inspection decodes what is inside a message")
    func inspection() throws {
        try withView { view, diagnostics, _ in
            view.receive("first")
            view.receive(
                #"{"a":"{\"b\":1}","t":1735689600,"k":"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2ln","f":"AAECAwQFBgcICQoLDA0ODw=="}"#
            )
            _ = diagnostics.take()
            view.inspect(nil)
            let lines = diagnostics.take()
            #expect(lines[0].hasPrefix("  #2 ← text, ") && lines[0].hasSuffix(" after #1"))
            #expect(
                Array(lines[1...3]) == [
                    ".a  JSON", #"  {"b":1}"#,
                    ".t  2025-01-01T00:00:00.000000Z, \(lines[3].split(separator: " ").dropFirst(2).joined(separator: " "))",
                ])
            #expect(
                lines[4...].starts(with: [".k  JSON Web Token, not verified", #"  {"alg":"HS256"}"#, #"  {"exp":1}"#]))
            #expect(lines[7].hasPrefix("  expired 1970-01-01T00:00:01.000000Z, ") && lines[7].hasSuffix(" d ago"))
            #expect(lines[8...] == [".f  Base64, 16 B", "  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f"])
            view.inspect(1)
            #expect(diagnostics.take().last == "Nothing in it needs decoding.")
        }
    }

    private func withView(
        isColored: Bool = false, _ body: (MessageView, ReadableDiagnostics, EventLoop) throws -> Void
    ) throws {
        let (diagnostics, loop) = (try ReadableDiagnostics(), try EventLoop())
        let transcript = Transcript(
            palette: Palette(isEnabled: isColored), timestamps: .off, isAtPrompt: true, style: .fit, on: loop
        ) {
            ScreenSize(columns: 100, rows: 30)
        }
        try body(MessageView(diagnostics: diagnostics.diagnostics, transcript: transcript, on: loop), diagnostics, loop)
    }
}

extension MessageView {
    /// Returns whether the message was omitted.
    @discardableResult
    fileprivate func receive(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return show(bytes.span.bytes, as: .text, .received).isOmitted
    }

    fileprivate func send(_ text: String) {
        let bytes = Array(text.utf8)
        show(bytes.span.bytes, as: .text, .sent)
    }
}
