import TestSupport
import Testing

@testable import WSCore

@Suite struct ProxyErrorTests {
    @Test("every error has a unique identifier and a message without control characters")
    func descriptions() {
        let evil = "\u{1B}[2J\u{202E}\r\n"
        let fields = HTTPFields([HeaderField(wellFormedName: "Proxy-Authenticate", value: "Basic, \(evil)x y")])
        let errors: [ProxyError] = [
            .hostLength(byteCount: 0), .closedBeforeAnswer, .incompleteAnswer, .notHTTP(preview: Array(evil.utf8)),
            .invalidResponse(.missingColon(evil)), .tooManyInterimResponses,
            .refused(ResponseHead(status: 407, reason: evil, fields: fields), body: [], bodyIsTruncated: false),
            .notSOCKS(firstByte: 1), .noAcceptableMethod(hasCredentials: false), .methodNotOffered(2),
            .loginRefused(status: 1), .invalidVersion(4), .failed(SOCKS5Reply(code: 1)), .invalidReservedByte(1),
            .invalidAddressType(9),
        ]
        for error in errors {
            expectEqual(error.description, escapingControls(error.description))
        }
        expectEqual(Set(errors.map(\.description)).count, errors.count)
    }

    static let otherKindsCases: [(ProxyError, String)] = [
        (ProxyError.notHTTP(preview: [5, 0xFF]), "--proxy socks5h://"),
        (.notHTTP(preview: [0x15, 3, 1]), "--proxy https://"),
        (.notHTTP(preview: Array("SSH-2".utf8)), "\"SSH-2\""), (.notSOCKS(firstByte: 0x48), "--proxy http://"),
        (.notSOCKS(firstByte: 0x15), "--proxy https://"), (.notSOCKS(firstByte: 0), "SOCKS 4"),
        (.notSOCKS(firstByte: 4), "SOCKS 4"), (.notSOCKS(firstByte: 0x53), "byte 83"),
        (.noAcceptableMethod(hasCredentials: false), "USER:PASSWORD"), (.loginRefused(status: 1), "--proxy"),
    ]

    @Test("the protocol of a wrong proxy is detected from its response", arguments: Self.otherKindsCases)
    func otherKinds(error: ProxyError, words: String) {
        #expect(error.description.contains(words))
    }

    @Test("a host name that is too long or empty is rejected before it is sent", arguments: [0, 256])
    func hostLength(byteCount: Int) throws {
        let host = String(repeating: "x", count: byteCount)
        for proxy in ["http://p", "socks5h://p"] {
            #expect(throws: ProxyError.hostLength(byteCount: byteCount)) {
                try ProxyHandshake(proxy: Proxy(parsing: proxy), host: host, port: 1)
            }
        }
    }
}
