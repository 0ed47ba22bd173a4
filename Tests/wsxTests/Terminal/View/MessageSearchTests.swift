import Formats
import Testing

@testable import UserInterface
@testable import WSCore

@Suite struct MessageSearchTests {
    @Test("The newest match comes first; keys move to older and newer ones, not beyond the ends")
    func moving() throws {
        try withSearch(["apple 1", "pear", "apple 2", "apple 3"]) { search, _, _, _ in
            search.type("app")
            #expect(search.shown == "(find) 'app' 1 of 3  #4 ← apple 3")
            for key in [.control("F"), .up, .control("P")] as [PromptKey] { _ = search.press(key) }
            #expect(search.shown == "(find) 'app' 3 of 3  #1 ← apple 1")
            _ = search.press(.down)
            #expect(search.shown == "(find) 'app' 2 of 3  #3 ← apple 2")
            for _ in 0..<5 { _ = search.press(.control("N")) }
            #expect(search.shown == "(find) 'app' 1 of 3  #4 ← apple 3")
        }
    }

    @Test("A longer text narrows the search, and Backspace widens it again")
    func narrowing() throws {
        try withSearch(["a", "ab", "abc", "ab"]) { search, _, _, _ in
            for (key, shown) in [
                (.text("a"), "'a' 1 of 4  #4 ← ab"), (.text("b"), "'ab' 1 of 3  #4 ← ab"),
                (.text("c"), "'abc' 1 of 1  #3 ← abc"), (.text("d"), "'abcd' no match"),
                (.backspace, "'abc' 1 of 1  #3 ← abc"), (.backspace, "'ab' 1 of 3  #4 ← ab"),
            ] as [(PromptKey, String)] {
                #expect(search.press(key))
                search.finish()
                #expect(search.shown == "(find) " + shown)
            }
        }
    }

    @Test("After moving to a match, a longer text finds no newer one, unless only newer ones match")
    func position() throws {
        try withSearch(["ab 1", "b 2", "ab 3", "ab 4", "bc 5"]) { search, _, _, _ in
            search.type("b")
            for _ in 0..<2 { _ = search.press(.up) }
            #expect(search.shown == "(find) 'b' 3 of 5  #3 ← ab 3")
            search.type(" ")
            #expect(search.shown == "(find) 'b ' 2 of 4  #3 ← ab 3")
            _ = search.press(.backspace)
            search.type("c")
            #expect(search.shown == "(find) 'bc' 1 of 1  #5 ← bc 5")
        }
    }

