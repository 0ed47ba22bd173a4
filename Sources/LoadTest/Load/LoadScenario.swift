import Conversation

/// The scenario of a load. Each thread compiles its own, because scenarios cannot be shared.
public struct LoadScenario: Sendable {
    /// The names of the steps that have one, without repetitions, in order.
    public let stepNames: [String]
    /// The line of a step before `repeat` that closes the connection, or `nil` if there is none.
    internal let openingCloseLine: Int?
    internal let compile: @Sendable () -> Scenario

    /// Describes a scenario.
    /// - Parameter compile: Returns the same scenario again; called once on each thread.
    public init(_ scenario: borrowing Scenario, compile: @escaping @Sendable () -> Scenario) {
        stepNames = scenario.stepNames
        openingCloseLine = scenario.steps.prefix(scenario.repeatStart).first { $0.action.endsConnection }?.line
        self.compile = compile
    }
}
