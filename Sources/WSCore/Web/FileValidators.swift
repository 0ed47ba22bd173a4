/// What tells states of a file apart: its tag and the time of its last change (RFC 9110 §8.8).
struct FileValidators {
    /// The tag, of the file's number, length and time of change.
    let tag: EntityTag
    /// The time of the last change, as Last-Modified says it, since the beginning of 1970.
    let modifiedSeconds: Int

    /// Makes the validators of a file.
    /// - Parameters:
    ///   - number: What the file system tells the file from others by.
    ///   - size: Its length in bytes.
    ///   - modifiedSeconds: The time of its last change, since the beginning of 1970.
    ///   - modifiedNanoseconds: The part of a second after that.
    ///   - now: The present time.
    init(number: UInt64, size: Int, modifiedSeconds: Int, modifiedNanoseconds: Int, now: Int) {
        let parts = [
            number, UInt64(max(0, size)), UInt64(bitPattern: Int64(modifiedSeconds)),
            UInt64(truncatingIfNeeded: modifiedNanoseconds),
        ]
        // What has changed a moment ago may change again before the clock, or the file system's, has moved on.
        let isSettled = modifiedSeconds <= now - Self.settlingSeconds
        tag = EntityTag(opaque: parts.map { String($0, radix: 36) }.joined(separator: "-"), isWeak: !isSettled)
        // RFC 9110 §8.8.2.1: Last-Modified is not later than Date.
        self.modifiedSeconds = min(modifiedSeconds, now)
    }

    /// The fields of an answer.
    var fields: [HeaderField] {
        [
            HeaderField(wellFormedName: "ETag", value: tag.text),
            HeaderField(wellFormedName: "Last-Modified", value: HTTPDate.text(ofSeconds: modifiedSeconds)),
        ]
    }

    private static let settlingSeconds = 2
}
