import CLibuv

/// A lock with a condition variable.
internal final class Monitor {
    private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)

    /// Creates an unlocked monitor.
    init() {
        uv_mutex_init(mutex)
        uv_cond_init(condition)
    }

    deinit {
        uv_cond_destroy(condition)
        uv_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` while holding the lock.
    func locked<R>(_ body: () -> R) -> R {
        uv_mutex_lock(mutex)
        defer { uv_mutex_unlock(mutex) }
        return body()
    }

    /// Calls `body` with the lock released, then acquires it again. The caller must hold the lock.
    func unlocked<R>(_ body: () -> R) -> R {
        uv_mutex_unlock(mutex)
        defer { uv_mutex_lock(mutex) }
        return body()
    }

    /// Releases the lock until ``notify()``. May also return spuriously.
    func wait() {
        uv_cond_wait(condition, mutex)
    }

    /// Like ``wait()``, but returns after `limit` at the latest.
    func wait(atMost limit: Duration) {
        uv_cond_timedwait(condition, mutex, limit.milliseconds * 1_000_000)
    }

    /// Wakes all waiting threads.
    func notify() {
        uv_cond_broadcast(condition)
    }
}
