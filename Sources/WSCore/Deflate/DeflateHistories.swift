/// Keeps the histories of busy compressors that have no zlib stream: those of short messages do not need one, and others
/// had to give theirs back.
///
/// Without it, messages of 136 bytes on 1,000 connections would be compressed to 82 % of their size instead of 19 %
/// (docs/PERFORMANCE.md). One array has all histories, so they leave no holes between the blocks of idle connections.
final class DeflateHistories {
    private struct History {
        /// Removes its history when it is deinitialized.
        unowned let owner: MessageDeflater
        /// Whether the history has not been used since the last call of ``DeflateHistories/releaseIdle()``.
        var isIdle = false
        var deflater: ShortDeflater
    }

    private var histories: [History] = []

    /// The maximum number of histories. Further compressors start without history.
    private static let maximumCount = 16 << 10

    /// Whether there are no histories.
    var isEmpty: Bool { histories.isEmpty }

    /// Saves the history of the owner's stream.
    func save(_ stream: DeflateStream, of owner: MessageDeflater) {
        guard histories.count < Self.maximumCount else { return }
        let deflater = ShortDeflater { stream.copyHistory(to: $0) }
        guard !deflater.isEmpty else { return }
        owner.historyIndex = histories.count
        histories.append(History(owner: owner, deflater: deflater))
    }

    /// Compresses a short message with the owner's history, as ``ShortDeflater`` does.
    /// - Returns: Whether there is a history, and the limit is met.
    func compress(_ payload: RawSpan, of owner: MessageDeflater, into output: inout ByteBuffer, limitBytes: Int) -> Bool
    {
        guard let index = owner.historyIndex else { return false }
        histories[index].isIdle = false
        return histories[index].deflater.compress(
            payload, maximumDistance: DeflateStream.maximumDistance(windowBits: owner.windowBits), into: &output,
            limitBytes: limitBytes)
    }

    /// Resets a stream and continues with the owner's history, if any. The history is then removed.
    func restore(_ stream: DeflateStream, of owner: MessageDeflater) {
        guard let index = owner.historyIndex else { return stream.reset() }
        histories[index].deflater.withHistory { stream.restore($0) }
        remove(of: owner)
    }

    /// Removes the owner's history, if any. The last one takes its place.
    func remove(of owner: MessageDeflater) {
        guard let index = owner.historyIndex else { return }
        owner.historyIndex = nil
        let last = histories.removeLast()
        guard index < histories.count else { return }
        histories[index] = last
        last.owner.historyIndex = index
    }

    /// Removes histories that have not been used since the last call.
    func releaseIdle() {
        // From the end, because removing a history moves one from behind it.
        for index in histories.indices.reversed() {
            if histories[index].isIdle { remove(of: histories[index].owner) } else { histories[index].isIdle = true }
        }
        if isEmpty { histories = [] }
    }
}
