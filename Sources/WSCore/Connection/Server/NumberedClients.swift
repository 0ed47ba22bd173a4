/// Objects by their numbers, each of which is larger than those before. Takes half of the memory of a dictionary.
///
/// It is not generic: code that is not specialized, such as that of ``Server``, would look up the metadata of a generic type
/// for each access, which takes longer than all else.
package struct NumberedObjects {
    /// The numbers in ascending order, also of objects that were removed.
    @usableFromInline internal private(set) var numbers: [Int] = []
    /// The objects in the same order, or nil in place of those that were removed.
    @usableFromInline internal private(set) var objects: [AnyObject?] = []
    /// The number of objects.
    @usableFromInline package private(set) var count = 0

    /// Creates an empty table.
    package init() {}

    /// Adds an object with a number that is larger than all others.
    package mutating func append(_ object: AnyObject, _ number: Int) {
        numbers.append(number)
        objects.append(object)
        count += 1
    }

    /// Removes an object. Returns whether there was one with the number.
    package mutating func remove(_ number: Int) -> Bool {
        guard let index = index(of: number), objects[index] != nil else { return false }
        objects[index] = nil
        count -= 1
        if index == objects.count - 1 {
            objects.removeLast()
            numbers.removeLast()
        } else if objects.count > 2 * count + Self.keptPlaces {
            removePlaces()
        }
        return true
    }

    /// The number of empty places that need not be removed.
    private static var keptPlaces: Int { 32 }

    private mutating func removePlaces() {
        numbers = zip(numbers, objects).compactMap { $1 == nil ? nil : $0 }
        objects = objects.filter { $0 != nil }
    }

    /// The place of a number, or nil if there is none.
    @usableFromInline
    internal func index(of number: Int) -> Int? {
        var (start, end) = (0, numbers.count)
        while start < end {
            let middle = (start + end) / 2
            if numbers[middle] < number { start = middle + 1 } else { end = middle }
        }
        return start < numbers.count && numbers[start] == number ? start : nil
    }
}

/// The clients of a server by their numbers. Iterates in the order of the numbers.
package struct NumberedClients<Client: AnyObject>: Sequence {
    @usableFromInline internal let table: NumberedObjects

    /// Creates a view of a table that contains only objects of this type.
    @inlinable @inline(__always)
    package init(_ table: NumberedObjects) {
        self.table = table
    }

    /// The number of clients.
    @inlinable package var count: Int { table.count }
    /// Whether there is no client.
    @inlinable package var isEmpty: Bool { table.count == 0 }
    /// The client with the smallest number, or nil if there is none.
    @inlinable @inline(__always) package var first: Client? {
        var clients = values.makeIterator()
        return clients.next()
    }
    /// The clients in the order of their numbers.
    @inlinable @inline(__always) package var values: Values { Values(table: table) }

    /// The client with this number, or nil if there is none.
    @inlinable package subscript(number: Int) -> Client? {
        table.index(of: number).flatMap { table.objects[$0] }.map { unsafeDowncast($0, to: Client.self) }
    }

    /// Iterates over the clients with their numbers.
    @inlinable
    package func makeIterator() -> AnyIterator<(Int, Client)> {
        var index = 0
        return AnyIterator {
            while index < table.objects.count {
                defer { index += 1 }
                if let object = table.objects[index] {
                    return (table.numbers[index], unsafeDowncast(object, to: Client.self))
                }
            }
            return nil
        }
    }

    /// The clients in the order of their numbers.
    package struct Values: Sequence, IteratorProtocol {
        @usableFromInline internal let table: NumberedObjects
        @usableFromInline internal var index = 0

        @inlinable @inline(__always)
        internal init(table: NumberedObjects) {
            self.table = table
        }

        /// Returns the next client.
        @inlinable @inline(__always)
        package mutating func next() -> Client? {
            while index < table.objects.count {
                let object = table.objects[index]
                index += 1
                if let object { return unsafeDowncast(object, to: Client.self) }
            }
            return nil
        }
    }
}
