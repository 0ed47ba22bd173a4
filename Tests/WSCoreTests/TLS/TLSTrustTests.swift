import TestSupport
import Testing

@testable import WSCore

@Suite("The system's certificate authorities")
struct TLSTrustTests {
    private let fedora = "/etc/pki/tls/certs/ca-bundle.crt"

    @Test("OpenSSL's own places come first", arguments: ["certs", "cert.pem"])
    func ownPlaces(name: String) {
        let trust = TLSTrust.systemAuthorities(
            environment: { _ in nil }, exists: { $0 == fedora || $0.hasSuffix("ssl/\(name)") })
        expectEqual(trust, .system)
    }

    @Test("Another distribution's bundle replaces places that do not exist")
    func otherDistribution() {
        expectEqual(TLSTrust.systemAuthorities(environment: { _ in nil }, exists: { $0 == fedora }), .file(fedora))
        expectEqual(TLSTrust.systemAuthorities(environment: { _ in nil }, exists: { _ in false }), .system)
    }

    @Test("The environment takes precedence", arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR"])
    func environment(variable: String) {
        let trust = TLSTrust.systemAuthorities(
            environment: { $0 == variable ? "/own" : nil }, exists: { $0 == fedora })
        expectEqual(trust, .system)
    }
}
