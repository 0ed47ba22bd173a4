import Conversation
import WSCore

/// Opens a prompt's editor. Unit tests open one without a terminal.
package typealias PromptEditorOpener =
    (History, [PromptCommandDescription], EventLoop) throws(IOError) -> any PromptEditor

/// What an editor needs of its prompt.
package struct PromptServices {
    /// Returns the dotted paths of the values in recent messages, for completion.
    var paths: () -> [String] = { [] }
    /// Opens the search through messages, for Ctrl-F.
    var openSearch: () -> (any ModalLine)? = { nil }
    /// The messages for `/call`.
    package var saved: [SavedMessage] = []
    /// Words of messages, for completion.
    package var words = WordMemory()
    package var paste = PasteHandling()
    /// Shows a notice.
    var notice: (String) -> Void = { _ in }
}

/// How several messages that are pasted at once are sent.
package struct PasteHandling {
    package var choice = PasteChoice.ask
    /// Whether the user has learned how to keep an answer.
    var isExplained = false
}

/// The interface of the line editor for prompts.
package protocol PromptEditor: AnyObject {
    var delegate: (any PromptEditorDelegate)? { get set }
    /// The text before the line.
    var prompt: String { get set }
    /// A line above the prompt with the state of the connection, or `nil` to show none.
    var statusLine: StyledText? { get set }
    /// The lines typed earlier.
    var history: History { get }
    var services: PromptServices { get set }
    /// Whether the line is empty.
    var isEmpty: Bool { get }
    /// Whether the user's editor has the terminal.
    var isAway: Bool { get }
    /// Whether so much output is waiting that the caller should pause.
    var holdsMuch: Bool { get }
    /// Shows lines, each ending with a newline, above the line being typed.
    func print(_ lines: String)
    /// Takes the line off the screen until a moment has passed or a key is pressed, because another program is about to
    /// write to the terminal.
    func hideBriefly()
    /// Discards the line and starts a new one.
    func discardLine()
    /// Opens the user's editor with a text.
    func edit(_ text: [UInt8])
    /// The text that `/edit` opens, or nil if there is no such line.
    func text(for source: EditSource) -> [UInt8]?
    /// Shows a text, in the pager if it is longer than the screen.
    func page(_ text: String)
    /// Ends editing and restores the terminal.
    func close()
}

/// Receives the lines of a prompt.
package protocol PromptEditorDelegate: AnyObject {
    /// Enter was pressed; the line has been erased from the screen.
    func editorDidAccept(_ line: [UInt8])
    /// The input ended: Ctrl-D on an empty line, or the terminal is gone.
    func editorDidReachEnd()
    /// The size of the window has changed.
    func editorDidResize()
    /// The user's editor or pager released the terminal; held output is about to be shown.
    /// - Parameter problem: The reason in one line if the editor returned no text.
    func editorDidReturn(with problem: String?)
}

extension LineEditor: PromptEditor {
    /// Opens the editor on the terminal that is standard input.
    package static var opener: PromptEditorOpener {
        { (history, commands, loop) throws(IOError) in
            try LineEditor(prompt: "> ", history: history, commands: commands, on: loop)
        }
    }
}
