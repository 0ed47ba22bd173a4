import TestSupport
import Testing

@testable import WSCore

@Suite struct SOCKS5HandshakeTests {
    static let bound: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]
    /// CONNECT to example.com at port 443.
    static let request: [UInt8] = [5, 1, 0, 3, 11] + Array("example.com".utf8) + [0x01, 0xBB]
    /// The login with `user` and `pass`.
    static let login: [UInt8] = [1, 4] + Array("user".utf8) + [4] + Array("pass".utf8)

    static func handshake(
        _ proxy: String = "socks5h://proxy", host: String = "example.com", port: UInt16 = 443, address: [UInt8]? = nil
    ) throws -> ProxyHandshake {
        try ProxyHandshake(proxy: Proxy(parsing: proxy), host: host, port: port, address: address)
    }

    static func outcome(
        _ proxy: String = "socks5h://proxy", of bytes: [UInt8], at location: SourceLocation = #_sourceLocation
    ) throws -> ProxyOutcome {
        let make = try handshake(proxy)
        let outcomes = feedingEveryWay(bytes) { pieces in
            var handshake = make
            return handshake.outcome(of: pieces)
        }
        #expect(outcomes.allSatisfy { $0 == outcomes[0] }, sourceLocation: location)
        return outcomes[0]
    }

    @Test("the greeting offers password authentication only if there are credentials (RFC 1928 §3)")
    func greeting() throws {
        try expectEqual(Self.handshake().start(), [5, 1, 0])
        try expectEqual(Self.handshake("socks5://user:pass@proxy").start(), [5, 2, 0, 2])
        try expectNil(Self.handshake().requestHead)
        try expectNil(Self.handshake().partialRefusal)
    }

    @Test(
        "without authentication, the request follows the method selection, and the reply opens the tunnel (RFC 1928 §4)"
    )
    func plain() throws {
        for proxy in ["socks5h://proxy", "socks5h://user:pass@proxy"] {
            let outcome = try Self.outcome(proxy, of: [5, 0] + Self.bound + [0x16, 0x03])
            expectEqual(outcome, ProxyOutcome(end: .open(consumedByteCount: 12), sent: [Self.request]))
            let cut = try Self.outcome(proxy, of: [5, 0] + Self.bound.dropLast())
            expectEqual(cut, ProxyOutcome(end: .needsMore, sent: [Self.request]))
        }
    }

    @Test(
        "user name and password are sent if the proxy selects that method (RFC 1929 §2)", arguments: [1, 5] as [UInt8])
    func login(version: UInt8) throws {
        let bytes = [5, 2, version, 0] + Self.bound
        let outcome = try Self.outcome("socks5h://user:pass@proxy", of: bytes + [0xFF])
        expectEqual(
            outcome, ProxyOutcome(end: .open(consumedByteCount: bytes.count), sent: [Self.login, Self.request]))
    }

    @Test("the longest user name, password, and host fit into one-byte lengths")
    func longest() throws {
        let text = String(repeating: "x", count: 255)
        var handshake = try Self.handshake("socks5h://\(text):\(text)@proxy", host: text, port: 1)
        let outcome = handshake.outcome(of: [[5, 2, 1, 0]])
        let field = [0xFF] + [UInt8](repeating: 0x78, count: 255)
        expectEqual(outcome.sent, [[1] + field + field, [5, 1, 0, 3] + field + [0, 1]])
    }

    @Test(
        "a host that is an IP address is sent as an address, without its zone",
        arguments: [
            ("192.0.2.1", nil, [1, 192, 0, 2, 1]),
            ("2001:db8::1", nil, [4, 0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("fe80::1%eth0", nil, [4, 0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("a.b", nil, [3, 3] + Array("a.b".utf8)), ("1.2.3", nil, [3, 5] + Array("1.2.3".utf8)),
            ("example.com", [192, 0, 2, 2], [1, 192, 0, 2, 2]),
            ("example.com", [UInt8](1...16), [4] + Array(1...16)),
        ] as [(String, [UInt8]?, [UInt8])])
    func destinations(host: String, address: [UInt8]?, expected: [UInt8]) throws {
        for proxy in ["socks5://proxy", "socks5h://proxy"] {
            var handshake = try Self.handshake(proxy, host: host, port: 0xABCD, address: address)
            expectEqual(handshake.outcome(of: [[5, 0]]).sent, [[5, 1, 0] + expected + [0xAB, 0xCD]])
        }
    }

    @Test(
        "the reply may contain each type of address (RFC 1928 §6)",
        arguments: [
            [1, 0, 0, 0, 0], [4] + [UInt8](repeating: 0, count: 16), [3, 4] + Array("host".utf8), [3, 0],
            [3, 255] + [UInt8](repeating: 0x61, count: 255),
        ] as [[UInt8]])
    func boundAddresses(address: [UInt8]) throws {
        let bytes = [5, 0, 5, 0, 0] + address + [0, 80]
        try expectEqual(Self.outcome(of: bytes + [1, 2]).end, .open(consumedByteCount: bytes.count))
    }

    @Test("each failure has its own message (RFC 1928 §6)")
    func replies() throws {
        var words: Set<String> = []
        for code in UInt8(1)...9 {
            // Bytes after the code have no effect: some proxies send nothing more.
            let outcome = try Self.outcome(of: [5, 0, 5, code, 0xFF])
            let error = ProxyError.failed(SOCKS5Reply(code: code))
            expectEqual(outcome, ProxyOutcome(end: .failed(error), sent: [Self.request]))
            words.insert(error.description)
        }
        expectEqual(words.count, 9)
        for (code, words): (UInt8, String) in [
            (2, "forbid"), (3, "network"), (4, "host name"), (5, "refused"), (6, "TTL"), (7, "CONNECT"),
            (8, "type of address"), (255, "255"),
        ] {
            #expect(SOCKS5Reply(code: code).description.contains(words))
        }
    }

    @Test(
        "each protocol violation has its own error",
        arguments: [
            ("", [0x48], .notSOCKS(firstByte: 0x48)), ("", [0, 0x5B], .notSOCKS(firstByte: 0)),
            ("", [5, 0xFF], .noAcceptableMethod(hasCredentials: false)),
            ("user:pass@", [5, 0xFF], .noAcceptableMethod(hasCredentials: true)),
            ("", [5, 2], .methodNotOffered(2)), ("", [5, 1], .methodNotOffered(1)),
            ("user:pass@", [5, 3], .methodNotOffered(3)),
            ("user:pass@", [5, 2, 0], .invalidVersion(0)), ("user:pass@", [5, 2, 1, 1], .loginRefused(status: 1)),
            ("user:pass@", [5, 2, 1, 0xFF], .loginRefused(status: 0xFF)), ("", [5, 0, 4], .invalidVersion(4)),
            ("", [5, 0, 5, 0, 1], .invalidReservedByte(1)), ("", [5, 0, 5, 0, 0, 0], .invalidAddressType(0)),
            ("", [5, 0, 5, 0, 0, 2], .invalidAddressType(2)), ("", [5, 0, 5, 0, 0, 5], .invalidAddressType(5)),
        ] as [(String, [UInt8], ProxyError)])
    func badAnswers(userInfo: String, bytes: [UInt8], error: ProxyError) throws {
        for rest in [[], [5, 0]] as [[UInt8]] {
            let outcome = try Self.outcome("socks5h://\(userInfo)proxy", of: bytes + rest)
            expectEqual(outcome.end, .failed(error))
        }
        var handshake = try Self.handshake("socks5h://\(userInfo)proxy")
        _ = handshake.outcome(of: [bytes])
        // The error persists.
        expectEqual(handshake.outcome(of: [[5]]).end, .failed(error))
        expectEqual(handshake.errorAtEndOfStream(), error)
        expectEqual(handshake.partialRefusal, error)
    }

    @Test("an end before the response is distinguished from one within it")
    func earlyEnd() throws {
        var handshake = try Self.handshake()
        expectEqual(handshake.errorAtEndOfStream(), .closedBeforeAnswer)
        for count in 1..<(Self.bound.count + 2) {
            handshake = try Self.handshake()
            expectEqual(handshake.outcome(of: [Array(([5, 0] + Self.bound).prefix(count))]).end, .needsMore)
            expectEqual(handshake.errorAtEndOfStream(), .incompleteAnswer)
            expectEqual(handshake.outcome(of: [[0]]).end, .failed(.incompleteAnswer))
        }
    }
}
