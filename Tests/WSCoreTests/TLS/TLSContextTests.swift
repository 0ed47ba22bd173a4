import COpenSSL
import Glibc
import TestSupport
import Testing

@testable import WSCore

/// Tests errors in the user's settings.
struct TLSContextTests {
    private struct Unexpected: Error { let error: TLSConfigurationError? }

    private let leaf: TestCertificate

    init() throws { leaf = try TestCertificate("own", hosts: ["localhost"]) }

    private func error(
        chain: [UInt8]? = nil, key: [UInt8]? = nil, passphrase: String? = nil
    ) -> TLSConfigurationError? {
        var settings = TLSClientSettings()
        settings.certificate = TLSCertificateSource(
            chain: chain ?? leaf.pem, key: key ?? leaf.keyPEM(), passphrase: passphrase)
        return error(settings)
    }

    private func error(trust: TLSTrust) -> TLSConfigurationError? {
        var settings = TLSClientSettings()
        settings.trust = trust
        return error(settings)
    }

    private func error(_ settings: TLSClientSettings) -> TLSConfigurationError? {
        do throws(TLSConfigurationError) {
            _ = try TLSContext(client: settings)
            return nil
        } catch {
            expectFalse(error.description.contains { $0.isNewline })
            return error
        }
    }

    @Test("certificate and key can share a file, in any order, with other text between")
    func oneFile() {
        let text = Array("subject=/CN=own\n".utf8)
        for both in [leaf.pem + leaf.keyPEM(), leaf.keyPEM() + text + leaf.pem, text + leaf.pem + text + leaf.keyPEM()]
        {
            expectNil(error(chain: both, key: both))
        }
    }

    @Test("an encrypted key needs its passphrase")
    func passphrases() {
        let key = leaf.keyPEM(passphrase: "open sesame")
        expectNil(error(key: key, passphrase: "open sesame"))
        expectEqual(error(key: key), .passphraseNeeded)
        expectEqual(error(key: key, passphrase: ""), .wrongPassphrase)
        expectEqual(error(key: key, passphrase: "open"), .wrongPassphrase)
        expectEqual(error(key: key, passphrase: String(repeating: "a", count: 5000)), .wrongPassphrase)
        // A superfluous passphrase is ignored.
        expectNil(error(passphrase: "unneeded"))
    }

    @Test("the error for a missing certificate or key names the option")
    func missing() {
        expectEqual(error(chain: []), .noCertificate(option: "--cert"))
        let der: [UInt8] = [0x30, 0x82, 0x01, 0x00, 0x30, 0x82, 0x00, 0x10, 0xA0]
        expectEqual(error(chain: der), .notPEM(option: "--cert"))
        expectEqual(
            error(chain: leaf.keyPEM()), .keyInsteadOfCertificate(certificateOption: "--cert", keyOption: "--key"))
        expectEqual(error(key: []), .noKey(option: "--key"))
        expectEqual(error(key: leaf.pem), .noKey(option: "--key"))
        expectEqual(error(key: Array("not PEM at all\0\n".utf8)), .noKey(option: "--key"))
    }

