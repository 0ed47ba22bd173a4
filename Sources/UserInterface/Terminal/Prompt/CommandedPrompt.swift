import WSCore

/// What the commands of all prompts call.
package protocol CommandedPrompt: AnyObject {
    var display: PromptDisplay { get }
    /// Sends a typed line.
    func send(line: [UInt8])
    /// Sends a ping or a pong.
    func send(control opcode: Opcode, _ payload: [UInt8])
    func close(with frame: CloseFrame)
    /// Records to a new file; nil: stops recording.
    func record(to path: String?)
    /// Passes received messages to a shell command instead of showing them; nil: shows them again.
    func pipe(to command: String?)
    /// Shows the output of a shell command that reads a message; nil: the last message.
    func pipe(message number: Int?, to command: String)
    func quit()
}
