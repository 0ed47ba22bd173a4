/// A value protected by a lock.
package final class Mutex<Value: Sendable>: @unchecked Sendable {
    // Accessed only while the monitor is locked.
    private var value: Value
    private let monitor = Monitor()

    /// Creates a mutex with an initial value.
    package init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with the value while holding the lock.
    package func withLock<R>(_ body: (inout Value) -> R) -> R {
        monitor.locked { body(&value) }
    }
}