    @Test("the error for a file with both certificate and key names the key option only as a fix")
    func oneFileErrors() throws {
        func error(_ chain: [UInt8]) -> TLSConfigurationError? {
            var settings = TLSClientSettings()
            settings.certificate = TLSCertificateSource(chain: chain)
            return self.error(settings)
        }
        let other = try TestCertificate("other")
        let brokenKey = Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)
        expectNil(error(leaf.pem + leaf.keyPEM()))
        expectEqual(error(leaf.pem), .certificateWithoutKey(certificateOption: "--cert", keyOption: "--key"))
        expectEqual(error(leaf.pem + other.keyPEM()), .keyDoesNotFit(certificateOption: "--cert", keyOption: "--cert"))
        let broken = error(leaf.pem + brokenKey)
        guard case .invalidKey(option: "--cert", _) = broken else { throw Unexpected(error: broken) }
    }

    @Test("an unreadable certificate or key is reported as invalid")
    func broken() throws {
        var chain = leaf.pem
        chain[100] = UInt8(ascii: "!")
        let chainError = error(chain: chain)
        guard case .invalidCertificate(option: "--cert", _) = chainError else { throw Unexpected(error: chainError) }
        let key = Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)
        let keyError = error(key: key)
        guard case .invalidKey(option: "--key", _) = keyError else { throw Unexpected(error: keyError) }
    }

    @Test("a key must match the first certificate")
    func mismatch() throws {
        let other = try TestCertificate("other")
        let expected = TLSConfigurationError.keyDoesNotFit(certificateOption: "--cert", keyOption: "--key")
        expectEqual(error(key: other.keyPEM()), expected)
        expectEqual(error(chain: other.pem + leaf.pem), expected)
        let rsa = try TestCertificate("rsa", key: .rsa(bits: 2048))
        expectEqual(error(key: rsa.keyPEM()), expected)
    }

    @Test("a weak certificate of our own is rejected")
    func weak() throws {
        let weak = try TestCertificate("weak", key: .rsa(bits: 1024))
        let weakError = error(chain: weak.pem, key: weak.keyPEM())
        guard case .weakCertificate(option: "--cert", _) = weakError else { throw Unexpected(error: weakError) }
        do {
            let source = TLSCertificateSource(chain: weak.pem, key: weak.keyPEM())
            _ = try TLSContext(server: TLSServerSettings(certificate: source))
            Issue.record("a weak certificate was accepted")
        } catch {
            #expect(error.description.contains("--tls-cert"))
        }
    }

    @Test("authorities are loaded from a file or a directory, hashed or not, and nothing else")
    func trust() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(leaf.pem, to: "ca.pem")
        let empty = try folder.write([], to: "empty.pem")
        let keyFile = try folder.write(leaf.keyPEM(passphrase: "secret"), to: "key.pem")
        expectNil(error(trust: .file(file)))
        expectEqual(error(trust: .file(empty)), .trustIsEmpty(option: "--ca", path: empty))
        expectEqual(error(trust: .file(keyFile)), .trustIsEmpty(option: "--ca", path: keyFile))
        expectEqual(
            error(trust: .file(folder.path + "/none")),
            .trustUnreadable(option: "--ca", path: folder.path + "/none", reason: "No such file or directory"))
        expectEqual(error(trust: .file(folder.path)), .trustIsEmpty(option: "--ca", path: folder.path))
        expectNil(error(trust: .directory(folder.path)))
        expectEqual(
            error(trust: .directory(folder.path + "/none")),
            .trustUnreadable(option: "--ca", path: folder.path + "/none", reason: "No such file or directory"))
        expectEqual(error(trust: .certificates([])), .trustIsEmpty(option: "--ca", path: nil))
        expectNil(error(trust: .system))
        let other = try TemporaryFolder()
        _ = try other.write(leaf.keyPEM(), to: "key.pem")
        expectEqual(error(trust: .directory(other.path)), .trustIsEmpty(option: "--ca", path: other.path))
    }

    @Test("certificates in a directory are trusted, with hashed names or others", arguments: [true, false])
    func directory(isHashed: Bool) throws {
        let folder = try TemporaryFolder()
        let hash = String(X509_subject_name_hash(leaf.handle), radix: 16)
        let name = isHashed ? String(repeating: "0", count: 8 - hash.utf8.count) + hash + ".0" : "authority.crt"
        _ = try folder.write(leaf.pem, to: name)
        var settings = TLSClientSettings()
        settings.trust = .directory(folder.path)
        let pair = TLSPair(client: try TLSContext(client: settings), server: try .server(showing: [leaf]))
        try pair.handshake()
        expectEqual(pair.client.summary?.isVerified, true)
    }

    @Test("a self-signed certificate has the requested names and its pin")
    func selfSigned() throws {
        let now = 1_700_000_000
        let source = try TLSCertificateSource.selfSigned(
            names: ["localhost", "dev.example", "10.0.0.7", "fe80::1"], nowSeconds: now)
        let certificates = try PEM.certificates(source.chain, option: "")
        let summary = try #require(certificates.withFirst { $0.map { TLSCertificateSummary($0) } })
        expectEqual(summary.names, ["localhost", "dev.example", "127.0.0.1", "::1", "10.0.0.7", "fe80::1"])
        expectEqual(summary.notBeforeSeconds, now - 86400)
        expectEqual(summary.notAfterSeconds, now + 30 * 86400)
        expectEqual(summary.notBefore, "2023-11-13 22:13:20 UTC")
        try expectEqual(summary.pin, source.pin())
        try expectNotEqual(summary.pin, TLSCertificateSource.selfSigned(names: [], nowSeconds: now).pin())
        for name in ["", "a b", "ü.example", "a\0b", "a,DNS:b"] {
            #expect(throws: TLSConfigurationError.invalidName(name)) {
                try TLSCertificateSource.selfSigned(names: [name], nowSeconds: now)
            }
        }
    }
}

/// A directory that is removed after the test.
private final class TemporaryFolder {
    let path: String

    init() throws {
        path = "/tmp/wsx-tls-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try #require(mkdir(path, 0o700) == 0)
    }

    deinit {
        for file in files { unlink(file) }
        rmdir(path)
    }

    private var files: [String] = []

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = path + "/" + name
        let descriptor = try openFile(file, O_WRONLY)
        writeAll(bytes, to: descriptor)
        closeAll(descriptor)
        files.append(file)
        return file
    }
}
