import CLibuv

/// Has a loop do something when another thread asks for it.
///
/// It lives as long as its loop, and keeps that from running out of things to wait for.
public final class LoopWaker: @unchecked Sendable {
    // Only `wake` is called by other threads, and uv_async_send may be.
    private let handle: UnsafeMutablePointer<uv_async_t>
    private var action: (() -> Void)?

    /// Makes a waker on the loop's own thread.
    /// - Parameter action: Called there; once for several calls of ``wake()`` that come close together.
    public init(on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        let handle = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
        let result = uv_async_init(loop.handle, handle) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<LoopWaker>.fromOpaque(data).takeUnretainedValue().action?()
        }
        guard result == 0 else {
            handle.deallocate()
            throw IOError(code: result)
        }
        self.handle = handle
        self.action = action
        // Never released: other threads may wake the loop until the program ends.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Asks for the action; to be called on any thread.
    public func wake() {
        uv_async_send(handle)
    }

    /// Lets go of the action, so that nobody can ask for it any more; to be called on the loop's own thread.
    public func stop() {
        action = nil
    }
}
