import WSCore

/// Where the messages and events of a run go. Whoever takes one of them too slowly has the peer wait.
///
///     peer → messages, pushes, recording, frames, the terminal of the user's editor ── isFull ──► the peer is paused
///                                           └───────────── didDrain, didReturn ─────────────► it goes on
final class ConnectOutputs {
    /// Standard output; nil while the editor's terminal shows what comes.
    let messages: MessageWriter?
    /// Standard error, where what answers no request goes there.
    let pushes: MessageWriter?
    /// Where the session is recorded; nil: nowhere.
    var recorder: Recorder?
    /// The prompt's editor; nil: there is no prompt.
    var editor: LineEditor?
    /// Called when standard error keeps up again.
    var logDidDrain: (() -> Void)?

    /// Where every frame is shown; nil: nobody asked for them, and a few notices have nobody wait.
    private let log: Console?
    private lazy var logTimer = Timer(on: loop) { [unowned self] in
        if isLogBusy { watchLog() } else { logDidDrain?() }
    }
    private let loop: EventLoop

    /// Opens the outputs that the settings ask for, but for the recording.
    init(_ settings: ConnectSettings, console: Console, on loop: EventLoop) throws(IOError) {
        let (arguments, isRepl) = (settings.arguments, settings.isRepl)
        self.loop = loop
        log = arguments.verbosity > 1 ? console : nil
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
            || editor?.holdsMuch ?? false || isLogBusy
    }

    /// Whether the frames that are shown are read too slowly.
    var isLogBusy: Bool { log?.isBusy ?? false }

    /// Has ``logDidDrain`` called when that is over. It does not look whether it is so: who asks has just seen it, and by
    /// now another thread may have written.
    func watchLog() {
        if log != nil { logTimer.start(after: Console.busyInterval) }
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
