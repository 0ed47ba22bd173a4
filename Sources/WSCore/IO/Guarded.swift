/// A value that several threads read and change, one at a time.
public final class Guarded<Value: Sendable>: @unchecked Sendable {
    // Touched only while the monitor is locked.
    private var value: Value
    private let monitor = Monitor()

    /// Makes one with a first value.
    public init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with the value while no other thread has it.
    public func withValue<R>(_ body: (inout Value) -> R) -> R {
        monitor.locked { body(&value) }
    }
}
