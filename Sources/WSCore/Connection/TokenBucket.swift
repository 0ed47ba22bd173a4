/// What may still pass of something that is limited to so many bytes a second. It is told the time.
///
/// It fills with time, up to what comes in a tenth of a second, and is emptied by what passes: over any span of time no
/// more passes than the rate allows for it and for that tenth.
struct TokenBucket {
    /// The rate, 1 or more.
    let bytesPerSecond: Int
    /// What it holds, in bytes: 1 or more.
    let capacityBytes: Int
    private var levelBytes: Double
    private var time: Duration

    /// Makes a full bucket.
    init(bytesPerSecond: Int, at now: Duration) {
        self.bytesPerSecond = bytesPerSecond
        capacityBytes = max(1, bytesPerSecond / 10)
        levelBytes = Double(capacityBytes)
        time = now
    }

    /// The number of bytes that may pass now.
    mutating func available(at now: Duration) -> Int {
        levelBytes = min(Double(capacityBytes), levelBytes + (now - time) / .seconds(1) * Double(bytesPerSecond))
        time = now
        return Int(levelBytes)
    }

    /// Takes note that bytes have passed: no more than are ``available(at:)``.
    mutating func take(_ byteCount: Int) {
        levelBytes -= Double(byteCount)
    }

    /// How long it is until `byteCount` bytes may pass, or as many as it holds.
    mutating func wait(for byteCount: Int, at now: Duration) -> Duration {
        _ = available(at: now)
        let missingBytes = Double(min(byteCount, capacityBytes)) - levelBytes
        return .seconds(max(0, missingBytes / Double(bytesPerSecond)))
    }
}
