import WSCore

/// How long each part of opening connections took, in nanoseconds.
public struct PhaseHistograms: ~Copyable {
    private var resolving = Histogram()
    private var connecting = Histogram()
    private var tunnelling = Histogram()
    private var securing = Histogram()
    private var upgrading = Histogram()

    /// The parts in their order, each with its name in JSON, and as people write it.
    public static let names: [(phase: ConnectError.Phase, field: StaticString, label: String)] = [
        (.resolving, "name", "name"), (.connecting, "connect", "connection"), (.tunnelling, "proxy", "proxy"),
        (.securing, "tls", "TLS"), (.upgrading, "upgrade", "upgrade"),
    ]

    /// Counts the parts of a connection, but for those that it did not have.
    internal mutating func record(_ durations: PhaseDurations) {
        for phase in ConnectError.Phase.allCases where durations[phase] > .zero {
            let time = durations[phase].wholeNanoseconds
            update(phase) { $0.record(time) }
        }
    }

    /// Gives `body` the histogram of a part.
    public func read<R, Problem: Error>(
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

    /// Has `body` change the histogram of a part.
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
