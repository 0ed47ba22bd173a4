import COpenSSL
import TestSupport
import Testing

@testable import WSCore

struct PKCS12Tests {
    private let root: TestCertificate
    private let intermediate: TestCertificate
    private let leaf: TestCertificate

    init() throws {
        root = try .authority("Root")
        intermediate = try .authority("Intermediate", issuer: root)
        leaf = try TestCertificate("client", issuer: intermediate)
    }

    private func error(
        _ file: [UInt8], key: [UInt8]? = nil, passphrase: String? = "secret"
    ) -> TLSConfigurationError? {
        var settings = TLSClientSettings()
        settings.trust = .certificates(root.pem)
        settings.certificate = TLSCertificateSource(chain: file, key: key, passphrase: passphrase)
        do throws(TLSConfigurationError) {
            _ = try TLSContext(client: settings)
            return nil
        } catch {
            expectFalse(error.description.contains { $0.isNewline })
            return error
        }
    }

    @Test("the issuers follow the certificate in order, and certificates of others are left out")
    func order() throws {
        let other = try TestCertificate.authority("Other")
        let file = try leaf.pkcs12(passphrase: "secret", others: [other, root, intermediate])
        let identity = try PKCS12.identity(file, passphrase: "secret", option: "--cert")
        var subjects = [X509Text.subject(of: identity.leaf)]
        identity.issuers.forEach { subjects.append(X509Text.subject(of: $0)) }
        expectEqual(subjects, ["CN=client", "CN=Intermediate", "CN=Root"])
        expectNil(error(file))
    }

    @Test("a server accepts a client with a certificate from a PKCS #12 file")
    func handshake() throws {
        var settings = TLSClientSettings()
        settings.trust = .certificates(root.pem)
        settings.certificate = TLSCertificateSource(
            chain: try leaf.pkcs12(passphrase: "secret", others: [intermediate]), passphrase: "secret")
        let server = try TLSContext.server(
            showing: [try TestCertificate("server", issuer: root, hosts: ["localhost"])],
            clientTrust: .certificates(root.pem))
        let pair = TLSPair(client: try TLSContext(client: settings), server: server)
        try pair.handshake()
        expectEqual(pair.server.summary?.peerCertificate?.subject, "CN=client")
    }

    @Test("a file needs its passphrase")
    func passphrases() throws {
        let file = try leaf.pkcs12(passphrase: "secret")
        expectNil(error(file))
        expectEqual(error(file, passphrase: nil), .passphraseNeeded)
        for wrong in ["", "secre", "secret\0", String(repeating: "a", count: 5000)] {
            expectEqual(error(file, passphrase: wrong), .wrongPassphrase)
        }
        expectTrue(TLSCertificateSource(chain: file).needsPassphrase)
        let accented = try leaf.pkcs12(passphrase: "pässwörd")
        expectNil(error(accented, passphrase: "pässwörd"))
    }

    @Test("a file without a MAC, for which the passphrase cannot be checked, is reported with the remedy")
    func noMAC() throws {
        let file = try leaf.pkcs12(passphrase: "secret", hasMAC: false)
        expectTrue(TLSCertificateSource(chain: file).needsPassphrase)
        // Later versions than OpenSSL 3.0 open it.
        let problem = error(file)
        expectTrue(problem == nil || problem == .unsupportedPKCS12(option: "--cert", reason: "mac absent"))
    }

    @Test("a file without a MAC needs its passphrase also if another one leads to correct padding")
    func correctPadding() throws {
        var file = try leaf.pkcs12(passphrase: nil, hasMAC: false)
        expectFalse(TLSCertificateSource(chain: file).needsPassphrase)
        // RFC 5652 §6.1: encryptedContent has the tag [0]. Its first block affects no padding.
        let start = try #require(file.indices.dropLast().first { file[$0] == 0x80 && file[$0 + 1] == 0x82 })
        file[start + 4] ^= 1
        expectTrue(TLSCertificateSource(chain: file).needsPassphrase)
    }

    @Test("a file without a MAC and encryption, and without content, is damaged")
    func noContent() {
        // RFC 7292 §4: the version, and a ContentInfo of type data with a ContentInfo without content.
        let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x82, 0, UInt8(content.count)] + content }
        let safe = element(0x04, element(0x30, element(0x30, data)))
        let file = element(0x30, [0x02, 0x01, 0x03] + element(0x30, data + element(0xA0, safe)))
        expectFalse(TLSCertificateSource(chain: file).needsPassphrase)
        expectEqual(error(file, passphrase: nil), .invalidPKCS12(option: "--cert", reason: "decode error"))
    }

    @Test("a file with an empty passphrase or without encryption needs none", arguments: [0, -1])
    func noPassphrase(algorithm: Int32) throws {
        for passphrase in ["", nil] {
            let file = try leaf.pkcs12(passphrase: passphrase, algorithm: algorithm)
            expectFalse(TLSCertificateSource(chain: file).needsPassphrase)
            expectNil(error(file, passphrase: nil))
        }
    }

    @Test("Triple DES is read, and RC2, which needs OpenSSL's legacy provider, is reported with the remedy")
    func oldEncryption() throws {
        let algorithm = NID_pbe_WithSHA1And3_Key_TripleDES_CBC
        expectNil(error(try leaf.pkcs12(passphrase: "secret", algorithm: algorithm)))
        let tripleDES = try leaf.pkcs12(passphrase: "secret", algorithm: algorithm, hasMAC: false)
        // RFC 7292 appendix C: the last number of the algorithm's identifier is 3 for Triple DES, 6 for RC2 with 40 bits.
        let identifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x03]
        var rc2 = tripleDES
        for index in rc2.indices where rc2[index...].starts(with: identifier) { rc2[index + 9] = 6 }
        expectNotEqual(rc2, tripleDES)
        let error = error(rc2, passphrase: nil)
        expectEqual(error, .unsupportedPKCS12(option: "--cert", reason: "unsupported"))
        expectEqual(error?.description.contains("'openssl pkcs12 -legacy -in FILE -out FILE.pem'"), true)
    }

    @Test("a file without a key, and one with the key elsewhere, are reported")
    func keys() throws {
        expectEqual(error(try leaf.pkcs12(passphrase: "secret", hasKey: false)), .noKey(option: "--cert"))
        let file = try leaf.pkcs12(passphrase: "secret")
        let expected = TLSConfigurationError.keyBesidesPKCS12(certificateOption: "--cert", keyOption: "--key")
        expectEqual(error(file, key: leaf.keyPEM()), expected)
        expectEqual(error(file, key: file), expected)
        expectEqual(error(leaf.pem, key: file), expected)
    }

    @Test("a file cut off anywhere, or with any byte changed, is an error and never a crash")
    func damage() throws {
        let file = try leaf.pkcs12(passphrase: "secret")
        for count in stride(from: 9, to: file.count, by: 7) { expectNotNil(error(Array(file[..<count]))) }
        for index in stride(from: 0, to: file.count, by: 5) {
            var changed = file
            changed[index] ^= 0x55
            _ = error(changed)
        }
    }
}
