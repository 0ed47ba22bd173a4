import Conversation
import Formats

/// The scenario of a load. Each thread compiles its own, because scenarios cannot be shared.
package struct LoadScenario: Sendable {
    /// The name in results and thresholds, which is also the first part of the names of steps; `nil` if there are no other
    /// scenarios.
    package let name: String?
    /// The names of the steps that have one, without repetitions, in order.
    package let stepNames: [String]
    /// The subprotocol of the recorded connection, or `nil` if there was none.
    package let subprotocol: String?
    /// The line of a step before `repeat` that closes the connection, or `nil` if there is none.
    internal let openingCloseLine: Int?
    internal let compile: @Sendable () -> Scenario

    /// Describes a scenario.
    /// - Parameter compile: Returns the same scenario again; called once on each thread.
    package init(_ scenario: borrowing Scenario, name: String? = nil, compile: @escaping @Sendable () -> Scenario) {
        self.name = name
        stepNames = scenario.stepNames.map { Self.join(name, $0) }
        subprotocol = scenario.subprotocol
        openingCloseLine = scenario.steps.prefix(scenario.repeatStart).first { $0.action.endsConnection }?.line
        self.compile = compile
    }

    /// The name of a step in results and thresholds: `checkout.pay`, or `pay` if there are no other scenarios.
    internal static func join(_ scenario: String?, _ step: String) -> String {
        (scenario.map { "\($0)." } ?? "") + step
    }
}

/// The scenarios of a load. Each connection plays one of them.
package struct ScenarioMix: Sendable {
    package let scenarios: [LoadScenario]
    /// The index of the scenario of each connection; empty if there is one scenario.
    private let indices: [UInt8]

    /// The maximum number of scenarios.
    package static let most = 100

    /// Distributes connections among scenarios.
    /// - Parameter weights: The weight of each scenario, more than 0. Its share of the connections is exact to one of them.
    package init(_ scenarios: [LoadScenario], weights: [Double], connectionCount: Int) {
        self.scenarios = scenarios
        indices = scenarios.count == 1 ? [] : Self.indices(Self.counts(weights, of: connectionCount))
    }

    /// Plans one scenario for all connections.
    package init(_ scenario: LoadScenario) {
        self.init([scenario], weights: [1], connectionCount: 0)
    }

    /// The names of all scenarios, if there are several, and of their steps.
    package var names: [String] { scenarios.flatMap { [$0.name].compactMap(\.self) + $0.stepNames } }

    /// The index of the scenario that a connection plays.
    internal func index(of connection: UInt64) -> Int { indices.isEmpty ? 0 : Int(indices[Int(connection)]) }

    /// The first scenario that no connection plays, or `nil` if there is none.
    package var firstUnused: Int? {
        indices.isEmpty ? nil : scenarios.indices.first { !indices.contains(UInt8($0)) }
    }

    /// The number of connections of each scenario: its share rounded down, and those that are left to the largest remainders.
    private static func counts(_ weights: [Double], of total: Int) -> [Int] {
        let sum = weights.reduce(0, +)
        let shares = weights.map { $0 / sum * Double(total) }
        var counts = shares.map { Int($0) }
        let order = shares.indices.sorted {
            (shares[$1] - Double(counts[$1]), $0) < (shares[$0] - Double(counts[$0]), $1)
        }
        for index in order.prefix(max(0, total - counts.reduce(0, +))) { counts[index] += 1 }
        return counts
    }

    /// Mixes the scenarios evenly, so the first connections, and those of each thread, have about the same shares: each
    /// connection plays the scenario that lags behind its share most.
    private static func indices(_ counts: [Int]) -> [UInt8] {
        let total = counts.reduce(0, +)
        var credits = counts.map { _ in 0 }
        return (0..<total).map { _ in
            var best = 0
            for index in counts.indices {
                credits[index] += counts[index]
                if credits[index] > credits[best] { best = index }
            }
            credits[best] -= total
            return UInt8(best)
        }
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
