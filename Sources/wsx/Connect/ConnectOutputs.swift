import WSCore

/// Where the messages and events of a run go. Whoever takes one of them too slowly has the peer wait.
///
///     peer → messages, pushes, recording, the terminal of the user's editor ── isFull ──► the peer is paused
///                                       └───────────── didDrain, didReturn ─────────────► it goes on
final class ConnectOutputs {
    /// Standard output; nil while the editor's terminal shows what comes.
    let messages: MessageWriter?
    /// Standard error, where what answers no request goes there.
    let pushes: MessageWriter?
    /// Where the session is recorded; nil: nowhere.
    var recorder: Recorder?
    /// The prompt's editor; nil: there is no prompt.
    var editor: LineEditor?

    /// Opens the outputs that the settings ask for, but for the recording.
    init(_ settings: ConnectSettings, console: Console, on loop: EventLoop) throws(IOError) {
        let (arguments, isRepl) = (settings.arguments, settings.isRepl)
        let isPiped = !isRepl || !StandardDescriptors.isTerminal(StandardDescriptors.output)
        messages = isPiped ? try MessageWriter(arguments, colors: console, on: loop) : nil
        let hasPushes = isPiped && settings.requests != nil && arguments.isQuiet
        pushes =
            hasPushes
            ? try MessageWriter(arguments, colors: console, to: StandardDescriptors.error, on: loop) : nil
    }

    /// Whether the peer is to pause: a reader does not keep up, or the user's editor has the terminal for long.
    var isFull: Bool {
        messages?.isFull ?? false || pushes?.isFull ?? false || recorder?.isFull ?? false
            || editor?.holdsMuch ?? false
    }

    /// Whether nothing waits to be written.
    var isDrained: Bool {
        messages?.isDrained ?? true && pushes?.isDrained ?? true && recorder?.isDrained ?? true
    }

    /// Writes what can be written at once.
    func flush() {
        messages?.flush()
        recorder?.flush()
        pushes?.flush()
    }
}
