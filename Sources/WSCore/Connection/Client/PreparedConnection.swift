/// A connection to a server on which no request has been sent. It is closed if nobody takes it.
package final class PreparedConnection {
    private var stream: (any ByteStream)?
    /// The address and port of the server or proxy at the other end.
    let peer: String

    /// Takes over a stream, which does not read.
    init(_ stream: any ByteStream, peer: String) {
        self.stream = stream
        self.peer = peer
    }

    deinit { stream?.close() }

    /// Returns the stream once, unless the server has closed it.
    func take() -> (any ByteStream)? {
        guard let stream, stream.peerPresence == .present else { return nil }
        self.stream = nil
        return stream
    }
}
