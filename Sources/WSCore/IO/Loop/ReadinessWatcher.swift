import CLibuv

/// Calls a function whenever a descriptor becomes readable, or once when its other end closes. It does not read.
/// Canceled on release.
public final class ReadinessWatcher {
    /// The event to watch for.
    public enum Event: Sendable {
        /// Data or the end of the file can be read.
        case readable
        /// The other end has closed. A watcher for this event does not keep the loop running.
        case hangUp
    }

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private let reopened: Int32
    private let action: () -> Void

    /// Starts watching a pipe, a terminal, or a socket.
    /// - Throws: ``IOError`` if the descriptor cannot be reopened or polled.
    public init(
        descriptor: Int32, on loop: EventLoop, for event: Event, action: @escaping () -> Void
    ) throws(IOError) {
        let reopened = try Descriptor.reopen(descriptor, forWriting: event == .hangUp)
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let result = uv_poll_init(loop.handle, handle, reopened)
        guard result == 0 else {
            // Not stored properties yet: deinit runs even if an initializer throws, once all properties are set.
            Descriptor.closeDescriptor(reopened)
            handle.deallocate()
            throw IOError(code: result)
        }
        self.reopened = reopened
        self.handle = handle
        self.loop = loop
        self.action = action
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let events = event == .readable ? UV_READABLE : UV_DISCONNECT
        uv_poll_start(handle, Int32(events.rawValue)) { poll, status, _ in
            guard let data = poll?.pointee.data else { return }
            let watcher = Unmanaged<ReadinessWatcher>.fromOpaque(data).takeUnretainedValue()
            withExtendedLifetime(watcher) { watcher.action() }
        }
        if event == .hangUp {
            handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
        }
    }

    deinit {
        uv_poll_stop(handle)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
        Descriptor.closeDescriptor(reopened)
    }
}
