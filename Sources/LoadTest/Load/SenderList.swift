/// The connections that send, ordered by number.
package struct SenderList: RandomAccessCollection {
    private var connections: [any LoadHandler] = []
    /// The number of connections that have started, in a closed loop. They are the first ones.
    internal private(set) var startedCount = 0

    /// Creates an empty list.
    internal init() {}

    /// Creates a list of connections, of which none has started.
    internal init(_ connections: some Sequence<any LoadHandler>) {
        self.connections = connections.sorted { $0.number < $1.number }
    }

    /// The position of the first connection.
    package var startIndex: Int { 0 }
    /// The number of connections.
    package var endIndex: Int { connections.count }

    /// The connection at a position.
    package subscript(position: Int) -> any LoadHandler { connections[position] }

    /// The position of the first connection with a number or a larger one.
    internal func position(from number: UInt64) -> Int {
        var range = 0..<connections.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = connections[middle].number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The next connection to start, or `nil` if all have started.
    internal var nextToStart: (any LoadHandler)? { startedCount < count ? connections[startedCount] : nil }

    /// Counts the next connection as started.
    internal mutating func startNext() {
        startedCount += 1
    }

    /// Adds a connection, which has started if a later one has.
    /// - Returns: Whether it has started.
    internal mutating func insert(_ connection: any LoadHandler) -> Bool {
        let position = position(from: connection.number)
        connections.insert(connection, at: position)
        guard position < startedCount else { return false }
        startedCount += 1
        return true
    }

    /// Removes a connection if it is in the list.
    internal mutating func remove(_ connection: LoadConnection) {
        let position = position(from: connection.number)
        guard position < count, connections[position] === connection else { return }
        connections.remove(at: position)
        if position < startedCount { startedCount -= 1 }
    }
}
