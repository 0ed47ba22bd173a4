import CLibuv

/// One value on its way from one thread to another, which waits for it.
public final class Handover<Value: Sendable>: @unchecked Sendable {
    // Written once before the semaphore is posted, read once after that.
    private var value: Value?
    private let semaphore = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)

    /// Makes an empty one.
    public init() {
        uv_sem_init(semaphore, 0)
    }

    deinit {
        uv_sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Gives the value; to be called once.
    public func give(_ value: Value) {
        self.value = value
        uv_sem_post(semaphore)
    }

    /// Waits for the value; to be called once.
    public func take() -> Value? {
        uv_sem_wait(semaphore)
        return value
    }
}
