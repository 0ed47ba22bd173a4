import Conversation
import Testing

@testable import UserInterface
@testable import WSCore

@Suite struct ReportedTLSTests {
    private static let bare = TLSSummary(
        version: "TLS 1.2", cipher: "AES128-SHA", applicationProtocol: nil, isResumed: false, isVerified: false,
        peerCertificate: nil, clientCertificateWasRequested: false)
    private static let full = TLSSummary(
        version: "TLS 1.3", cipher: "TLS_AES_128_GCM_SHA256", group: "x25519", applicationProtocol: "http/1.1",
        isResumed: true, isVerified: true, peerCertificate: nil, clientCertificateWasRequested: false)

    @Test("The first line has the version, the cipher, and the other negotiated parameters")
    func lines() {
        #expect(ReportedTLS.lines(Self.bare, with: nil, without: SecretRecord()) == ["TLS: TLS 1.2, AES128-SHA"])
        #expect(
            ReportedTLS.lines(Self.full, with: nil, without: SecretRecord())
                == ["TLS: TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, http/1.1, resumed"])
    }

    @Test("JSON omits parameters that were not negotiated")
    func json() {
        #expect(
            text(of: ReportedTLS.json(Self.bare, without: SecretRecord()).text)
                == #"{"version":"TLS 1.2","cipher":"AES128-SHA","resumed":false,"verified":false}"#)
        #expect(
            text(of: ReportedTLS.json(Self.full, without: SecretRecord()).text)
                == #"{"version":"TLS 1.3","cipher":"TLS_AES_128_GCM_SHA256","group":"x25519","alpn":"http/1.1","#
                + #""resumed":true,"verified":true}"#)
    }
}
