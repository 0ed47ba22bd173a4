import CLibuv

/// Runs an action on a loop at the request of another thread.
///
/// A waker lives as long as its loop and keeps the loop running.
package final class LoopWaker: @unchecked Sendable {
    // Other threads call only `wake`, and uv_async_send is thread-safe.
    private let handle: UnsafeMutablePointer<uv_async_t>
    private var action: (() -> Void)?

    /// Creates a waker. Call it on the loop's own thread.
    /// - Parameter action: Runs on that thread. Several calls of ``wake()`` in quick succession may cause a single
    ///   call.
    /// - Throws: ``IOError`` if the system is out of resources.
    package init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        let handle = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
        let result = uv_async_init(loop.libuvLoop(), handle) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<LoopWaker>.fromOpaque(data).takeUnretainedValue().action?()
        }
        guard result == 0 else {
            handle.deallocate()
            throw IOError(code: result)
        }
        self.handle = handle
        self.action = action
        // Never released: other threads may wake the loop until the process exits.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Requests a call of the action. Thread-safe.
    package func wake() {
        uv_async_send(handle)
    }

    /// Releases the action; further requests have no effect. Call it on the loop's own thread.
    package func stop() {
        action = nil
    }
}
