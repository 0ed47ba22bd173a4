import Foundation
import Testing

@testable import UserInterface

@Suite struct PaletteTests {
    @Test("Colors can be changed, and mistakes are explained")
    func changes() {
        var palette = Palette(isEnabled: true)
        #expect(palette.change(to: "sent=1;36:error=") == nil)
        #expect(palette.sent("x") == "\u{1B}[1;36mx\u{1B}[0m")
        #expect(palette.failure("x") == "\u{1B}[mx\u{1B}[0m")
        #expect(palette.change(to: "bogus=1:quiet=35")?.hasPrefix("unknown name 'bogus'; expected sent, ") == true)
        #expect(palette.quiet("x") == "\u{1B}[35mx\u{1B}[0m")
        #expect(palette.change(to: "key=red") == "expected key=NUMBERS, such as key=1;34")
        #expect(palette.change(to: "key") == "expected key=NUMBERS, such as key=1;34")
    }

    @Test("Each color ends with a reset")
    func colors() {
        let palette = Palette(isEnabled: true)
        #expect(palette.sent("x") == "\u{1B}[38;5;30mx\u{1B}[0m")
        #expect(palette.received("x") == "\u{1B}[38;5;28mx\u{1B}[0m")
        #expect(palette.quiet("x") == "\u{1B}[2mx\u{1B}[0m")
        #expect(palette.failure("x") == "\u{1B}[38;5;161mx\u{1B}[0m")
    }

    @Test("Colors have a contrast of at least 4 on white and on black", arguments: Palette.Style.allCases)
    func legible(style: Palette.Style) throws {
        let parameters = Palette(isEnabled: true).beginning(of: style).dropFirst(2).dropLast().split(separator: ";")
        // Bold, dim, and inverse text has the terminal's own colors.
        guard let index = parameters.firstIndex(of: "38") else {
            return #expect(parameters.allSatisfy { ["1", "2", "7"].contains($0) })
        }
        #expect(parameters[index + 1] == "5")
        // The color cube begins at 16. WCAG 2.2 defines luminance and contrast.
        let number = try #require(Int(parameters[index + 2])) - 16
        let linear = [number / 36, number / 6 % 6, number % 6].map { (level: Int) -> Double in
            let value: Double = level == 0 ? 0 : Double(55 + 40 * level) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        #expect(1.05 / (luminance + 0.05) >= 4)
        #expect((luminance + 0.05) / 0.05 >= 4)
    }

    @Test("Without color the text is unchanged")
    func none() {
        let palette = Palette(isEnabled: false)
        #expect(
            [palette.sent("x"), palette.received("x"), palette.quiet("x"), palette.failure("x")].joined() == "xxxx")
    }
}
