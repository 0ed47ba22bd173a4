@testable import UserInterface
@testable import WSCore

/// A prompt's editor without a terminal.
final class FakeEditor: PromptEditor {
    weak var delegate: (any PromptEditorDelegate)?
    var prompt = "> "
    var statusLine: StyledText?
    var history = History()
    var words = WordMemory()
    var services = PromptServices()
    var paste = PasteChoice.ask
    var isEmpty = true
    var isAway = false
    var holdsMuch = false
    /// The lines shown above the prompt.
    private(set) var shown = ""
    /// Called after more lines are shown.
    var didShow: () -> Void = {}
    private(set) var discardCount = 0
    /// The text that was opened in the user's editor.
    private(set) var edited: [UInt8]?
    private(set) var isClosed = false

    func print(_ lines: String) {
        shown += lines
        didShow()
    }
    func hideBriefly() {}
    func page(_ text: String) { print(text) }
    func discardLine() { discardCount += 1 }
    func edit(_ text: [UInt8]) { edited = text }
    func text(for source: EditSource) -> [UInt8]? { if case .text(let text) = source { text } else { nil } }
    func close() { isClosed = true }

    /// Types a line.
    func type(_ line: String) { delegate?.editorDidAccept(Array(line.utf8)) }
}

/// A user who carries out one step after another at a prompt.
final class PromptUser: EndOfTurnWork {
    enum Step {
        /// Types a line.
        case type(String)
        /// Waits until the prompt shows a text after the one read before.
        case read(String)
        /// Presses Ctrl-D.
        case leave
        /// Does something else.
        case act(() -> Void)
    }

    private var steps: ArraySlice<Step>
    /// The step that has not been carried out yet, or `nil` at the end.
    var nextStep: Step? { steps.first }
    private let editor: FakeEditor
    private weak var loop: EventLoop?
    /// The part of what the prompt has shown that was read.
    private var readBytes = 0

    init(_ steps: [Step], at editor: FakeEditor) {
        self.steps = steps[...]
        self.editor = editor
    }

    func start(on loop: EventLoop) {
        self.loop = loop
        loop.atEndOfNextTurn(self)
    }

    func endTurn() {
        guard let step = steps.first, !editor.isClosed else { return }
        if case .read(let text) = step, !read(text) {
            editor.didShow = { [unowned self] in
                editor.didShow = {}
                loop?.atEndOfNextTurn(self)
            }
            return
        }
        loop?.atEndOfNextTurn(self)
        switch step {
        case .type(let line): editor.type(line)
        case .leave: editor.delegate?.editorDidReachEnd()
        case .act(let action): action()
        case .read: break
        }
        steps.removeFirst()
    }

    /// Returns whether the prompt has shown a text since the last one that was read.
    private func read(_ text: String) -> Bool {
        let unread = String(decoding: editor.shown.utf8.dropFirst(readBytes), as: UTF8.self)
        guard let match = unread.firstRange(of: text) else { return false }
        readBytes += unread.utf8.distance(from: unread.startIndex, to: match.upperBound)
        return true
    }
}
