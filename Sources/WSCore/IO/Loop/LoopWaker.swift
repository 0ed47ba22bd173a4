/// Runs an action on a loop at the request of another thread.
///
/// A waker keeps the loop running, and exists as long as it.
package final class LoopWaker: @unchecked Sendable {
    // Other threads call only `wake`.
    private let mailbox: Mailbox
    private var action: (() -> Void)?

    /// Creates a waker. Call it on the loop's own thread.
    /// - Parameter action: Runs on that thread.
    /// - Throws: ``IOError`` if the system is out of resources.
    package init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        // Never released: other threads may wake the loop until the process exits.
        mailbox = try loop.mailboxForWaker()
        self.action = action
    }

    /// Requests a call of the action. Thread-safe.
    package func wake() {
        mailbox.post { [self] in action?() }
    }

    /// Releases the action; further requests have no effect. Call it on the loop's own thread.
    package func stop() {
        action = nil
    }
}
