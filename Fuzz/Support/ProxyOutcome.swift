import WSCore

/// The outcome of bytes from a proxy.
struct ProxyOutcome {
    /// The number of bytes before those of the tunnel, once it is open.
    var consumedByteCount: Int?
    /// The messages sent to the proxy.
    var sent: [[UInt8]] = []
    var error: ProxyError?
    var partialRefusal: ProxyError?
    /// The failure if the proxy then closes the connection.
    var errorAtEnd: ProxyError?

    init(of pieces: [ArraySlice<UInt8>], from start: ProxyHandshake) {
        var handshake = start
        var byteCountBefore = 0
        do throws(ProxyError) {
            for piece in pieces {
                if let count = try receive(piece, into: &handshake) {
                    consumedByteCount = byteCountBefore + count
                    return
                }
                byteCountBefore += piece.count
            }
        } catch {
            self.error = error
        }
        partialRefusal = handshake.partialRefusal
        do throws(ProxyError) { try handshake.receiveEndOfStream() } catch { errorAtEnd = error }
    }

    /// Passes a piece to the handshake. Returns the number of its bytes before the tunnel, once that is open.
    private mutating func receive(
        _ piece: ArraySlice<UInt8>, into handshake: inout ProxyHandshake
    ) throws(ProxyError) -> Int? {
        var offset = 0
        while true {
            let rest = piece.dropFirst(offset)
            switch try handshake.receive(rest.span.bytes) {
            case .needsMore: return nil
            case .send(let answer, let count):
                sent.append(answer)
                offset += count
            case .open(let count): return offset + count
            }
        }
    }

    /// Whether both outcomes are equal, except for the amount of data quoted from a response that is not HTTP.
    func isAlike(_ other: ProxyOutcome) -> Bool {
        consumedByteCount == other.consumedByteCount && sent == other.sent
            && Self.areAlike(error, other.error) && Self.areAlike(partialRefusal, other.partialRefusal)
            && Self.areAlike(errorAtEnd, other.errorAtEnd)
    }

    private static func areAlike(_ left: ProxyError?, _ right: ProxyError?) -> Bool {
        if case .notHTTP(let left)? = left, case .notHTTP(let right)? = right {
            return left.starts(with: right) || right.starts(with: left)
        }
        return left == right
    }
}
