extension ByteStream {
    /// Writes as much of a queue as is taken at once, unless a write is under way already.
    /// - Returns: Whether all of it was taken: if not, it is to be offered again when the delegate hears that the stream has
    ///   drained, and nothing else before it.
    /// - Throws: when nothing can be written any more.
    public func write(_ backlog: WriteQueue) throws(StreamError) -> Bool {
        while backlog.first != nil {
            let countBefore = backlog.count
            let isTaken = try backlog.takeFirst { (part) throws(StreamError) in
                try write(&part.own)
                guard part.own.isEmpty else { return 0 }
                return try write(part.shared, from: part.offset)
            }
            // A stream may take it piece by piece, and is asked until it takes no more.
            guard isTaken || backlog.count < countBefore else { return false }
        }
        return true
    }
}
