import Testing
import WSCore

@testable import UserInterface

@Suite struct MessageLayoutTests {
    @Test("JSON is indented on request, and other text never")
    func pretty() {
        #expect(Self.text("[1]").text == "[\n  1\n]")
        #expect(Self.text("[1]", isPretty: false).text == "[1]")
        #expect(Self.text("[1] \n").text == "[\n  1\n]")
        #expect(Self.text("[1\nx").text == "[1\nx")
        #expect(Self.text("7").text == "7")
    }

    @Test("Text that does not fit is folded, and the hidden lines are counted")
    func folded() {
        let numbers = "[" + (1...100).map(String.init).joined(separator: ",") + "]"
        let json = Self.text(numbers, rows: 10)
        #expect(json.isFolded)
        #expect(json.hiddenLines == 92)
        #expect(json.text.split(separator: "\n").count == 10)
        let text = Self.text(String(repeating: "line\n", count: 20), rows: 20)
        #expect(text.isFolded)
        #expect(text.hiddenLines == 1)
        let whole = Self.text(String(repeating: "line\n", count: 19), rows: 20)
        #expect(!whole.isFolded)
        #expect(whole.hiddenLines == nil)
    }

    @Test("A long line is folded without a number of hidden lines")
    func longLine() {
        let result = Self.text(String(repeating: "x", count: 1000), rows: 2)
        #expect(result.text == String(repeating: "x", count: 80))
        #expect(result.isFolded)
        #expect(result.hiddenLines == nil)
    }

    @Test("A large message is parsed only as far as it is shown, and its lines are not counted")
    func large() {
        let elements = String(repeating: "1,", count: JSONLayout.maximumCheckedBytes / 2)
        let result = Self.text("[" + elements + "this is no JSON", rows: 3)
        #expect(result.text == "[\n  1,\n  1,")
        #expect(result.isFolded)
        #expect(result.hiddenLines == nil)
    }

    @Test("A dump is folded between lines")
    func dump() {
        let layout = MessageLayout(palette: Palette(isEnabled: false), style: .full)
        let result = layout.dump(
            [UInt8](repeating: 0, count: 1000).span.bytes, limit: LayoutLimit(rows: 4, columns: 80, bytes: .max),
            column: 0)
        #expect(result.text.split(separator: "\n").count == 4)
        #expect(result.hiddenLines == 59)
    }

    private static func text(_ text: String, isPretty: Bool = true, rows: Int = .max) -> MessageLayout.Block {
        let layout = MessageLayout(palette: Palette(isEnabled: false), style: isPretty ? .full : .off)
        return layout.text(
            Array(text.utf8).span.bytes, limit: LayoutLimit(rows: rows, columns: 40, bytes: .max), column: 0)
    }
}
