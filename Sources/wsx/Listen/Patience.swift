/// How long one client may hold up all others, from 1 s: less for each that has used it up lately, so that many which come
/// one after the other hold up the others little longer than one does.
struct Patience {
    /// How long that is.
    private(set) var duration = Patience.full
    /// When it was used up last; nil: it never was.
    private var lossTime: Duration?

    static let full = Duration.seconds(1)
    static let least = Duration.milliseconds(50)
    /// It is full again when it has not been used up for so long.
    static let recoveryTime = Duration.seconds(10)

    /// A client has used it up.
    mutating func lose(at now: Duration) {
        lossTime = now
        duration = max(Self.least, duration / 2)
    }

    /// A client begins to hold up others.
    mutating func recover(at now: Duration) {
        if let lossTime, now - lossTime >= Self.recoveryTime { duration = Self.full }
    }
}
