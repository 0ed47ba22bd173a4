import TestSupport
import Testing

@testable import WSCore

@Suite struct HandshakeKeyTests {
    @Test("the example of RFC 6455 §1.3 yields its key and accept value")
    func example() {
        expectEqual(HandshakeKey.key(nonce: Array("the sample nonce".utf8)), "dGhlIHNhbXBsZSBub25jZQ==")
        expectEqual(HandshakeKey.accept(key: "dGhlIHNhbXBsZSBub25jZQ=="), Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8))
    }

    @Test("Base64 matches the test vectors of RFC 4648 §10")
    func base64() {
        let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "foobar": "Zm9vYmFy"]
        for (text, encoded) in vectors { expectEqual(Digest.base64(Array(text.utf8)), encoded) }
    }

    @Test("a script's source expression contains its SHA-256 hash (FIPS 180-2, B.1)")
    func sourceHash() {
        expectEqual(Digest.sha256Source(of: "abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    }

    static let wellFormedCases: [(String, Bool)] = [
        ("dGhlIHNhbXBsZSBub25jZQ==", true), ("AAAAAAAAAAAAAAAAAAAAAA==", true), ("", false),
        ("dGhlIHNhbXBsZSBub25j", false),
        ("dGhlIHNhbXBsZSBub25jZQ=", false), ("dGhlIHNhbXBsZSBub25jZQAA", false),
        ("dGhlIHNhbXBsZSBub25jZQ==A", false),
        ("dGhlIHNhbXBs-SBub25jZQ==", false), ("dGhl=HNhbXBsZSBub25jZQ==", false),
        ("dGhlIHNhbXBsZSBub25jZ===", false),
    ]

    @Test("a key is the Base64 encoding of 16 bytes (RFC 6455 §4.2.1)", arguments: Self.wellFormedCases)
    func wellFormed(key: String, isWellFormed: Bool) {
        let bytes = Array(key.utf8)
        expectEqual(HandshakeKey.isWellFormed(bytes.span), isWellFormed)
    }
}
