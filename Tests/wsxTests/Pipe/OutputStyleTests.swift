import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct OutputStyleTests {
    @Test("In a pipe, JSON is indented and nothing is escaped")
    func pipe() {
        let style = OutputStyle(isTerminal: false, isPretty: true, palette: Palette(isEnabled: false))
        #expect(Self.output("{\"a\":\"\u{9B}\u{202E}\"}", style) == "{\n  \"a\": \"\u{9B}\u{202E}\"\n}")
        #expect(Self.output("{\"a\":1", style) == "{\"a\":1")
        #expect(Self.output("\u{1B}[2J\r", style) == "\u{1B}[2J\r")
        #expect(Self.output("[1]", style, .binary) == "[1]")
    }

    @Test("A message of more than 1 MiB is not indented")
    func large() {
        let style = OutputStyle(isTerminal: false, isPretty: true, palette: Palette(isEnabled: false))
        let text = "[" + String(repeating: "1,", count: 1 << 19) + "1]"
        #expect(Self.output(text, style) == text)
    }

    @Test("On a terminal, control characters are escaped, and JSON is indented unless disabled")
    func terminal() {
        let pretty = OutputStyle(isTerminal: true, isPretty: true, palette: Palette(isEnabled: false))
        #expect(Self.output("[\"\u{9B}\"]", pretty) == "[\n  \"\\u{9B}\"\n]")
        #expect(Self.output("\u{1B}[2J\r\n", pretty) == "\\u{1B}[2J\\u{D}\n")
        let plain = OutputStyle(isTerminal: true, isPretty: false, palette: Palette(isEnabled: false))
        #expect(Self.output("[\"\u{9B}\"]", plain) == "[\"\\u{9B}\"]")
    }

    @Test("Only JSON is colored")
    func colors() {
        for isTerminal in [false, true] {
            let style = OutputStyle(isTerminal: isTerminal, isPretty: true, palette: Palette(isEnabled: true))
            #expect(Self.output("[1]", style) == "[\n  \u{1B}[38;5;30m1\u{1B}[0m\n]")
            #expect(Self.output("1", style) == "1")
        }
    }

    private static func output(_ text: String, _ style: OutputStyle, _ kind: MessageKind = .text) -> String {
        var buffer = ByteBuffer()
        style.append(Array(text.utf8).span.bytes, as: kind, to: &buffer)
        return wsxTests.text(of: buffer)
    }
}
