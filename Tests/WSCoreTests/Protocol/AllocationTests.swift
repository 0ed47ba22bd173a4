import CAllocationCounter
import Testing
import WSCore

@Suite(
    .enabled(
        if: allocation_counter_is_available(), "allocations can be counted only with glibc and without a sanitizer"))
struct AllocationTests {
    @Test("the counter counts allocations that are freed immediately")
    func control() {
        let count = allocations {
            for _ in 0..<100 { UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 16).deallocate() }
        }
        #expect(count == 100)
        #expect(allocations {} == 0)
    }

    @Test("the counter counts allocations of Swift types")
    func controlArray() {
        var random = SeededRandom(seed: 3)
        var arrays: [[UInt64]] = []
        arrays.reserveCapacity(10)
        let count = allocations {
            for _ in 0..<10 { arrays.append([random.next()]) }
        }
        #expect(Set(arrays).count == 10)
        // The runtime may allocate when a type is used for the first time.
        #expect(count >= 10)
    }

    @Test("echoing 100,000 messages of 20 bytes does not allocate", arguments: [MessageKind.text, .binary])
    func echo(kind: MessageKind) throws {
        let message = Array("20 bytes of message!".utf8)
        var pair = SessionPair()
        // The first messages grow the buffers to their final size.
        for _ in 0..<10 { try pair.echo(message.span.bytes, as: kind) }
        let warm = pair.clientHandler.messageCount
        var error: ProtocolError?
        let count = allocations {
            do throws(ProtocolError) {
                for _ in 0..<100_000 { try pair.echo(message.span.bytes, as: kind) }
            } catch let violation {
                error = violation
            }
        }
        let echoed = pair.clientHandler.messageCount - warm
        #expect(error == nil)
        #expect(echoed == 100_000)
        #expect(count == 0)
    }

    @Test("echoing fragmented messages with pings in between does not allocate")
    func echoFragments() throws {
        let message = Array("a message that is sent in fragments".utf8)
        var pair = SessionPair(fragmentBytes: 10)
        for _ in 0..<10 { try pair.echo(message.span.bytes, as: .text) }
        var error: ProtocolError?
        let count = allocations {
            do throws(ProtocolError) {
                for _ in 0..<10_000 {
                    pair.client.outbox.sendPing(message.span.bytes)
                    try pair.echo(message.span.bytes, as: .text)
                }
            } catch let violation {
                error = violation
            }
        }
        #expect(error == nil)
        #expect(count == 0)
    }

    @Test("echoing compressed messages does not allocate", arguments: [true, false])
    func echoCompressed(keepsContext: Bool) throws {
        let message = Array("a message that is long enough to be compressed, compressed, compressed".utf8)
        var pair = SessionPair(
            deflate: DeflateParameters(
                serverNoContextTakeover: !keepsContext, clientNoContextTakeover: !keepsContext))
        for _ in 0..<10 { try pair.echo(message.span.bytes, as: .text) }
        let wireBytesBefore = pair.client.outbox.traffic.wireBytes
        var error: ProtocolError?
        let count = allocations {
            do throws(ProtocolError) {
                for _ in 0..<10_000 { try pair.echo(message.span.bytes, as: .text) }
            } catch let violation {
                error = violation
            }
        }
        let wireBytes = pair.client.outbox.traffic.wireBytes - wireBytesBefore
        #expect(wireBytes < 10_000 * message.count)
        #expect(error == nil)
        #expect(count == 0)
    }

    private func allocations(_ body: () -> Void) -> UInt {
        allocation_counter_start()
        body()
        return allocation_counter_stop()
    }
}

/// A client and an echo server without a network: each decodes the other's output in place.
private struct SessionPair: ~Copyable {
    var client: Session
    var server: Session
    var clientHandler = CountingHandler()
    private var serverHandler = EchoHandler()

    init(fragmentBytes: Int? = nil, deflate: DeflateParameters? = nil) {
        let keys = countingKeys()
        let memory = DeflateMemory()
        let clientCodec = deflate.map { memory.makeCodec(for: $0, role: .client) }
        let serverCodec = deflate.map { memory.makeCodec(for: $0, role: .server) }
        client = Session(
            role: .client, limits: .client, maskingKeys: keys, fragmentBytes: fragmentBytes,
            compressor: clientCodec?.compressor, decompressor: clientCodec?.decompressor)
        server = Session(
            role: .server, limits: .server, maskingKeys: keys, fragmentBytes: fragmentBytes,
            compressor: serverCodec?.compressor, decompressor: serverCodec?.decompressor)
    }

    mutating func echo(_ message: RawSpan, as kind: MessageKind) throws(ProtocolError) {
        client.outbox.send(message, as: kind)
        _ = try client.outbox.bytes.withMutableReadableBytes { (bytes) throws(ProtocolError) in
            try server.receive(&bytes, handler: &serverHandler)
        }
        client.outbox.bytes.removeAll()
        client.outbox.bytesWereTaken()
        _ = try server.outbox.bytes.withMutableReadableBytes { (bytes) throws(ProtocolError) in
            try client.receive(&bytes, handler: &clientHandler)
        }
        server.outbox.bytes.removeAll()
        server.outbox.bytesWereTaken()
    }
}
