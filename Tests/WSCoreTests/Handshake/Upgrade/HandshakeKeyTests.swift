import Testing

@testable import WSCore

@Suite struct HandshakeKeyTests {
    @Test("the example of RFC 6455 §1.3 yields its key and accept value")
    func example() {
        #expect(HandshakeKey.key(nonce: Array("the sample nonce".utf8)) == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(HandshakeKey.accept(key: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("Base64 and SHA-1 match the test vectors of RFC 4648 §10 and RFC 3174 §7.3")
    func digests() {
        let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "foobar": "Zm9vYmFy"]
        for (text, encoded) in vectors { #expect(Digest.base64(Array(text.utf8)) == encoded) }
        let abc: [UInt8] = [
            0xA9, 0x99, 0x3E, 0x36, 0x47, 0x06, 0x81, 0x6A, 0xBA, 0x3E, 0x25, 0x71, 0x78, 0x50, 0xC2, 0x6C, 0x9C, 0xD0,
            0xD8, 0x9D,
        ]
        #expect(Digest.sha1(Array("abc".utf8)) == abc)
    }

    @Test("a script's source expression contains its SHA-256 hash (FIPS 180-2, B.1)")
    func sourceHash() {
        #expect(Digest.sha256Source(of: "abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    }

    @Test(
        "a key is the Base64 encoding of 16 bytes (RFC 6455 §4.2.1)",
        arguments: [
            ("dGhlIHNhbXBsZSBub25jZQ==", true), ("AAAAAAAAAAAAAAAAAAAAAA==", true), ("", false),
            ("dGhlIHNhbXBsZSBub25j", false),
            ("dGhlIHNhbXBsZSBub25jZQ=", false), ("dGhlIHNhbXBsZSBub25jZQAA", false),
            ("dGhlIHNhbXBsZSBub25jZQ==A", false),
            ("dGhlIHNhbXBs-SBub25jZQ==", false), ("dGhl=HNhbXBsZSBub25jZQ==", false),
            ("dGhlIHNhbXBsZSBub25jZ===", false),
        ])
    func wellFormed(key: String, isWellFormed: Bool) {
        #expect(HandshakeKey.isWellFormed(key) == isWellFormed)
    }
}
