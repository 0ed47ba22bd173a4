import SessionSupport
import TestSupport
import Testing
import WSCore

/// A message size of the Autobahn TestSuite's categories 12 and 13, with the size of the suite's frames.
struct CompressedSize: Sendable {
    /// The last part of the case number.
    let index: Int
    let byteCount: Int
    /// The frame size in bytes; nil for one frame per message.
    let fragmentBytes: Int?

    static let all: [CompressedSize] = {
        let whole = [16, 64, 256, 1024, 4096, 8192, 16_384, 32_768, 65_536, 131_072].map { ($0, nil as Int?) }
        let small = [8192, 16_384, 32_768, 65_536, 131_072].map { ($0, 256 as Int?) }
        let larger = [1024, 4096, 32_768].map { (131_072, $0 as Int?) }
        return (whole + small + larger).enumerated().map {
            CompressedSize(index: $0 + 1, byteCount: $1.0, fragmentBytes: $1.1)
        }
    }()

    /// The suite sends 1,000 consecutive messages. Errors in later ones already appear with the second.
    var messageCount: Int { byteCount <= 256 ? 6 : byteCount <= 1024 ? 3 : 2 }
}

/// The other endpoint of a connection with compression.
enum CompressedPeer: CaseIterable {
    /// A session of the tested implementation.
    case session
    /// The reference implementation, which compresses everything and rejects references beyond the window.
    case reference

    func makeCodec(for parameters: DeflateParameters, role: Role) -> MessageExtensions {
        guard self == .reference else { return DeflateMemory().makeCodec(for: parameters, role: role) }
        let (server, client) = (
            (parameters.serverMaxWindowBits, !parameters.serverNoContextTakeover),
            (parameters.clientMaxWindowBits, !parameters.clientNoContextTakeover)
        )
        let (own, others) = role == .server ? (server, client) : (client, server)
        return MessageExtensions(
            compressor: ReferenceDeflater(windowBits: own.0, keepsContext: own.1),
            decompressor: ReferenceInflater(windowBits: others.0, keepsContext: others.1))
    }
}

/// Expects an echoing session of `role` to return the suite's messages, compressed if that shortens them.
func expectCompressedEcho(
    of data: SampleData, _ size: CompressedSize, with parameters: DeflateParameters, role: Role, peer: CompressedPeer,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let suiteRole: Role = role == .client ? .server : .client
    let own = DeflateMemory().makeCodec(for: parameters, role: role)
    let others = peer.makeCodec(for: parameters, role: suiteRole)
    var session = Session(
        role: role, limits: .server, maskingKeys: countingKeys(), compressor: own.compressor,
        decompressor: own.decompressor)
    var suite = Session(
        role: suiteRole, limits: .server, maskingKeys: countingKeys(), fragmentBytes: size.fragmentBytes,
        compressor: others.compressor, decompressor: others.decompressor)
    var handler = EchoHandler()
    var recorder = RecordingHandler()
    for (index, message) in data.messages(size.messageCount, of: size.byteCount).enumerated() {
        suite.outbox.send(message.span.bytes, as: data.kind)
        // Split small messages into pieces of one byte, two bytes, and so on, and larger ones like a loop or oddly.
        let chunkBytes = size.byteCount <= 1024 ? index + 1 : index.isMultiple(of: 2) ? 65_536 : 1301
        for chunk in chops(of: contents(of: suite.outbox.bytes), chunkBytes) {
            try session.receive(chunk, handler: &handler)
        }
        suite.outbox.bytes.removeAll()
        let answer = contents(of: session.outbox.bytes)
        session.outbox.bytes.removeAll()
        // RFC 7692 leaves it to the sender which messages to compress. Compression must not lengthen a message.
        #expect(answer.count <= message.count + 14, sourceLocation: sourceLocation)
        try suite.receive(answer, handler: &recorder)
        guard case .message(data.kind, let echo)? = recorder.events.popLast(), areEqual(echo, message) else {
            Issue.record("the echo of message \(index) differs", sourceLocation: sourceLocation)
            return
        }
        let isCompressed = recorder.headers.last?.isCompressed
        if data.isCompressible, size.byteCount >= 256 {
            expectEqual(isCompressed, true, sourceLocation: sourceLocation)
        }
    }
    expectEqual(recorder.events, [], sourceLocation: sourceLocation)
}
