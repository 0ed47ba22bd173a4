@testable import WSCore

/// The outcome of a proxy handshake fed with pieces of input.
struct ProxyOutcome: Equatable {
    enum End: Equatable {
        case needsMore
        /// The total number of bytes consumed.
        case open(consumedByteCount: Int)
        case failed(ProxyError)
    }

    var end = End.needsMore
    /// The answers sent so far.
    var sent: [[UInt8]] = []
}

extension ProxyHandshake {
    mutating func outcome(of pieces: [[UInt8]]) -> ProxyOutcome {
        var outcome = ProxyOutcome()
        var fedByteCount = 0
        do {
            for piece in pieces {
                var rest = piece[...]
                var isTaken = false
                while !isTaken {
                    switch try receive(rest.span.bytes) {
                    case .needsMore:
                        fedByteCount += rest.count
                        isTaken = true
                    case .send(let answer, let count):
                        fedByteCount += count
                        rest = rest.dropFirst(count)
                        outcome.sent.append(answer)
                    case .open(let count):
                        outcome.end = .open(consumedByteCount: fedByteCount + count)
                        return outcome
                    }
                }
            }
        } catch {
            outcome.end = .failed(error)
        }
        return outcome
    }

    mutating func errorAtEndOfStream() -> ProxyError {
        do { try receiveEndOfStream() } catch { return error }
    }
}
