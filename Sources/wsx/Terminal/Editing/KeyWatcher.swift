import WSCore

/// Has keys read that have been typed, once all signals of the same turn have been answered.
///
/// A Ctrl-C throws away what was typed before it, and nothing of what is typed after it, though both may have come by the
/// time the loop looks.
final class KeyWatcher {
    private let action: () -> Void
    private let loop: EventLoop
    private var watcher: ReadinessWatcher?
    private var isDue = false

    /// Watches standard input.
    /// - Parameters:
    ///   - loop: The loop that watches.
    ///   - action: Reads keys.
    init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        self.action = action
        self.loop = loop
        watcher = try ReadinessWatcher(descriptor: StandardDescriptors.input, on: loop, for: .readable) {
            [unowned self] in
            isDue = true
            loop.atEndOfTurn(self)
        }
    }

    /// Leaves further keys to others.
    func cancel() {
        watcher = nil
        isDue = false
    }
}

extension KeyWatcher: EndOfTurnWork {
    /// Has the keys read.
    func endTurn() {
        guard isDue else { return }
        isDue = false
        action()
    }
}
