import WSCore

/// The durations of the phases of opening connections, in nanoseconds.
package struct PhaseHistograms: ~Copyable {
    private var resolving = Histogram()
    private var connecting = Histogram()
    private var tunnelling = Histogram()
    private var securing = Histogram()
    private var upgrading = Histogram()

    /// The phases in order, with their names in JSON and in text.
    package static let names: [(phase: ConnectError.Phase, field: StaticString, label: String)] = [
        (.resolving, "name", "name"), (.connecting, "connect", "connection"), (.tunnelling, "proxy", "proxy"),
        (.securing, "tls", "TLS"), (.upgrading, "upgrade", "upgrade"),
    ]

    /// Records the phases of a connection. Phases that did not occur are omitted.
    internal mutating func record(_ durations: PhaseDurations) {
        for phase in ConnectError.Phase.allCases where durations[phase] > .zero {
            let time = durations[phase].nanoseconds
            update(phase) { $0.record(time) }
        }
    }

    /// Passes the histogram of a phase to `body`.
    package func read<R, Problem: Error>(
        _ phase: ConnectError.Phase, _ body: (borrowing Histogram) throws(Problem) -> R
    ) throws(Problem) -> R {
        switch phase {
        case .resolving: try body(resolving)
        case .connecting: try body(connecting)
        case .tunnelling: try body(tunnelling)
        case .securing: try body(securing)
        case .upgrading: try body(upgrading)
        }
    }

    /// Lets `body` modify the histogram of a phase.
    internal mutating func update<Problem: Error>(
        _ phase: ConnectError.Phase, _ body: (inout Histogram) throws(Problem) -> Void
    ) throws(Problem) {
        switch phase {
        case .resolving: try body(&resolving)
        case .connecting: try body(&connecting)
        case .tunnelling: try body(&tunnelling)
        case .securing: try body(&securing)
        case .upgrading: try body(&upgrading)
        }
    }
}
