/// Calls a function whenever a descriptor becomes readable, or once when its other end closes. It does not read.
/// Canceled on release.
package final class ReadinessWatcher {
    /// The event to watch for.
    package enum Event: Sendable {
        /// Data or the end of the file can be read.
        case readable
        /// The other end has closed. A watcher for this event does not keep the loop running.
        case hangUp
    }

    private let action: () -> Void
    private var watch: DescriptorWatch?

    /// Starts watching a pipe, a terminal, or a socket.
    /// - Throws: ``IOError`` if the descriptor cannot be reopened or polled.
    package init(
        descriptor: Int32, on loop: EventLoop, for event: Event, action: @escaping () -> Void
    ) throws(IOError) {
        self.action = action
        let reopened = try Descriptor.reopen(descriptor, forWriting: event == .hangUp)
        watch = try DescriptorWatch(
            reopened, for: event == .readable ? .readable : [.peerEnded, .edgeTriggered], on: loop,
            keepsLoopAlive: event == .readable
        ) { [unowned self] in
            // Keeps the watcher alive: the action may release it.
            withExtendedLifetime(self) { $0.action() }
        }
    }

    deinit {
        watch?.close()
    }
}
