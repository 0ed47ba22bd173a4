// Events of the stream.
extension Connection: ByteStreamDelegate {
    /// Decodes the bytes.
    package func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(&bytes)
    }

    /// Ends the connection, unless the peer waits for the answer to its close frame.
    package func streamDidReachEnd(_ stream: any ByteStream) {
        if handOverIfDue() {
            stream.delegate?.streamDidReachEnd(stream)
        } else if !mustAnswerClose {
            end(failure: nil)
        }
    }

    /// Counts the input of a paused connection.
    package func streamDidKeepInput(_ stream: any ByteStream) { countMemory() }

    /// Writes more of the queued output at the end of the turn.
    package func streamDidDrain(_ stream: any ByteStream) {
        beginTurn()
    }

    /// Ends the connection.
    package func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        if handOverIfDue() { stream.delegate?.stream(stream, didFailToRead: error) } else { end(failure: error) }
    }

    /// Discards all output. Input that arrived before the failure is still read.
    package func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        if handOverIfDue() { stream.delegate?.stream(stream, didFailToWrite: error) } else { didFailToWrite(error) }
    }
}
