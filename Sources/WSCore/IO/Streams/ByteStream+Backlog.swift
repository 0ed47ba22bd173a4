extension ByteStream {
    /// Writes as much of a queue as the stream accepts now, unless a write is in progress.
    /// - Returns: Whether the stream accepted everything. If not, offer the queue again after the delegate receives
    ///   ``ByteStreamDelegate/streamDidDrain(_:)``, and write nothing else before.
    /// - Throws: ``StreamError`` if the stream is no longer writable.
    public func write(_ backlog: WriteQueue) throws(StreamError) -> Bool {
        while backlog.first != nil {
            let countBefore = backlog.count
            let isTaken = try backlog.takeFirst { (part) throws(StreamError) in
                try write(&part.own)
                guard part.own.isEmpty else { return 0 }
                return try write(part.shared, from: part.offset)
            }
            // A stream may accept the queue piecewise, so it is asked until it accepts nothing.
            guard isTaken || backlog.count < countBefore else { return false }
        }
        return true
    }
}
