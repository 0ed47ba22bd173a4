/// Writes to a descriptor without blocking and without setting `O_NONBLOCK` on it.
///
/// That flag belongs to the open file description, which we share with the shell. So a pipe or a terminal is reopened,
/// and a socket gets `MSG_DONTWAIT` with each call. If neither works, as with another user's pipe, only a thread that
/// blocks can write.
internal final class NonblockingDescriptor {
    private enum Way {
        /// Writes never block.
        case directly
        /// The same pipe or terminal, reopened with its own mode.
        case reopened(Int32)
        case socket
        /// Each write may block.
        case waiting
    }

    private let descriptor: Int32
    private let opensAgain: Bool
    /// `nil` until the first write. No other descriptor is opened before then: a low number may be reserved for a
    /// descriptor that the process inherits.
    private var knownWay: Way?

    /// Creates a writer. The caller keeps the descriptor open.
    /// - Parameter opensAgain: Whether to try to reopen the descriptor.
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

    /// Writes as much as possible without blocking and returns the rest.
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

    /// Writes all bytes, blocking if necessary. Returns whether it succeeded.
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
