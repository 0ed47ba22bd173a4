import Testing
import WSCore

@testable import UserInterface

@Suite struct StatusLineTests {
    private let facts = StatusLine.Facts(
        place: ["wss://api.example.com/feed", "TLS 1.3"], roundTrip: .microseconds(41_200),
        recording: "session.jsonl", sentMessages: 12, receivedMessages: 1830, filters: "filter /error/ · pick .id")

    @Test("The line shows the address, messages, recording, filters, round trip, and TLS")
    func everything() {
        #expect(
            text(columns: 120)
                == "wss://api.example.com/feed · ↑ 12 ↓ 1,830 (214/s) · ● session.jsonl · filter /error/ · pick .id · 41.2 ms "
                + "· TLS 1.3")
    }

    @Test("Facts that do not fit are omitted, and a long address is cut", arguments: [60, 40, 30])
    func narrow(columns: Int) {
        let line = StatusLine.text(facts, rate: 214, columns: columns, palette: Palette(isEnabled: false))
        #expect(line.columns <= columns)
        #expect(line.text.hasPrefix("wss://api."))
    }

    @Test(
        "At 60 columns, neither the address nor the filter displaces the mark of a recording", arguments: [20, 40, 60])
    func recordingMark(columns: Int) {
        var facts = facts
        facts.place = [String(repeating: "x", count: 100)]
        facts.recording = String(repeating: "long", count: 20)
        let line = StatusLine.text(facts, rate: 0, columns: columns - 1, palette: Palette(isEnabled: false))
        #expect(line.text.contains(" · ●"))
        #expect(line.columns < columns)
        if columns == 60 { #expect(line.text.contains(" · ↑ 12 ↓ 1,830 · ●")) }
    }

    @Test("Messages that wait are counted apart from those sent")
    func waiting() {
        var facts = facts
        facts.waitingMessages = 3
        let line = StatusLine.text(facts, rate: 0, columns: 120, palette: Palette(isEnabled: false))
        #expect(line.text.contains(" · ↑ 12 (3 waiting) ↓ 1,830 · "))
        facts.unconfirmedMessages = 1_000
        let both = StatusLine.text(facts, rate: 0, columns: 120, palette: Palette(isEnabled: false))
        #expect(both.text.contains(" · ↑ 12 (3 waiting, 1,000 unconfirmed) ↓ 1,830 · "))
    }

    @Test("The line depends on the window until the user chooses")
    func choice() throws {
        try withIdleLoop { loop in
            let editor = FakeEditor()
            var size = ScreenSize(columns: 59, rows: 24)
            let line = StatusLine(
                above: editor, palette: Palette(isEnabled: false), on: loop, screenSize: { size }, facts: { facts })
            line.update()
            #expect(editor.statusLine == nil && !line.isOn)
            size = ScreenSize(columns: 60, rows: 10)
            line.update()
            #expect(editor.statusLine?.text.hasPrefix("wss://api") ?? false)
            line.choice = false
            #expect(editor.statusLine == nil)
            size = ScreenSize(columns: 30, rows: 5)
            line.choice = true
            #expect(editor.statusLine != nil)
        }
    }

    private func text(columns: Int) -> String {
        StatusLine.text(facts, rate: 214, columns: columns, palette: Palette(isEnabled: false)).text
    }
}
