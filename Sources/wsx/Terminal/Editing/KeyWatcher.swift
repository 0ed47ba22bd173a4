import WSCore

/// Reads typed keys after all signals of the same turn of the loop have been handled.
///
/// Ctrl-C discards text typed before it but not text typed after it. Both may be waiting when the loop looks.
final class KeyWatcher {
    private let action: () -> Void
    private let loop: EventLoop
    private var watcher: ReadinessWatcher?
    private var isDue = false

    /// Starts to watch standard input.
    /// - Parameters:
    ///   - loop: The loop that watches.
    ///   - action: Reads the keys.
    init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        self.action = action
        self.loop = loop
        watcher = try ReadinessWatcher(descriptor: StandardDescriptors.input, on: loop, for: .readable) {
            [unowned self] in
            isDue = true
            loop.atEndOfTurn(self)
        }
    }

    /// Stops reading keys, so another program can read them.
    func cancel() {
        watcher = nil
        isDue = false
    }
}

extension KeyWatcher: EndOfTurnWork {
    /// Schedules the reading of keys.
    func endTurn() {
        guard isDue else { return }
        isDue = false
        action()
    }
}
