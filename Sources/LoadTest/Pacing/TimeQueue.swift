/// Items with times, the earliest first: what many connections wait for. One queue with one timer costs less than a timer
/// each.
internal struct TimeQueue<Item> {
    /// An item with its time on the loop's clock, in nanoseconds.
    typealias Entry = (time: UInt64, item: Item)

    /// A binary heap: each entry is at most as late as entries `2n + 1` and `2n + 2`.
    private var entries: [Entry] = []

    /// The earliest time, or `nil` if there is none.
    var earliest: UInt64? { entries.first?.time }

    /// Adds an item.
    mutating func add(_ item: Item, at time: UInt64) {
        var index = entries.count
        entries.append((time, item))
        while index > 0, time < entries[(index - 1) / 2].time {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the earliest entry if its time has come.
    mutating func takeDue(by now: UInt64) -> Entry? {
        guard let first = entries.first, first.time <= now, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return last }
        var index = 0
        entries[0] = last
        while true {
            var child = 2 * index + 1
            if child + 1 < entries.count, entries[child + 1].time < entries[child].time { child += 1 }
            guard child < entries.count, entries[child].time < last.time else { return first }
            entries.swapAt(index, child)
            index = child
        }
    }
}
