import Testing

@testable import WSCore

/// A server on its own port that handles clients as a test prescribes.
final class ScriptedServer {
    let port: UInt16
    var ends: [StreamEnd] = []
    /// Called when a client sends something, with everything it has sent so far.
    var answer: (StreamEnd, [UInt8]) -> Void = { _, _ in }
    private let listener: StreamListener

    private final class Reference {
        weak var server: ScriptedServer?
    }

    init(on loop: EventLoop) throws {
        let reference = Reference()
        let address = try #require(anyLoopbackPort())
        listener = try StreamListener(on: address, loop: loop) { stream, _ in reference.server?.accept(stream) }
        port = try #require(listener.address).port
        reference.server = self
    }

    /// Answers each complete request head with `text`.
    func answerHead(_ text: @escaping (String) -> String) {
        answer = { end, received in
            guard received.suffix(4) == [13, 10, 13, 10] else { return }
            end.recorder.received = []
            try? end.write(Array(text(String(decoding: received, as: UTF8.self)).utf8))
        }
    }

    func close() {
        listener.close()
        for end in ends { end.close() }
        ends = []
    }

    private func accept(_ stream: SystemStream) {
        let end = StreamEnd(stream)
        end.recorder.didChange = { [unowned self] stream in
            if end.recorder.lastWordCount > 0 {
                end.close()
            } else if !stream.isClosed {
                answer(end, end.recorder.received)
            }
        }
        ends.append(end)
        stream.startReading()
    }
}

/// Returns the response that accepts an upgrade, with additional header lines.
func acceptingResponse(to request: String, lines: String = "") -> String {
    let key = request.split(separator: "Sec-WebSocket-Key: ").last?.prefix { $0 != "\r\n" } ?? ""
    return "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(lines)"
        + "Sec-WebSocket-Accept: \(String(decoding: HandshakeKey.accept(key: String(key)), as: UTF8.self))\r\n\r\n"
}

/// An HTTP CONNECT proxy, with or without TLS, that connects to this machine for every target.
final class ForwardingProxy {
    let port: UInt16
    private let listener: StreamListener
    private let streams: Streams

    private final class Streams {
        var all: [any ByteStream] = []
    }

    init(tls: TLSLayer? = nil, on loop: EventLoop) throws {
        let streams = Streams()
        self.streams = streams
        let address = try #require(anyLoopbackPort())
        listener = try StreamListener(on: address, loop: loop) { accepted, _ in
            let secured = tls.map { TLSStream(accepted, session: TLSSession(server: $0.context), layer: $0) }
            let client = Forwarder()
            let stream: any ByteStream = secured ?? accepted
            stream.delegate = client
            streams.all.append(stream)
            client.didReadHead = { [weak client, unowned stream] head in
                guard let client else { return }
                let port = head.prefix { $0 != "\r\n" }.split(separator: ":")[1].prefix { $0.isNumber }
                guard let address = SocketAddress(numeric: "127.0.0.1", port: UInt16(port) ?? 0) else { return }
                _ = try? SystemStream.connect(to: address, on: loop) { result in
                    guard let target = try? result.get() else { return stream.close() }
                    streams.all.append(target)
                    let answer = Forwarder()
                    target.delegate = answer
                    answer.forward(to: stream, client, first: "HTTP/1.1 200 Go on\r\n\r\n")
                    client.forward(to: target, answer, first: "")
                    target.startReading()
                }
            }
            stream.startReading()
            secured?.start()
        }
        port = try #require(listener.address).port
    }

    func close() {
        listener.close()
        for stream in streams.all { stream.close() }
        streams.all = []
    }
}

/// Forwards everything it reads, with unlimited buffering.
private final class Forwarder: ByteStreamDelegate {
    var didReadHead: ((String) -> Void)?
    private var head: [UInt8] = []
    private var target: (any ByteStream)?
    private var waiting = ByteBuffer()
    /// The forwarder that writes to the stream this one reads.
    private weak var opposite: Forwarder?

    func forward(to target: any ByteStream, _ opposite: Forwarder, first: String) {
        self.target = target
        self.opposite = opposite
        waiting.append(first)
        writeWaiting()
    }

    func writeWaiting() { try? target?.write(&waiting) }

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        if let didReadHead {
            bytes.withUnsafeBytes { head.append(contentsOf: $0) }
            guard head.suffix(4) == [13, 10, 13, 10] else { return }
            self.didReadHead = nil
            didReadHead(String(decoding: head, as: UTF8.self))
        } else {
            waiting.append(bytes.bytes)
            writeWaiting()
        }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        target?.close()
        stream.close()
    }
    func streamDidDrain(_ stream: any ByteStream) { opposite?.writeWaiting() }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { streamDidReachEnd(stream) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
