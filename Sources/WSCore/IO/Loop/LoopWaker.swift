import CSystem

/// Runs an action on a loop at the request of another thread.
///
/// A waker lives as long as its loop and keeps the loop running.
package final class LoopWaker: @unchecked Sendable {
    // Other threads call only `wake`.
    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private var action: (() -> Void)?

    /// Creates a waker. Call it on the loop's own thread.
    /// - Parameter action: Runs on that thread. Several calls of ``wake()`` in quick succession may cause a single
    ///   call.
    /// - Throws: ``IOError`` if the system is out of resources.
    package init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        descriptor = try IOError.check(wsx_open_event())
        self.action = action
        // Never released: other threads may wake the loop until the process exits.
        watch = try DescriptorWatch(descriptor, for: [.readable, .edgeTriggered], on: loop) { [self] in self.action?() }
    }

    /// Requests a call of the action. Thread-safe.
    package func wake() {
        wsx_set_event(descriptor)
    }

    /// Releases the action; further requests have no effect. Call it on the loop's own thread.
    package func stop() {
        action = nil
    }
}
