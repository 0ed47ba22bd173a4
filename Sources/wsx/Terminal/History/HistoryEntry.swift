/// A typed entry of one or more lines.
struct HistoryEntry: Equatable {
    /// The time of typing, in seconds since 1970-01-01 UTC; 0: unknown.
    let time: Int
    let line: [UInt8]
}
