import CAllocationCounter
import TestSupport
import Testing
import WSCore

@Suite(
    .enabled(
        if: allocation_counter_is_available(), "allocations can be counted only with glibc and without a sanitizer"))
struct AllocationTests {
    @Test("echoing 100,000 messages of 20 bytes does not allocate", arguments: [MessageKind.text, .binary])
    func echo(kind: MessageKind) throws {
        let message = Array("20 bytes of message!".utf8)
        let pair = Pair()
        // The first messages grow the buffers to their final size.
        for _ in 0..<10 { try pair.echo(message.span.bytes, as: kind) }
        let warm = pair.client.messageCount
        var error: ProtocolError?
        let count = allocations {
            do throws(ProtocolError) {
                for _ in 0..<100_000 { try pair.echo(message.span.bytes, as: kind) }
            } catch let violation {
                error = violation
            }
        }
        let echoed = pair.client.messageCount - warm
        expectNil(error)
        expectEqual(echoed, 100_000)
        expectEqual(count, 0)
    }

    @Test("echoing fragmented messages with pings in between does not allocate")
    func echoFragments() throws {
        let message = Array("a message that is sent in fragments".utf8)
        let pair = Pair(fragmentBytes: 10)
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
        expectNil(error)
        expectEqual(count, 0)
    }

    @Test("echoing compressed messages does not allocate", arguments: [true, false])
    func echoCompressed(keepsContext: Bool) throws {
        let message = Array("a message that is long enough to be compressed, compressed, compressed".utf8)
        let pair = Pair(
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
        expectNil(error)
        expectEqual(count, 0)
    }

    private func allocations(_ body: () -> Void) -> UInt {
        allocation_counter_start()
        body()
        return allocation_counter_stop()
    }
}

/// A client and an echo server without a network: each decodes the other's output in place.
private struct Pair {
    let client: End
    let server: End

    init(fragmentBytes: Int? = nil, deflate: DeflateParameters? = nil) {
        let memory = DeflateMemory()
        let keys = countingKeys()
        (client, server) = (
            End(.client, keys, fragmentBytes: fragmentBytes, deflate.map { memory.makeCodec(for: $0, role: .client) }),
            End(.server, keys, fragmentBytes: fragmentBytes, deflate.map { memory.makeCodec(for: $0, role: .server) })
        )
    }

    func echo(_ message: RawSpan, as kind: MessageKind) throws(ProtocolError) {
        client.outbox.send(message, as: kind)
        try server.receiveOutput(of: client)
        try client.receiveOutput(of: server)
    }
}

/// An end that combines a receiver and an outbox as ``Connection`` does.
private final class End: FrameHandler {
    var outbox: Outbox
    private(set) var messageCount = 0
    private var receiver: MessageReceiver
    private let role: Role
    private let decompressor: (any MessageDecompressor)?
    private let pool = PartialInputPool()

    init(_ role: Role, _ keys: MaskingKeySource, fragmentBytes: Int?, _ extensions: MessageExtensions?) {
        self.role = role
        outbox = Outbox(role: role, maskingKeys: keys, fragmentBytes: fragmentBytes, extensions: extensions)
        receiver = MessageReceiver()
        decompressor = extensions?.decompressor
    }

    func receiveOutput(of other: End) throws(ProtocolError) {
        var receiver = self.receiver
        var handler = self
        _ = try other.outbox.bytes.withMutableReadableBytes { (bytes) throws(ProtocolError) in
            try receiver.receive(
                &bytes, by: .init(role: role, limits: .client), handler: &handler, decompressor: decompressor,
                pool: pool)
        }
        self.receiver = receiver
        other.outbox.bytes.removeAll()
        other.outbox.bytesWereTaken()
    }

    func received(_ payload: RawSpan, as kind: MessageKind) {
        messageCount += 1
        if role == .server { outbox.send(payload, as: kind) }
    }

    func receivedPing(_ payload: RawSpan) { outbox.answer(ping: payload) }
    func receivedPong(_ payload: RawSpan) {}
    func receivedClose(_ frame: CloseFrame) {}
}