    @Test(
        "A text is a regular expression, itself, and what is shown",
        arguments: [
            ("a.c", 3), ("a(", 1), ("a(b", 1), ("a(b)", 2), ("[1,2]", 3), (#""id": 5"#, 1), (#""id":5"#, 1),
            (#"\E|x\"#, 1), ("^ab", 1), ("Zoë", 1), ("zzz", 0), ("a)|(b", 0), (#"\d{1"#, 0),
        ])
    func patterns(text: String, count: Int) throws {
        let messages = ["abc", "a.c", "axc", "a(b)", #"{"id": 5, "name": "Zo\u00eb"}"#, "[1,2]", #"\E|x\"#, "1"]
        try withSearch(messages) { search, _, _, _ in
            search.type(text)
            #expect(search.shown.contains(count == 0 ? "' no match" : "' 1 of \(count)  #"))
        }
    }

    @Test("Messages that arrive are counted, and the message that is shown stays")
    func arrivals() throws {
        try withSearch(["apple 1"]) { search, view, _, loop in
            search.type("apple")
            view.receive("apple 2")
            view.receive("pear")
            loop.turn { search.shown == "(find) 'apple' 2 of 2  #1 ← apple 1" }
            _ = search.press(.down)
            #expect(search.shown == "(find) 'apple' 1 of 2  #2 ← apple 2")
        }
    }

    @Test("A large log is searched to its end")
    func large() throws {
        try withSearch((1...20_000).map { #"{"number": \#($0)}"# }) { search, _, _, _ in
            search.type("er\":1")
            #expect(search.shown == "(find) 'er\":1' 1 of 11,111  #19999 ← {\"number\":19999}")
            search.type("9999")
            #expect(search.shown == "(find) 'er\":19999' 1 of 1  #19999 ← {\"number\":19999}")
        }
    }

    @Test("A search goes on step by step, from the newest message to the oldest, after new ones")
    func steps() throws {
        try withSearch(["a", "b", "a", "ab"]) { _, view, _, _ in
            var matches = try #require(SearchMatches(of: "a", upTo: view.log.lastNumber))
            var found: [[Int]] = []
            func step() {
                matches.advance(in: view.log) { true }
                found.append((0..<matches.count).map { matches[$0] })
            }
            step()
            view.receive("a")
            for _ in 0..<2 { step() }
            #expect(found == [[4], [5, 4], [5, 4, 3]])
            var narrower = try #require(SearchMatches(of: "ab", upTo: view.log.lastNumber))
            narrower.narrow(matches)
            matches = narrower
            found = []
            for _ in 0..<6 { step() }
            #expect(found == [[], [4], [4], [4], [4], [4]] && matches.progress == .complete)
            #expect(matches.position(atOrBefore: 3) == nil && matches.position(atOrBefore: 9) == 0)
        }
    }

    @Test("A match that is dropped from the log gives way to the oldest one")
    func dropping() throws {
        try withSearch(["match 1", "match 2", "match 3"]) { search, view, _, loop in
            search.type("match")
            for _ in 0..<2 { _ = search.press(.up) }
            #expect(search.shown == "(find) 'match' 3 of 3  #1 ← match 1")
            // Only two small messages remain beside this one.
            let bytes = [UInt8](repeating: 0x78, count: MessageLog.maximumBytes - 3 * MessageLog.entryBytes - 16)
            view.togglePause()
            view.show(bytes.span.bytes, as: .text, .received)
            loop.turn { search.shown == "(find) 'match' 2 of 2  #2 ← match 2" }
        }
    }

    @Test("A pattern that needs too many steps ends the search")
    func limit() throws {
        try withSearch(["first", String(repeating: "a", count: 64) + "!", "last"]) { search, _, _, _ in
            search.type("(a+)+$|last")
            #expect(search.shown == "(find) '(a+)+$|last' 1 of 1, too many steps  #3 ← last")
        }
    }

    @Test("Enter shows the message in full, with highlighted matches, also in later messages")
    func accepting() throws {
        try withSearch([#"{"a":"needle"}"#, "other"], isColored: true) { search, view, diagnostics, _ in
            search.type("needle")
            #expect(!search.press(.enter))
            #expect(view.finding.search == nil)
            #expect(diagnostics.takeAll().contains("\u{1B}[7mneedle\u{1B}[0m"))
            view.receive("a needle")
            #expect(diagnostics.takeAll().contains("a \u{1B}[7mneedle"))
        }
    }

    @Test("Enter without a match and Escape show nothing; Ctrl-F without a text repeats the search")
    func repeating() throws {
        try withSearch(["one", "two"]) { search, view, diagnostics, _ in
            search.type("zzz")
            #expect(!search.press(.enter))
            let next = view.openSearch()
            #expect(next.shown == "(find) '' Ctrl-F repeats 'zzz'")
            next.type("two")
            #expect(!next.press(.escape))
            #expect(diagnostics.takeAll() == "" && view.finding.highlight == nil)
            let last = view.openSearch()
            #expect(last.press(.control("F")))
            last.finish()
            #expect(last.shown == "(find) 'two' 1 of 1  #2 ← two")
            #expect(!last.press(.control("A")))
            #expect(view.finding.search == nil)
        }
    }

    @Test("The line fits into any window, and shows the surroundings of the match")
    func width() throws {
        let message =
            String(repeating: "x", count: 500) + " 漢字 needle 😀😀 \u{1B}[2J " + String(repeating: "y", count: 500)
        try withSearch([message]) { search, _, _, _ in
            search.type("needle")
            for columns in 1...200 {
                let (text, cursor) = search.line(columns: columns)
                #expect(text.columns <= columns && cursor <= columns && DisplayWidth.of(text.text) == text.columns)
                #expect(!text.text.utf8.contains(0x1B))
                if columns >= 50 { #expect(text.text.contains("needle 😀")) }
            }
            search.type(String(repeating: "漢", count: 100))
            let (text, cursor) = search.line(columns: 40)
            #expect(text.text == "(find) '…漢漢漢漢漢' no match" && cursor == 19)
        }
    }

    @Test("An event is shown with its name")
    func heading() throws {
        try withSearch([]) { search, view, _, loop in
            view.show(Array("[1]".utf8).span.bytes, as: .text, .sent, client: 3, heading: "order.created")
            search.type("created")
            #expect(search.shown == "(find) 'created' 1 of 1  #1 @3 → order.created [1]")
        }
    }

    private func withSearch(
        _ messages: [String], isColored: Bool = false,
        _ body: (MessageSearch, MessageView, ReadableDiagnostics, EventLoop) throws -> Void
    ) throws {
        let (diagnostics, loop) = (try ReadableDiagnostics(), try EventLoop())
        let transcript = Transcript(
            palette: Palette(isEnabled: isColored), timestamps: .off, isAtPrompt: true, style: .fit, on: loop
        ) {
            ScreenSize(columns: 100, rows: 30)
        }
        let view = MessageView(diagnostics: diagnostics.diagnostics, transcript: transcript, on: loop)
        for message in messages { view.receive(message) }
        _ = diagnostics.takeAll()
        try body(view.openSearch(), view, diagnostics, loop)
    }
}

extension MessageSearch {
    fileprivate var shown: String { line(columns: 100).text.text }

    fileprivate func type(_ text: String) {
        for character in text { #expect(press(.text(String(character)))) }
        finish()
    }

    /// Searches all messages, however long that takes.
    fileprivate func finish() {
        view.loop.turn { !isSearching }
    }
}

extension MessageView {
    fileprivate func receive(_ text: String) {
        show(Array(text.utf8).span.bytes, as: .text, .received)
    }
}
