/// What a client has taken of the data sent to it.
struct ReadingState {
    /// The number of bytes it has taken so far, plus a constant.
    var takenBytes: Int
    /// The number of bytes it has not taken yet.
    var unsentBytes: Int
    /// Whether its queue is full.
    var isFull: Bool
    /// Whether items for it wait in its gate.
    var waitsForGate = false

    /// Whether it could take more, and nothing is on the way to it.
    var isIdle: Bool { unsentBytes == 0 && !waitsForGate }
}

/// How one client takes the data sent to it while others wait. It has no clock.
///
/// Only the client's own reading counts, and only while others wait. The time does not start again when the client
/// becomes full: clients that have stopped reading are closed soon after each other, not one limit after the other.
struct ReadingProgress {
    /// The limits for a client that others wait for.
    struct Limits {
        /// How long it may take nothing.
        var stall = Duration.seconds(1)
        /// How long it may take less than ``slowBytes``.
        var slow = Duration.seconds(5)
        /// Half of a full queue, after which the sources continue.
        var slowBytes = 8 << 20
    }

    /// Why a client is closed.
    enum Fault: String {
        case takesNothing = "reads nothing"
        case isSlow = "reads too slowly"
    }

    private let limits: Limits
    private var takenBytes: Int
    /// The time in which others waited, since the client last took something.
    private var stallTime = Duration.zero
    /// The bytes that the client had taken when ``slowTime`` began.
    private var firstTakenBytes: Int
    /// The time in which others waited, since the client took at least ``Limits/slowBytes``.
    private var slowTime = Duration.zero
    private var wasBlocking = false

    /// Begins with a client that has not taken everything.
    /// - Parameter takenBytes: The number of bytes it has taken so far, plus a constant.
    init(takenBytes: Int, limits: Limits) {
        self.takenBytes = takenBytes
        firstTakenBytes = takenBytes
        self.limits = limits
    }

    /// Processes what the client has taken since the last check.
    /// - Parameters:
    ///   - takenBytes: The number of bytes it has taken so far, plus a constant.
    ///   - waitTime: How long others waited since the last check: for this client, or for one whose queue was full
    ///     earlier.
    ///   - isBlocking: Whether others wait for this client.
    /// - Returns: Why to close the client, or `nil` to keep it.
    mutating func advance(to takenBytes: Int, waitTime: Duration, isBlocking: Bool) -> Fault? {
        stallTime += waitTime
        slowTime += waitTime
        if takenBytes > self.takenBytes {
            self.takenBytes = takenBytes
            stallTime = .zero
        }
        if takenBytes - firstTakenBytes >= limits.slowBytes {
            firstTakenBytes = takenBytes
            slowTime = .zero
        }
        defer { wasBlocking = isBlocking }
        // At two checks in a row: a client that has just become full may be about to continue.
        guard isBlocking, wasBlocking else { return nil }
        if stallTime >= limits.stall { return .takesNothing }
        return slowTime >= limits.slow ? .isSlow : nil
    }
}

extension ReadingProgress.Limits {
    /// The limits for clients with a bandwidth, in bytes per second, or `nil` for no limit.
    init(bytesPerSecond: Int?) {
        self.init()
        guard let bytesPerSecond else { return }
        // Half of the bandwidth is enough.
        slowBytes = min(slowBytes, min(bytesPerSecond, slowBytes) * 5 / 2)
    }
}
