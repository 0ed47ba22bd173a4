import Formats
import WSCore

@testable import UserInterface

extension FuzzTarget {
    /// A text message, as it is shown at a prompt.
    ///
    /// - JSON as it is shown has the same value, and is shown as it is.
    /// - No control, bidirectional, or invisible character reaches the terminal, except joiners that are text and, in
    ///   messages that are not folded, tabs: in each style, with folding and with highlighted matches.
    /// - The number of decoded values is limited.
    static let shownMessages = FuzzTarget(name: "shown-messages") { input in
        guard let text = String(validating: input, as: UTF8.self) else { return }
        if let json = ShownJSON(input.span.bytes) {
            expectEqual(
                try? JSONValue(parsing: json.bytes.span.bytes), try? JSONValue(parsing: input.span.bytes), "values")
            expectEqual(ShownJSON(json.bytes.span.bytes)?.bytes, json.bytes, "shown twice")
            expectSafe(escapingControls(String(decoding: json.bytes, as: UTF8.self)))
        }
        expectSafe(escapingControls(text))
        for style in [PrettyStyle.fit, .full, .off] { checkLines(of: input, style) }
        let locations = EmbeddedData.locations(in: input.span.bytes)
        expect(locations.count <= EmbeddedData.maximumCount, "too many decoded values")
    }

    /// Formats the message as a prompt does.
    private static func checkLines(of message: [UInt8], _ style: PrettyStyle) {
        guard let loop = try? EventLoop() else { return }
        let transcript = Transcript(
            palette: Palette(isEnabled: false), timestamps: .off, isAtPrompt: true, style: .fit, on: loop
        ) {
            ScreenSize(columns: 40, rows: 24)
        }
        transcript.layout.style = style
        let pattern = try? Pattern("[^ ]{2}")
        for kind in [MessageKind.text, .binary] {
            let lines = transcript.lines(
                of: message.span.bytes, as: kind, .received, number: 12, at: transcript.clock.now,
                highlighting: pattern)
            for line in lines.text.split(separator: "\n") { expectSafe(String(line), mayHaveTabs: style != .fit) }
        }
    }

    private static func expectSafe(_ shown: String, mayHaveTabs: Bool = false) {
        var previous: Unicode.Scalar?
        for scalar in shown.unicodeScalars {
            let isJoiner = scalar.isJoiner && previous.map { !$0.isASCII && !$0.isJoiner } ?? false
            let isTab = mayHaveTabs && scalar == "\t"
            expect(!scalar.isInvisible || isJoiner || isTab, "an invisible character")
            previous = scalar
        }
    }
}
