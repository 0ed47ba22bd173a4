@testable import WSCore

/// Calls `run` with the bytes whole, byte by byte, and split in two at every offset. Returns all results.
func feedingEveryWay<Result>(_ bytes: [UInt8], _ run: ([[UInt8]]) -> Result) -> [Result] {
    var ways: [[[UInt8]]] = [[bytes], bytes.map { [$0] }]
    for split in 0...bytes.count { ways.append([Array(bytes[..<split]), Array(bytes[split...])]) }
    return ways.map(run)
}

/// The result of a client handshake that receives pieces, with the total number of bytes consumed.
enum ClientOutcome: Equatable {
    case needsMore
    case upgraded(ClientUpgrade, consumedByteCount: Int)
    case failed(HandshakeError)
}

/// The result of a server handshake that receives pieces, with the total number of bytes consumed.
enum ServerOutcome: Equatable {
    case needsMore
    case upgrade(ServerUpgrade, consumedByteCount: Int)
    case request(RequestHead)
    case refused(HandshakeRefusal)
}

extension ClientHandshake {
    mutating func outcome(of pieces: [[UInt8]]) -> ClientOutcome {
        var fed = 0
        do {
            for piece in pieces {
                if case .upgraded(let upgrade, let count) = try receive(piece.span.bytes) {
                    return .upgraded(upgrade, consumedByteCount: fed + count)
                }
                fed += piece.count
            }
            return .needsMore
        } catch {
            return .failed(error)
        }
    }

    mutating func errorAtEndOfStream() -> HandshakeError {
        do { try receiveEndOfStream() } catch { return error }
    }
}

extension ServerHandshake {
    mutating func outcome(of pieces: [[UInt8]]) -> ServerOutcome {
        var fed = 0
        do {
            for piece in pieces {
                switch try receive(piece.span.bytes) {
                case .needsMore: fed += piece.count
                case .upgrade(let upgrade, let count): return .upgrade(upgrade, consumedByteCount: fed + count)
                case .request(let request, _): return .request(request)
                }
            }
            return .needsMore
        } catch {
            return .refused(error)
        }
    }
}
