import WSCore

/// How long each part of opening connections took, in nanoseconds.
struct PhaseHistograms: ~Copyable {
    var resolving = Histogram()
    var connecting = Histogram()
    var tunnelling = Histogram()
    var securing = Histogram()
    var upgrading = Histogram()

    /// Counts the parts of a connection, but for those that it did not have.
    mutating func record(_ durations: PhaseDurations) {
        for phase in ConnectError.Phase.allCases where durations[phase] > .zero {
            let time = durations[phase].wholeNanoseconds
            switch phase {
            case .resolving: resolving.record(time)
            case .connecting: connecting.record(time)
            case .tunnelling: tunnelling.record(time)
            case .securing: securing.record(time)
            case .upgrading: upgrading.record(time)
            }
        }
    }

    /// Counts the connections of another load, too.
    mutating func add(_ other: borrowing PhaseHistograms) {
        resolving.add(other.resolving)
        connecting.add(other.connecting)
        tunnelling.add(other.tunnelling)
        securing.add(other.securing)
        upgrading.add(other.upgrading)
    }
}
