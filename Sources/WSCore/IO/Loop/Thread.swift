import CSystem

/// A thread, for an event loop or for calls that block. It handles no signals.
package final class Thread {
    private var identifier = pthread_t()

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
        let result = wsx_start_thread(
            &identifier,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            throw IOError(code: result)
        }
    }

    /// Lets the thread end on its own. Then do not call ``join()``.
    package func detach() {
        pthread_detach(identifier)
    }

    /// Blocks until the thread has ended. Call it once.
    package func join() {
        pthread_join(identifier, nil)
    }
}
