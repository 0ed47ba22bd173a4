import TestSupport
import Testing

@testable import WSCore

/// Applies random mutations, the same in every run, to valid input. Nothing traps, and splitting makes no difference.
@Suite struct HandshakeMutationTests {
    /// A small generator with a fixed seed (SplitMix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    static let interesting = Array("\0\t\r\n :;,=\"\\/?#%@[]019AZaz.-+*\u{7F}".utf8) + [0x80, 0xC3, 0xE2, 0xFF]

    static func mutated(_ bytes: [UInt8], using generator: inout Generator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0...bytes.count, using: &generator)
            let byte = interesting.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.insert(byte, at: index)
            case 1 where index < bytes.count: bytes[index] = byte
            case 2 where index < bytes.count: bytes.remove(at: index)
            default:
                let end = Int.random(in: index...bytes.count, using: &generator)
                bytes.insert(contentsOf: bytes[index..<end].prefix(20), at: index)
            }
        }
        return bytes
    }

    @Test("a mutated request has the same result whole and byte by byte")
    func requests() throws {
        let good = Array(
            ("\r\nGET /a?b HTTP/1.1\r\n" + ServerHandshakeTests.good
                + "Sec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Extensions: x; y=\"z\"\r\nOrigin: http://localhost\r\n\r\n")
                .utf8)
        let policy = try ServerPolicy(subprotocols: ["b"])
        var generator = Generator(state: 1)
        for _ in 0..<2000 {
            let bytes = Self.mutated(good, using: &generator)
            var whole = ServerHandshake(policy: policy)
            var bytewise = ServerHandshake(policy: policy)
            switch (whole.outcome(of: [bytes]), bytewise.outcome(of: bytes.map { [$0] })) {
            case (.refused(let left), .refused(let right)): expectEqual(left.status, right.status)
            case (let left, let right): expectEqual(left, right)
            }
        }
    }

    @Test("a mutated response has the same result whole and byte by byte")
    func responses() throws {
        let upgrade = ClientHandshakeTests.upgrade + ClientHandshakeTests.accept
        let seeds = [
            "HTTP/1.1 100 \r\n\r\n" + ClientHandshakeTests.head101 + upgrade + "Sec-WebSocket-Protocol: chat\r\n\r\n",
            "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n1\r\nd\r\n0\r\nT: u\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc",
        ]
        var generator = Generator(state: 2)
        for round in 0..<1500 {
            let bytes = Self.mutated(Array(seeds[round % seeds.count].utf8), using: &generator)
            var whole = try ClientHandshakeTests.handshake()
            var bytewise = try ClientHandshakeTests.handshake()
            switch (whole.outcome(of: [bytes]), bytewise.outcome(of: bytes.map { [$0] })) {
            case (.failed(.notHTTP), .failed(.notHTTP)): break
            case (let left, let right): expectEqual(left, right)
            }
            switch (whole.errorAtEndOfStream(), bytewise.errorAtEndOfStream()) {
            case (.notHTTP, .notHTTP): break
            case (let left, let right): expectEqual(left, right)
            }
        }
    }

    @Test("a mutated URL is rejected, or its canonical form is equivalent")
    func urls() throws {
        let seeds = [
            "wss://u:p@example.com:8080/a/b?c=d", "[fe80::1%25eth0]:81/x", "ws+unix:/run/a%20b.sock:/x", ":8080/",
            "echo:",
            "host:1/é",
        ]
        let base = try WebSocketURL(parsing: "ws://base/a/b?c")
        var generator = Generator(state: 3)
        for round in 0..<20_000 {
            let bytes = Self.mutated(Array(seeds[round % seeds.count].utf8), using: &generator)
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? base.resolving(location: text)
            _ = OriginPolicy.allowsOrigin(text, host: text, allowed: [text])
            guard let url = try? WebSocketURL(parsing: text) else { continue }
            let again = try WebSocketURL(parsing: url.text)
            #expect(again.endpoint == url.endpoint && again.requestTarget == url.requestTarget, "\(text)")
            #expect(url.requestTarget.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(url.hostField.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
    }
}
