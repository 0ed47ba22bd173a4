import CAllocationCounter
import TestSupport
import Testing

@testable import WSCore

@Suite(.enabled(if: allocation_counter_is_available(), "allocations are counted with glibc and without a sanitizer"))
struct TLSAllocationTests {
    // OpenSSL 3.0 itself allocates its buffers, which idle sessions release, and 40 bytes for each part of a record
    // that it writes.
    @Test("encrypting and decrypting a record allocates nothing outside OpenSSL")
    func records() throws {
        let source = try TLSCertificateSource.selfSigned(names: [], nowSeconds: WallTime.now.seconds)
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        let pair = TLSPair(
            client: try TLSContext(client: settings),
            server: try TLSContext(server: TLSServerSettings(certificate: source)))
        try pair.handshake()
        let message = [UInt8](repeating: 7, count: 1000)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { room.deallocate() }
        var received = 0
        let echo = { (count: Int) throws(TLSError) in
            for _ in 0..<count {
                try pair.client.encrypt(message.span.bytes)
                received += try pair.client.output.withReadableBytes { (bytes) throws(TLSError) in
                    try pair.server.decrypt(bytes, into: room).plaintextBytes
                }
                pair.client.output.removeAll()
            }
        }
        try echo(10)
        received = 0
        var error: TLSError?
        allocation_counter_start()
        do throws(TLSError) { try echo(1000) } catch let failure { error = failure }
        let count = allocation_counter_stop()
        expectNil(error)
        expectEqual(received, 1000 * message.count)
        #expect(count <= 7 * 1000)
    }
}
