import WSCore

/// A prompt's editor that only appends lines to the terminal, for screen readers, Emacs, and logs. The terminal itself
/// edits the line being typed; nothing is erased or drawn again.
package final class PlainEditor: PromptEditor {
    weak var delegate: (any PromptEditorDelegate)?
    let history: History
    // What a line that is never drawn does not need.
    var prompt = ""
    var statusLine: StyledText?
    var services = PromptServices()
    let isEmpty = true
    let isAway = false
    let holdsMuch = false

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

    func print(_ lines: String) {
        // Blocking is the back-pressure of a slow terminal.
        StandardDescriptors.writeAll(lines, to: StandardDescriptors.error)
    }

    func page(_ text: String) { print(text) }
    func edit(_ text: [UInt8]) { print("wsx: /edit: the editor needs a terminal that is drawn again; omit --plain\n") }
    func text(for source: EditSource) -> [UInt8]? { [] }
    func hideBriefly() {}
    func discardLine() {}

    func close() {
        reader?.close()
        reader = nil
    }
}
