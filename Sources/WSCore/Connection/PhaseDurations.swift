/// The time spent in each phase of opening a connection, including redirects.
public struct PhaseDurations: Sendable {
    private var resolving = Duration.zero
    private var connecting = Duration.zero
    private var tunnelling = Duration.zero
    private var securing = Duration.zero
    private var upgrading = Duration.zero

    /// Creates durations of zero.
    public init() {}

    /// The duration of a phase; zero if it did not occur.
    public subscript(phase: ConnectError.Phase) -> Duration {
        get { self[keyPath: Self.path(of: phase)] }
        set { self[keyPath: Self.path(of: phase)] = newValue }
    }

    private static func path(of phase: ConnectError.Phase) -> WritableKeyPath<PhaseDurations, Duration> {
        switch phase {
        case .resolving: \.resolving
        case .connecting: \.connecting
        case .tunnelling: \.tunnelling
        case .securing: \.securing
        case .upgrading: \.upgrading
        }
    }
}
