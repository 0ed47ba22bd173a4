import Testing

@testable import wsx

@Suite struct PaletteTests {
    @Test("Each color is the terminal's own, and ends with a reset")
    func colors() {
        let palette = Palette(isEnabled: true)
        #expect(palette.sent("x") == "\u{1B}[36mx\u{1B}[0m")
        #expect(palette.received("x") == "\u{1B}[32mx\u{1B}[0m")
        #expect(palette.quiet("x") == "\u{1B}[2mx\u{1B}[0m")
        #expect(palette.failure("x") == "\u{1B}[31mx\u{1B}[0m")
    }

    @Test("Colors are legible on light and dark backgrounds: no black, yellow, or white")
    func legible() {
        let palette = Palette(isEnabled: true)
        let styles: [Palette.Style] = [
            .sent, .received, .binary, .quiet, .close, .failure, .key, .string, .number, .literal, .match,
        ]
        for style in styles {
            let parameters = palette.beginning(of: style).dropFirst(2).dropLast().split(separator: ";")
            #expect(parameters.allSatisfy { ["1", "2", "7", "31", "32", "34", "35", "36"].contains($0) })
        }
        #expect(palette.styled("x", nil) == "x")
    }

    @Test("Without color the text is unchanged")
    func none() {
        let palette = Palette(isEnabled: false)
        #expect(
            [palette.sent("x"), palette.received("x"), palette.quiet("x"), palette.failure("x")].joined() == "xxxx")
    }
}
