import SessionSupport

@testable import Connect
@testable import Peer
@testable import WSCore

/// A server at the other end of a stream in memory, without sockets or time.
///
/// It answers pings and close frames as the protocol requires, unless configured otherwise.
final class FakePeer: ByteStream, EndOfTurnWork {
    /// The data the client has sent.
    enum Event: Equatable {
        case text(String)
        case binary([UInt8])
        case ping
        case pong
        case close(UInt16?)
    }

    let loop: EventLoop
    var delegate: (any ByteStreamDelegate)?
    private(set) var isClosed = false
    /// Called with each event received.
    var didReceive: (FakePeer, Event) -> Void = { _, _ in }
    /// Whether pings are answered.
    var answersPings = true
    /// A message to send between the receipt of a close frame and its answer, or `nil`.
    var lastWords: String?
    private(set) var received: [Event] = []
    /// Whether the client has ever stopped reading.
    private(set) var wasPaused = false

    private var session: Session
    private var isReading = false
    private var hasEnded = false
    private var isScheduled = false
    private var failure: IOError?

    init(on loop: EventLoop, answersPings: Bool = true) {
        self.loop = loop
        session = Session(
            role: .server, limits: Limits(maximumMessageBytes: 1 << 26, maximumFragments: 1000),
            maskingKeys: MaskingKeySource { _ in }, answersPings: answersPings)
    }

    /// The text messages received.
    var texts: [String] {
        received.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    // MARK: The peer

    func send(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in _ = session.outbox.send(bytes.bytes, as: .text) }
        schedule()
    }

    func send(binary bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in _ = session.outbox.send(bytes.bytes, as: .binary) }
        schedule()
    }

    func sendPing(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in _ = session.outbox.sendPing(bytes.bytes) }
        schedule()
    }

    func close(_ code: UInt16, _ reason: String = "") {
        session.outbox.sendClose(CloseFrame(code: CloseCode(rawValue: code), reason: reason))
        schedule()
    }

    /// Ends the connection without a close frame.
    func vanish() {
        failure = .connectionReset
        schedule()
    }

    // MARK: The stream

    var isWriting: Bool { false }
    var inFlightBytes: Int { 0 }
    var unsentBytes: Int { 0 }
    var peerPresence: PeerPresence { .present }
    var hasUnreadBytes: Bool { !session.outbox.bytes.isEmpty }

    func startReading() {
        isReading = true
        schedule()
    }

    func stopReading() {
        isReading = false
        wasPaused = true
    }
    func shutdown() {}
    func close() {
        isClosed = true
        delegate = nil
    }

    /// Ends all calls, and releases their receivers.
    func detach() {
        delegate = nil
        didReceive = { _, _ in }
    }

    func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        var bytes = buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        buffer.removeAll()
        // A close frame.
        if bytes.first == 0x88, let lastWords { send(lastWords) }
        var handler = Collector()
        bytes.withUnsafeMutableBytes { pointer in
            var span = pointer.mutableBytes
            _ = try? session.receive(&span, handler: &handler)
        }
        received += handler.events
        for event in handler.events { didReceive(self, event) }
        schedule()
    }

    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int { 0 }

    private func schedule() {
        guard !isScheduled, !isClosed else { return }
        isScheduled = true
        loop.atEndOfNextTurn(self)
    }

    /// Passes on the data available for reading.
    func endTurn() {
        isScheduled = false
        guard isReading, !isClosed, !hasEnded, let delegate else { return }
        var bytes = session.outbox.bytes.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        session.outbox.bytes.removeAll()
        if !bytes.isEmpty {
            bytes.withUnsafeMutableBytes { pointer in
                var span = pointer.mutableBytes
                delegate.stream(self, didRead: &span)
            }
            return schedule()
        }
        if let failure {
            hasEnded = true
            delegate.stream(self, didFailToRead: .system(failure))
        } else if session.closing.isComplete {
            hasEnded = true
            delegate.streamDidReachEnd(self)
        }
    }

    private struct Collector: SessionHandler {
        var events: [Event] = []

        mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
            let bytes = payload.withUnsafeBytes { Array($0) }
            events.append(kind == .text ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes))
        }
        mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) { events.append(.ping) }
        mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) { events.append(.pong) }
        mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {
            events.append(.close(frame.code?.rawValue))
        }
    }
}

/// A connection attempt that opens a stream in memory, or fails.
final class FakeAttempt: ConnectionAttempt, EndOfTurnWork {
    let url: WebSocketURL
    let phase = ConnectError.Phase.connecting
    var didStep: ((Connector.Step) -> Void)?
    private let loop: EventLoop
    private let request: ClientRequest
    private let firstBytes: [UInt8]
    private let result: Result<FakePeer, ConnectError>
    /// Whether the attempt ends in the turn in which it starts.
    private let endsAtOnce: Bool
    private var completion: ((Result<Connector.Opened, ConnectError>) -> Void)?

    init(
        _ settings: Connector.Settings, _ result: Result<FakePeer, ConnectError>, firstBytes: [UInt8] = [],
        endsAtOnce: Bool = false, on loop: EventLoop,
        completion: @escaping (Result<Connector.Opened, ConnectError>) -> Void
    ) {
        request = settings.request
        url = settings.request.url
        self.result = result
        self.endsAtOnce = endsAtOnce
        self.firstBytes = firstBytes
        self.loop = loop
        self.completion = completion
    }

    func start() {
        if endsAtOnce { endTurn() } else { loop.atEndOfNextTurn(self) }
    }

    func cancel() { completion = nil }

    func endTurn() {
        guard let completion else { return }
        self.completion = nil
        let response = ResponseHead(status: 101, reason: "Switching Protocols", fields: HTTPFields())
        didStep?(.reached(peer: "memory", nil))
        didStep?(.sent { "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic c2VjcmV0\r\n\r\n" })
        didStep?(.received(response))
        switch result {
        case .failure(let error): completion(.failure(error))
        case .success(let peer):
            completion(
                .success(
                    Connector.Opened(
                        stream: peer, request: request,
                        upgrade: ClientUpgrade(response: response, subprotocol: nil, extensions: []), tls: nil,
                        deflate: nil, firstBytes: firstBytes, peer: "memory", duration: .milliseconds(1),
                        phaseDurations: PhaseDurations())))
        }
    }
}
