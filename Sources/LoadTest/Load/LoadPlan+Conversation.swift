import Conversation
import Formats

/// The scenario of a load. Each thread compiles its own, because scenarios cannot be shared.
package struct LoadScenario: Sendable {
    /// The names of the steps that have one, without repetitions, in order.
    package let stepNames: [String]
    /// The subprotocol of the recorded connection, or `nil` if there was none.
    package let subprotocol: String?
    /// The line of a step before `repeat` that closes the connection, or `nil` if there is none.
    internal let openingCloseLine: Int?
    internal let compile: @Sendable () -> Scenario

    /// Describes a scenario.
    /// - Parameter compile: Returns the same scenario again; called once on each thread.
    package init(_ scenario: borrowing Scenario, compile: @escaping @Sendable () -> Scenario) {
        stepNames = scenario.stepNames
        subprotocol = scenario.subprotocol
        openingCloseLine = scenario.steps.prefix(scenario.repeatStart).first { $0.action.endsConnection }?.line
        self.compile = compile
    }
}

/// The application protocol of a load. Each connection has its own session.
package struct LoadProtocol: Sendable {
    /// The name of the protocol.
    package let name: String
    /// Whether a session can tell before its connection is open whether it can send a line.
    internal let checksLines: Bool
    /// Creates the session of a connection; see ``init(name:checksLines:makeSession:)``.
    internal let makeSession: MakeSession

    /// Creates the session of a connection. Any thread may call it.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - row: The row of the connection, or `nil` without a data file.
    ///   - clockOffset: The offset from the clock of the session to the time since 1970, in nanoseconds.
    package typealias MakeSession =
        @Sendable (_ number: UInt64, _ row: DataRow?, _ clockOffset: UInt64) -> any ProtocolSession

    /// Describes the protocol of a load.
    /// - Parameters:
    ///   - checksLines: Whether a session can tell before its connection is open whether it can send a line.
    ///   - makeSession: Creates the session of a connection.
    package init(name: String, checksLines: Bool = true, makeSession: @escaping MakeSession) {
        self.name = name
        self.checksLines = checksLines
        self.makeSession = makeSession
    }
}
