import COpenSSL
import TestSupport
import Testing

@testable import WSCore

struct TLSErrorTests {
    @Test("each error has a unique identifier and one-line description")
    func distinct() {
        let errors = TLSError.clientCatalogue + TLSError.serverCatalogue + [.clientCertificate(.chainTooLong)]
        expectEqual(Set(errors.map(\.identifier)).count, errors.count)
        expectEqual(Set(errors.map(\.description)).count, errors.count)
    }

    @Test("each configuration error has a unique description")
    func distinctConfigurationErrors() {
        let errors: [TLSConfigurationError] = [
            .noCertificate(option: "o"), .keyInsteadOfCertificate(certificateOption: "o", keyOption: "k"),
            .certificateWithoutKey(certificateOption: "o", keyOption: "k"),
            .notPEM(option: "o"), .keyBesidesPKCS12(certificateOption: "o", keyOption: "k"),
            .unsupportedPKCS12(option: "o", reason: "r"), .invalidPKCS12(option: "o", reason: "r"),
            .invalidCertificate(option: "o", reason: "r"), .noKey(option: "o"),
            .invalidKey(option: "o", reason: "r"), .passphraseNeeded, .wrongPassphrase,
            .keyDoesNotFit(certificateOption: "o", keyOption: "o"), .weakCertificate(option: "o", reason: "r"),
            .trustUnreadable(option: "o", path: "p", reason: "r"), .trustIsEmpty(option: "o", path: "p"),
            .trustIsInvalid(option: "o", path: "p", reason: "r"), .invalidName("n"), .unavailable(reason: "r"),
            .notAnAuthority(file: "f"), .authorityExpired(file: "f", key: "k", at: "t"),
            .authorityNotYetValid(file: "f", from: "t"),
        ]
        expectEqual(Set(errors.map(\.description)).count, errors.count)
    }

    @Test(
        "an alert about the handshake is reported only by name after the handshake",
        arguments: [
            (40, "tls-nothing-in-common"), (70, "tls-version"), (71, "tls-nothing-in-common"),
            (112, "tls-unrecognized-name"), (120, "tls-no-application-protocol"),
        ])
    func alerts(number: Int, identifier: String) {
        for isEstablished in [false, true] {
            let error = TLSError(
                [OpenSSLError(code: UInt(ERR_LIB_SSL) << 23 | UInt(Int(SSL_AD_REASON_OFFSET) + number))],
                of: TLSError.Circumstances(
                    serverName: "n", isEstablished: isEstablished, minimumVersion: .tls12,
                    hasRequestedCertificate: nil, hasRefusedRenegotiation: false, version: .http1))
            expectEqual(error.identifier, (isEstablished ? "tls-alert" : identifier))
        }
    }

    @Test("the preview of a non-TLS peer is escaped")
    func previews() {
        let error = TLSError.notTLS(preview: Array("\u{1B}[2Jhello\u{202E}".utf8), peerIsServer: false)
        #expect(error.description.contains("hello"))
        expectFalse(error.description.unicodeScalars.contains { $0.isInvisible })
    }

    @Test("a server that answers in plain HTTP is recognized")
    func plainHTTP() {
        let error = TLSError.notTLS(preview: Array("HTTP/1.1 400 Bad Request".utf8), peerIsServer: true)
        expectEqual(error.description, "the server speaks plain HTTP on this port; use ws:// instead of wss://")
    }

    @Test("host names are distinguished from addresses")
    func serverNames() {
        expectEqual(TLSServerName(host: "example.org."), .name("example.org."))
        expectEqual(TLSServerName(host: "[2001:db8::1]"), .address("2001:db8::1"))
        expectEqual(TLSServerName(host: "fe80::1%eth0").verifiedText, "fe80::1")
        expectEqual(TLSServerName(host: "10.0.0.1"), .address("10.0.0.1"))
        expectEqual(TLSServerName(host: "10.0.0"), .name("10.0.0"))
        expectEqual(TLSServerName.name("example.org.").verifiedText, "example.org")
    }
}
