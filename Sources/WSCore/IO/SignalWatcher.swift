import CLibuv

/// Calls a function on the loop's thread when a signal arrives. Cancelled when it is released.
///
/// A watcher alone is no reason for the loop to go on running.
public final class SignalWatcher {
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private let action: () -> Void

    /// Starts watching for a signal by its number.
    public init(_ signal: Int32, on loop: EventLoop, action: @escaping () -> Void) {
        self.action = action
        handle = .allocate(capacity: 1)
        uv_signal_init(loop.handle, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_signal_start(
            handle,
            { signal, _ in
                guard let data = signal?.pointee.data else { return }
                let watcher = Unmanaged<SignalWatcher>.fromOpaque(data).takeUnretainedValue()
                withExtendedLifetime(watcher) { watcher.action() }
            }, signal)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    }

    deinit {
        uv_signal_stop(handle)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
    }
}
