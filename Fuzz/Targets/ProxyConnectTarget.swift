import Conversation
import WSCore

@testable import UserInterface

extension FuzzTarget {
    /// Responses of an HTTP proxy to CONNECT.
    ///
    /// - The result does not depend on how a response is split.
    /// - The tunnel opens exactly at the end of the head. Later bytes are left unread.
    /// - Failures are safe to show, and a body does not exceed its limit.
    static let proxyConnect = FuzzTarget(name: "proxy-connect") { input in
        let whole = ProxyOutcome(of: [input[...]], from: handshake)
        for pieces in waysToCut(input) {
            let cut = ProxyOutcome(of: pieces, from: handshake)
            expect(whole.isAlike(cut), "whole and in pieces of \(pieces.map(\.count)):\n\(whole)\n\(cut)")
        }
        expect(whole.sent.isEmpty, "something was sent after the request")
        if let byteCount = whole.consumedByteCount {
            expect(byteCount <= input.count, "more bytes were consumed than received")
            expect(input[..<byteCount].starts(with: "HTTP/1.".utf8), "the answer is not HTTP")
            expect(input[..<byteCount].suffix(4).elementsEqual("\r\n\r\n".utf8), "the answer's head is not complete")
            let less = ProxyOutcome(of: [input[..<(byteCount - 1)]], from: handshake)
            expect(less.consumedByteCount == nil && less.error == nil, "the outcome with one byte less is \(less)")
        }
        for error in [whole.error, whole.partialRefusal, whole.errorAtEnd].compactMap({ $0 }) {
            expectOneSafeLine(error.description)
            guard case .refused(let head, let body, _) = error else { continue }
            expect(!(200...299).contains(head.status), "the status \(head.status) is a refusal")
            expect(body.count <= ResponseBody.maximumBytes, "the body has \(body.count) bytes")
            for line in ReportedHead.lines(of: head, without: SecretRecord()) { expectOneSafeLine(line) }
        }
    }

    private static let handshake: ProxyHandshake = {
        guard let proxy = try? Proxy(parsing: "http://user:password@proxy:3128"),
            let handshake = try? ProxyHandshake(proxy: proxy, host: "host", port: 443)
        else { unexpected("the proxy is valid") }
        return handshake
    }()
}
