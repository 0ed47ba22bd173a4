import CLibuv

/// A thread that runs its own event loop.
package final class LoopThread {
    private var identifier = uv_thread_t()

    /// Carries the closure to the new thread.
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that runs `body` and then ends.
    /// - Throws: ``IOError`` if the system cannot create a thread.
    package init(_ body: @escaping @Sendable () -> Void) throws(IOError) {
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

    /// Blocks until the thread has ended. Call it once.
    package func join() {
        uv_thread_join(&identifier)
    }
}
