import CLibuv

/// Carries one value from one thread to another.
package final class OneShotChannel<Value: Sendable>: @unchecked Sendable {
    // Written once before the semaphore is posted, and read once afterwards.
    private var value: Value?
    private let semaphore = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)

    /// Creates an empty channel.
    package init() {
        uv_sem_init(semaphore, 0)
    }

    deinit {
        uv_sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Sends the value. Call it once.
    package func send(_ value: Value) {
        self.value = value
        uv_sem_post(semaphore)
    }

    /// Blocks until the value arrives. Call it once.
    package func receive() -> Value? {
        uv_sem_wait(semaphore)
        return value
    }
}
