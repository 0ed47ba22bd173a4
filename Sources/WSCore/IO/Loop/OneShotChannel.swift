import CLibuv

/// Carries one value from one thread to another.
public final class OneShotChannel<Value: Sendable>: @unchecked Sendable {
    // Written once before the semaphore is posted, read once after that.
    private var value: Value?
    private let semaphore = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)

    /// Makes an empty channel.
    public init() {
        uv_sem_init(semaphore, 0)
    }

    deinit {
        uv_sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Sends the value; must be called once.
    public func send(_ value: Value) {
        self.value = value
        uv_sem_post(semaphore)
    }

    /// Waits for the value; must be called once.
    public func receive() -> Value? {
        uv_sem_wait(semaphore)
        return value
    }
}
