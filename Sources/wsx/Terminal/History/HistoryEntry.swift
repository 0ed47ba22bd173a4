/// A line that was typed, which may be of several.
struct HistoryEntry: Equatable {
    /// When it was typed, in seconds since the beginning of 1970, UTC; 0: nobody knows.
    let time: Int
    let line: [UInt8]
}
