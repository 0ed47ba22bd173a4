import Glibc

/// A lock with a condition variable.
internal final class Monitor {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Creates an unlocked monitor.
    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` while holding the lock.
    func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Calls `body` with the lock released, then acquires it again. The caller must hold the lock.
    func unlocked<R>(_ body: () -> R) -> R {
        pthread_mutex_unlock(mutex)
        defer { pthread_mutex_lock(mutex) }
        return body()
    }

    /// Releases the lock until ``notify()``. May also return spuriously.
    func wait() {
        pthread_cond_wait(condition, mutex)
    }

    /// Like ``wait()``, but returns after `limit` at the latest.
    func wait(atMost limit: Duration) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let end = UInt64(time.tv_nsec) + limit.nanoseconds
        time.tv_sec += Int(end / 1_000_000_000)
        time.tv_nsec = Int(end % 1_000_000_000)
        pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Wakes all waiting threads.
    func notify() {
        pthread_cond_broadcast(condition)
    }
}
