import TestSupport
import Testing

@testable import WSCore

@Suite struct ConnectorResourcesTests {
    @Test("CA certificates are loaded once, and TLS over TLS has a buffer per layer")
    func shared() throws {
        let resources = try ConnectorResources(tls: TLSClientSettings())
        let server = try #require(resources.serverLayer)
        let proxy = try #require(resources.proxyLayer)
        #expect(server.context === proxy.context)
        expectNotEqual(server.plaintext.baseAddress, proxy.plaintext.baseAddress)
    }

    @Test("pins and client certificates for the server do not apply to a proxy")
    func apart() throws {
        var settings = TLSClientSettings()
        settings.pins = [try TLSPin("sha256//I4gj3MBH1SVyMGPke+LGm6OWCsP2pXJdugWacrEeUSc=")]
        settings.certificate = try .selfSigned(names: [], nowSeconds: 1_700_000_000)
        let resources = try ConnectorResources(tls: settings)
        let server = try #require(resources.serverLayer?.context)
        let proxy = try #require(resources.proxyLayer?.context)
        #expect(server.pins.count == 1 && server.hasCertificate)
        #expect(proxy.pins.isEmpty && !proxy.hasCertificate)
        let other = try #require(resources.otherServerLayer?.context)
        #expect(
            other.pins.count == 1 && !other.hasCertificate,
            "redirect targets are pinned but do not receive our certificate")
    }
}
