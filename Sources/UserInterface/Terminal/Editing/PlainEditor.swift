import WSCore

/// A prompt's editor that only appends lines to the terminal, for screen readers, Emacs, and logs. The terminal itself
/// edits the line being typed; nothing is erased or drawn again.
package final class PlainEditor: PromptEditor {
    package weak var delegate: (any PromptEditorDelegate)?
    package let history: History
    // What a line that is never drawn does not need.
    package var prompt = ""
    package var statusLine: StyledText?
    package var services = PromptServices()
    package let isEmpty = true
    package let isAway = false
    package let holdsMuch = false

    /// The maximum length of a line, in bytes: a terminal's own limit is 4 KiB.
    private static let maximumLineBytes = 1 << 20
    private var reader: DescriptorReader?
    private var typed: [UInt8] = []

    /// Starts to read lines from the terminal that is standard input.
    init(history: History, on loop: EventLoop) throws(IOError) {
        self.history = history
        let reader = try DescriptorReader(descriptor: StandardDescriptors.input, on: loop) { [unowned self] bytes in
            received(bytes)
        } finish: { [unowned self] _ in
            delegate?.editorDidReachEnd()
        }
        self.reader = reader
        reader.start()
    }

    package static var opener: PromptEditorOpener {
        { (history, _, loop) throws(IOError) in try PlainEditor(history: history, on: loop) }
    }

    private func received(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { typed += $0 }
        while let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(typed[..<end])
            typed.removeFirst(end + 1)
            _ = history.record(line)
            delegate?.editorDidAccept(line)
        }
        if typed.count > Self.maximumLineBytes { typed = [] }
    }

    package func print(_ lines: String) {
        // Blocking is the back-pressure of a slow terminal.
        StandardDescriptors.writeAll(lines, to: StandardDescriptors.error)
    }

    package func page(_ text: String) { print(text) }
    package func edit(_ text: [UInt8]) {
        print("wsx: /edit: the editor needs a terminal that is drawn again; omit --plain\n")
    }
    package func text(for source: EditSource) -> [UInt8]? { [] }
    package func hideBriefly() {}
    package func discardLine() {}

    package func close() {
        reader?.close()
        reader = nil
    }
}
