import WSCore

/// Reads typed keys after all signals that preceded them have been handled.
///
/// Ctrl-C discards text typed before it but not text typed after it. Both may be waiting when the loop looks.
final class KeyWatcher {
    private let action: () -> Void
    private var watcher: ReadinessWatcher?
    private var isDue = false

    /// Starts to watch standard input.
    /// - Parameters:
    ///   - loop: The loop that watches.
    ///   - action: Reads the keys.
    init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        self.action = action
        watcher = try ReadinessWatcher(descriptor: StandardDescriptors.input, on: loop, for: .readable) {
            [unowned self] in
            // The descriptor is ready in each turn until the keys are read.
            guard !isDue else { return }
            isDue = true
            loop.afterEarlierSignals { [weak self] in self?.readKeys() }
        }
    }

    /// Stops reading keys, so another program can read them.
    func cancel() {
        watcher = nil
        isDue = false
    }

    private func readKeys() {
        guard isDue else { return }
        isDue = false
        action()
    }
}
