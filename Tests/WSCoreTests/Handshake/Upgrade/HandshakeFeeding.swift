@testable import WSCore

/// Feeds bytes whole, byte by byte, and split in two at every point; `make` gets one way of feeding after
/// the other as a list of pieces, and all its results are returned.
func feedingEveryWay<Result>(_ bytes: [UInt8], _ run: ([[UInt8]]) -> Result) -> [Result] {
    var ways: [[[UInt8]]] = [[bytes], bytes.map { [$0] }]
    for split in 0...bytes.count { ways.append([Array(bytes[..<split]), Array(bytes[split...])]) }
    return ways.map(run)
}

/// What a client's handshake comes to when it gets pieces, with the number of bytes consumed in all.
enum ClientOutcome: Equatable {
    case needsMore
    case upgraded(ClientUpgrade, consumedByteCount: Int)
    case failed(HandshakeError)
}

/// What a server's handshake comes to when it gets pieces, with the number of bytes consumed in all.
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
                case .request(let request): return .request(request)
                }
            }
            return .needsMore
        } catch {
            return .refused(error)
        }
    }
}
