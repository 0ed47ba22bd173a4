/// Writes to a descriptor without blocking and without setting `O_NONBLOCK` on it.
///
/// That flag belongs to the open file description, which we share with the shell. So a pipe or a terminal is opened a second
/// time, and a socket gets `MSG_DONTWAIT` with each call. Where neither works, as for the pipe of another user, only a
/// thread that blocks can write.
internal final class NonblockingDescriptor {
    private enum Way {
        /// It never has to wait.
        case directly
        /// A second opening of the same pipe or terminal, in a mode of its own.
        case reopened(Int32)
        case socket
        /// Each write may wait.
        case waiting
    }

    private let descriptor: Int32
    private let opensAgain: Bool
    /// Nil until the first write. Until then no further descriptor is opened: a low number may be reserved for one that the
    /// process was started with.
    private var knownWay: Way?

    /// Makes a writer to a descriptor that the caller keeps open.
    /// - Parameter opensAgain: Whether to try to open it a second time.
    init(_ descriptor: Int32, opensAgain: Bool = true) {
        self.descriptor = descriptor
        self.opensAgain = opensAgain
    }

    deinit {
        if case .reopened(let reopened) = knownWay { Descriptor.closeDescriptor(reopened) }
    }

    private var way: Way {
        if let knownWay { return knownWay }
        let way = findWay()
        knownWay = way
        return way
    }

    private func findWay() -> Way {
        if Descriptor.isAlwaysReady(descriptor) { return .directly }
        if Descriptor.isSocket(descriptor) { return .socket }
        let reopened = opensAgain ? Descriptor.openAgain(descriptor, forWriting: true) : nil
        return reopened.map { .reopened($0) } ?? .waiting
    }

    /// Writes as much as is taken without waiting, and returns the rest.
    func writeAtOnce(_ lines: UnsafeRawBufferPointer) throws(IOError) -> UnsafeRawBufferPointer {
        if case .waiting = way { return lines }
        var rest = lines
        while !rest.isEmpty {
            do throws(IOError) {
                let count = try write(LogPiece.first(of: rest))
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } catch {
                guard error == .tryAgain else { throw error }
                return rest
            }
        }
        return rest
    }

    /// Writes bytes, and waits until all are taken; returns whether they were.
    func writeAll(_ bytes: RawSpan) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                do throws(IOError) {
                    let count = try write(rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } catch {
                    guard error == .tryAgain else { return false }
                    Descriptor.waitUntilWritable(descriptor)
                }
            }
            return true
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(IOError) -> Int {
        switch way {
        case .directly, .waiting: try Descriptor.write(descriptor, bytes)
        case .reopened(let reopened): try Descriptor.write(reopened, bytes)
        case .socket: try Descriptor.sendAtOnce(descriptor, bytes)
        }
    }
}
