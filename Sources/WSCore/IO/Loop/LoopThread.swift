import CLibuv

/// A thread, for a loop of its own.
public final class LoopThread {
    private var identifier = uv_thread_t()

    /// What the thread does, on its way there.
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread, which ends with `body`.
    public init(_ body: @escaping @Sendable () -> Void) throws(IOError) {
        let work = Unmanaged.passRetained(Work(body))
        let result = uv_thread_create(
            &identifier,
            { argument in
                guard let argument else { return }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            throw IOError(code: result)
        }
    }

    /// Waits until the thread has ended; to be called once.
    public func join() {
        uv_thread_join(&identifier)
    }
}
