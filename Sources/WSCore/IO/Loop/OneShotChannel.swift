/// Carries one value from one thread to another.
package final class OneShotChannel<Value: Sendable>: @unchecked Sendable {
    // Accessed only while the monitor is locked.
    private var value: Value?
    private let monitor = Monitor()

    /// Creates an empty channel.
    package init() {}

    /// Sends the value. Call it once.
    package func send(_ value: Value) {
        monitor.locked {
            self.value = value
            monitor.notify()
        }
    }

    /// Blocks until the value arrives.
    package func receive() -> Value {
        monitor.locked {
            while true {
                if let value { return value }
                monitor.wait()
            }
        }
    }
}
