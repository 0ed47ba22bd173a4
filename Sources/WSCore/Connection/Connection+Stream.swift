// What happens on the stream.
extension Connection: ByteStreamDelegate {
    /// Decodes.
    public func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(&bytes)
    }

    /// The peer has closed its side without a closing handshake.
    public func streamDidReachEnd(_ stream: any ByteStream) {
        end(failure: nil)
    }

    /// Writes on.
    public func streamDidDrain(_ stream: any ByteStream) {
        flush()
    }

    /// The connection is lost.
    public func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        end(failure: error)
    }

    /// The connection is lost, but for what the peer sent before.
    public func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        didFailToWrite(error)
    }
}
