/// A token bucket that limits a byte rate. The caller provides the time.
///
/// It fills at the given rate up to the bytes of 100 ms, and passing bytes drain it. Over any interval, at most the
/// bytes for that interval plus 100 ms pass.
struct TokenBucket {
    /// The rate in bytes per second, 1 or more.
    let bytesPerSecond: Int
    /// The capacity in bytes, 1 or more.
    let capacityBytes: Int
    private var levelBytes: Double
    private var time: Duration

    /// Creates a full bucket.
    init(bytesPerSecond: Int, at now: Duration) {
        self.bytesPerSecond = bytesPerSecond
        capacityBytes = max(1, bytesPerSecond / 10)
        levelBytes = Double(capacityBytes)
        time = now
    }

    /// Returns the number of bytes that may pass now.
    mutating func available(at now: Duration) -> Int {
        levelBytes = min(Double(capacityBytes), levelBytes + (now - time) / .seconds(1) * Double(bytesPerSecond))
        time = now
        return Int(levelBytes)
    }

    /// Removes the tokens for bytes that have passed, at most ``available(at:)``.
    mutating func take(_ byteCount: Int) {
        levelBytes -= Double(byteCount)
    }

    /// Returns the time until `byteCount` bytes may pass, or the full capacity if that is less.
    mutating func wait(for byteCount: Int, at now: Duration) -> Duration {
        _ = available(at: now)
        let missingBytes = Double(min(byteCount, capacityBytes)) - levelBytes
        return .seconds(max(0, missingBytes / Double(bytesPerSecond)))
    }
}
