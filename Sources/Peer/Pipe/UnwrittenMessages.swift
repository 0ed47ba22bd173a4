/// Counts the messages at the end of an output whose last byte has not been written.
struct UnwrittenMessages {
    /// The positions in the output at which messages end, in ascending order. The first ones may have been written.
    private var ends: [Int] = []
    /// The number of positions at which written ones are removed.
    private var limit = minimumLimit

    private static let minimumLimit = 1024

    /// Adds a message.
    /// - Parameters:
    ///   - end: The number of bytes of the output up to the end of the message.
    ///   - writtenBytes: The number of bytes that have been written. Not evaluated for each message.
    mutating func append(end: Int, writtenBytes: @autoclosure () -> Int) {
        ends.append(end)
        guard ends.count >= limit else { return }
        let written = writtenBytes()
        ends.removeAll { $0 <= written }
        limit = max(Self.minimumLimit, ends.count * 2)
    }

    /// The number of messages that have not been written completely.
    /// - Parameter writtenBytes: The number of bytes that have been written.
    func count(after writtenBytes: Int) -> Int { ends.count { $0 > writtenBytes } }
}
