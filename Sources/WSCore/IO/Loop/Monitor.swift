import CLibuv

/// A lock, and a way for the threads that have it to wait until another one changes something.
internal final class Monitor {
    private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)

    /// Makes one that nobody has locked.
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

    /// Calls `body` while no other thread has the lock.
    func locked<R>(_ body: () -> R) -> R {
        uv_mutex_lock(mutex)
        defer { uv_mutex_unlock(mutex) }
        return body()
    }

    /// Calls `body` without the lock, which the caller has, and takes it again.
    func unlocked<R>(_ body: () -> R) -> R {
        uv_mutex_unlock(mutex)
        defer { uv_mutex_lock(mutex) }
        return body()
    }

    /// Lets go of the lock until ``notify()`` is called, or for no reason at all.
    func wait() {
        uv_cond_wait(condition, mutex)
    }

    /// Does the same, for a time at most.
    func wait(atMost limit: Duration) {
        uv_cond_timedwait(condition, mutex, limit.milliseconds * 1_000_000)
    }

    /// Wakes all threads that wait.
    func notify() {
        uv_cond_broadcast(condition)
    }
}
