import Conversation
import WSCore

@testable import UserInterface

extension FuzzTarget {
    /// Responses to a client's upgrade request: heads, interim responses, and bodies with each kind of framing.
    ///
    /// - The result does not depend on how a response is split.
    /// - An upgrade selects only a subprotocol and extensions that the client requested.
    /// - A body is the same whether it is framed by its length, in chunks, or by the end of the connection.
    /// - Failures are safe to show, and a body does not exceed its limit.
    static let clientHandshake = FuzzTarget(name: "client-handshake") { input in
        let whole = ClientOutcome(of: [input[...]])
        for pieces in waysToCut(input) {
            let cut = ClientOutcome(of: pieces)
            expect(whole.isAlike(cut), "whole and in pieces of \(pieces.map(\.count)):\n\(whole)\n\(cut)")
        }
        if let (upgrade, consumedByteCount) = whole.upgrade {
            expect(consumedByteCount <= input.count, "more was consumed than there was")
            expect(
                upgrade.subprotocol.map { ["chat", "v2"].contains($0) } ?? true, "the subprotocol was not requested")
            expect(upgrade.extensions.allSatisfy { $0.name == "x-test" }, "the extension was not offered")
        }
        for error in [whole.error, whole.partialRefusal, whole.errorAtEnd].compactMap({ $0 }) {
            checkShown(error)
        }
        checkFramings(of: input)
    }

    private static func checkFramings(of content: [UInt8]) {
        var chunks: [UInt8] = []
        for piece in waysToCut(content)[2] where !piece.isEmpty {
            chunks += Array("\(String(piece.count, radix: 16));x=y\r\n".utf8) + piece + Array("\r\n".utf8)
        }
        chunks += Array("0\r\nTrailer: x\r\n\r\n".utf8)
        let bodies = [
            ("Content-Length: \(content.count)", content), ("Transfer-Encoding: chunked", chunks), ("X: y", content),
        ]
        for (field, body) in bodies {
            let response = Array("HTTP/1.1 403 Forbidden\r\n\(field)\r\n\r\n".utf8) + body
            guard case .refused(_, let shown, false)? = ClientOutcome(of: [response[...]]).errorAtEnd else {
                unexpected("a whole response is no refusal, or its body is cut")
            }
            expectEqual(shown, content, "the body, with \(field)")
        }
    }

    private static func checkShown(_ error: HandshakeError) {
        let failure = Failure.connecting(url: "ws://host/", .handshake(error))
        expectOneSafeLine(error.description)
        expectOneSafeLine(failure.message ?? "")
        guard case .refused(let head, let body, _) = error else { return }
        expect(body.count <= ResponseBody.maximumBytes, "the body has \(body.count) bytes")
        for line in ReportedHead.lines(of: head, without: SecretRecord()) { expectOneSafeLine(line) }
        let shown = SafeText.beginning(of: body.span.bytes, isCut: false)
        expect(shown.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x09 }, "the body could drive a terminal")
    }
}

/// The outcome of bytes from a server.
private struct ClientOutcome {
    var upgrade: (upgrade: ClientUpgrade, consumedByteCount: Int)?
    var error: HandshakeError?
    var partialRefusal: HandshakeError?
    /// The failure if the server then closes the connection.
    var errorAtEnd: HandshakeError?

    init(of pieces: [ArraySlice<UInt8>]) {
        var handshake = Self.handshake
        var byteCountBefore = 0
        do throws(HandshakeError) {
            for piece in pieces {
                if case .upgraded(let upgrade, let byteCount) = try handshake.receive(piece.span.bytes) {
                    self.upgrade = (upgrade, byteCountBefore + byteCount)
                    return
                }
                byteCountBefore += piece.count
            }
        } catch {
            self.error = error
        }
        partialRefusal = handshake.partialRefusal
        do throws(HandshakeError) { try handshake.receiveEndOfStream() } catch { errorAtEnd = error }
    }

    /// Whether both outcomes are equal, except for the amount of data quoted from a response that is not HTTP.
    func isAlike(_ other: ClientOutcome) -> Bool {
        upgrade?.upgrade == other.upgrade?.upgrade
            && upgrade?.consumedByteCount == other.upgrade?.consumedByteCount
            && Self.areAlike(error, other.error) && Self.areAlike(partialRefusal, other.partialRefusal)
            && Self.areAlike(errorAtEnd, other.errorAtEnd)
    }

    private static func areAlike(_ left: HandshakeError?, _ right: HandshakeError?) -> Bool {
        if case .notHTTP(let left)? = left, case .notHTTP(let right)? = right {
            return left.starts(with: right) || right.starts(with: left)
        }
        return left == right
    }

    /// The handshake of a request with the key `AAAAAAAAAAAAAAAAAAAAAA==`.
    private static let handshake: ClientHandshake = {
        guard let url = try? WebSocketURL(parsing: "ws://host/"),
            let request = try? ClientRequest(
                url: url, subprotocols: ["chat", "v2"], extensionOffers: [ExtensionOffer(name: "x-test")])
        else { unexpected("the request is a good one") }
        return ClientHandshake(request: request, nonce: [UInt8](repeating: 0, count: 16))
    }()
}
