import Foundation

@testable import WSCore

extension FuzzTarget {
    /// Upgrade requests to a server, with its default policy and with a more permissive one.
    ///
    /// - The result does not depend on how a request is split.
    /// - A refusal is an HTTP response with the right status and body length, and its reason is safe to log.
    /// - A client with the same request accepts the response.
    static let serverHandshake = FuzzTarget(name: "server-handshake") { input in
        for policy in policies {
            let whole = ServerOutcome(of: [input[...]], policy: policy)
            for pieces in waysToCut(input) {
                let cut = ServerOutcome(of: pieces, policy: policy)
                expect(whole.isAlike(cut), "whole and in pieces of \(pieces.map(\.count)):\n\(whole)\n\(cut)")
            }
            switch whole {
            case .needsMore, .requested: break
            case .refused(let refusal): checkRefusal(refusal)
            case .accepted(let upgrade, let byteCount):
                expect(byteCount <= input.count, "more bytes were consumed than received")
                checkUpgrade(upgrade)
            }
        }
    }

    private static let policies: [ServerPolicy] = {
        let extra = try? HeaderField(name: "X-Server", value: "fuzz")
        guard let plain = try? ServerPolicy(),
            let open = try? ServerPolicy(
                subprotocols: ["v2", "chat"], path: "/chat", allowedOrigins: ["https://app.example"],
                checksHostAndOrigin: false, extraFields: [extra].compactMap { $0 })
        else { unexpected("the policies are valid") }
        return [plain, open]
    }()

    private static func checkRefusal(_ refusal: HandshakeRefusal) {
        expect((400...599).contains(refusal.status), "the status is \(refusal.status)")
        expectOneSafeLine(refusal.reason)
        var parser = HTTPHeadParser(.response, limits: .client)
        let response = WebResponse(refusal)
        let answer = response.head(at: .now).bytes + response.bytes(answering: refusal.request?.method)
        guard let headByteCount = try? parser.receive(answer.span.bytes), let head = parser.responseHead else {
            unexpected("the answer is not HTTP: \(String(decoding: answer, as: UTF8.self))")
        }
        expectEqual(head.status, refusal.status, "the status of the answer")
        let isHead = refusal.request?.method == "HEAD"
        let length = head.fields.first(named: "Content-Length").flatMap { Int($0) }
        expectEqual(answer.count - headByteCount, isHead ? 0 : length ?? -1, "the body's length")
    }

    private static func checkUpgrade(_ upgrade: ServerUpgrade) {
        let key = upgrade.request.fields.first(named: "Sec-WebSocket-Key") ?? ""
        // The last Base64 digit of a key can contain bits that belong to no byte.
        guard let nonce = Data(base64Encoded: key), nonce.count == 16, nonce.base64EncodedString() == key else {
            return
        }
        let offered = upgrade.request.fields.elements(named: "Sec-WebSocket-Protocol")
        guard let url = try? WebSocketURL(parsing: "ws://host/"),
            let request = try? ClientRequest(
                url: url, subprotocols: offered, extensionOffers: upgrade.extensionOffers)
        else { unexpected("a client cannot offer what a server accepts: \(offered)") }
        var client = ClientHandshake(request: request, nonce: Array(nonce))
        let answer = upgrade.response(accepting: upgrade.extensionOffers).bytes
        guard case .upgraded(let opened, let byteCount)? = try? client.receive(answer.span.bytes) else {
            unexpected("a client refuses the answer: \(String(decoding: answer, as: UTF8.self))")
        }
        expectEqual(byteCount, answer.count, "the length of the answer")
        expectEqual(opened.subprotocol, upgrade.subprotocol, "the subprotocol")
        expectEqual(opened.extensions, upgrade.extensionOffers, "the extensions")
    }
}

/// The outcome of bytes from a client.
private enum ServerOutcome {
    case needsMore
    case requested(RequestHead)
    case refused(HandshakeRefusal)
    case accepted(ServerUpgrade, consumedByteCount: Int)

    init(of pieces: [ArraySlice<UInt8>], policy: ServerPolicy) {
        var handshake = ServerHandshake(policy: policy)
        var byteCountBefore = 0
        do throws(HandshakeRefusal) {
            for piece in pieces {
                switch try handshake.receive(piece.span.bytes) {
                case .needsMore: byteCountBefore += piece.count
                case .upgrade(let upgrade, let byteCount):
                    self = .accepted(upgrade, consumedByteCount: byteCountBefore + byteCount)
                    return
                case .request(let request, _):
                    self = .requested(request)
                    return
                }
            }
            self = .needsMore
        } catch {
            self = .refused(error)
        }
    }

    /// Whether both outcomes are equal, except for the amount of data that a refusal quotes from a request that is not
    /// HTTP.
    func isAlike(_ other: ServerOutcome) -> Bool {
        switch (self, other) {
        case (.needsMore, .needsMore): true
        case (.requested(let left), .requested(let right)): left == right
        case (.accepted(let left, let leftCount), .accepted(let right, let rightCount)):
            left == right && leftCount == rightCount
        case (.refused(let left), .refused(let right)):
            left == right || (left.request == nil && right.request == nil && left.status == right.status)
        default: false
        }
    }
}
