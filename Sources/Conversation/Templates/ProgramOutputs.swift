import Synchronization

/// The latest outputs of the programs that templates insert (`{{exec:COMMAND}}`), by command. Any thread may use it.
package final class ProgramOutputs: Sendable {
    private let outputs = Mutex<[String: String]>([:])

    package init() {}

    /// The output of a command, or `nil` if it has not run.
    package subscript(command: String) -> String? {
        get { outputs.withLock { $0[command] } }
        set { outputs.withLock { $0[command] = newValue } }
    }
}

extension ProgramOutputs: Equatable {
    package static func == (one: ProgramOutputs, other: ProgramOutputs) -> Bool { one === other }
}

/// Receives what templates compute from secrets. All are equal.
package struct SecretSink: Sendable, Equatable {
    /// Called with each value, on any thread.
    package let add: @Sendable ([UInt8]) -> Void

    package init(add: @escaping @Sendable ([UInt8]) -> Void) { self.add = add }

    package static func == (one: SecretSink, other: SecretSink) -> Bool { true }
}
