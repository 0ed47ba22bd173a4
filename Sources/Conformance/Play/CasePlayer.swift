/// Plays a case with a peer, without I/O: says what to write, receives what has been read, and judges.
///
///     handshake ─► steps ─► closing ─► over
///          └────────┴───────────────────▲  a violation, an end, or a limit
package final class CasePlayer {
    /// What to do next on the stream.
    package enum Action {
        /// Writes bytes. After a piece of a frame or head, the peer should get the time to read it alone.
        case write([UInt8], isPiece: Bool)
        /// Ends our side of the stream.
        case shutdown
        case close
        case stopReading
        case startReading
        /// Waits for a moment, then calls ``CasePlayer/didPause()``.
        case pause
    }

    /// What is known about the peer.
    package struct Peer {
        package var role: PeerRole
        /// Whether the peer echoes messages.
        package var echoes: Bool
        /// The number of messages that the peer sends by itself at the beginning.
        package var greetingCount = 0
        /// Text messages that log in.
        package var firstMessages: [[UInt8]] = []
        /// Whether a message ends the login, or `nil` if the login has no answer.
        package var isReady: (([UInt8]) -> Bool)?
        /// The Sec-WebSocket-Key of a client's request before this one; empty if there is none.
        package var lastKey = ""

        package init(role: PeerRole, echoes: Bool) {
            self.role = role
            self.echoes = echoes
        }
    }

    enum Phase {
        case handshake
        case steps
        /// Our close frame has been sent because the events were complete, or the peer's has been answered.
        case closing
        case over
    }

    enum Wait {
        case login
        case sync([UInt8])
        case step(Step.Awaited)
        /// The echo of a message, before this many others.
        case exchange(rest: Int)
        case pause
        /// A pong that shows whether the peer fails the connection.
        case probe([UInt8])
    }

    let item: Case
    var peer: Peer
    private let plan: HandshakePlan
    /// The connection of HTTP/2 that carries the WebSocket, or `nil` over HTTP/1.1.
    let http2: HTTP2Stream?
    var phase = Phase.handshake
    var sender: FrameSender
    private var reader: MessageReader
    private var head = HeadReader()
    var transcript = Transcript()
    var course: Course
    var log = FrameLog()
    var stepIndex = 0
    var wait: Wait?
    /// An action for which the pending writes come first.
    var action: Action?
    private var syncCount = 0
    /// Whether an awaited failure has not come in time.
    var isLate = false

    /// The result, after the last action.
    package internal(set) var result: CaseResult?

    /// Plays a case with a server.
    /// - Parameters:
    ///   - request: A valid request of HTTP/1.1 to open the WebSocket, without extensions.
    ///   - scheme: `http` or `https` to play over HTTP/2, or `nil` for HTTP/1.1.
    package convenience init(_ item: Case, with peer: Peer, request: Head, overHTTP2 scheme: String? = nil) {
        let http2 = scheme.map { _ in HTTP2Stream(isClient: true, settings: item.settings) }
        let request = scheme.map { request.http2Request(scheme: $0) } ?? request
        self.init(
            item, with: peer, plan: HandshakePlan(request: request, for: item, isHTTP2: http2 != nil), over: http2)
    }

    /// Plays a case with a client whose request has been received.
    package convenience init(
        _ item: Case, with peer: Peer, respondingTo request: Head, over http2: HTTP2Stream? = nil
    ) {
        let answer = HandshakePlan.answer(item.answers, to: request)
        let plan = HandshakePlan(responseTo: request, answer: answer, for: item, isHTTP2: http2 != nil)
        self.init(item, with: peer, plan: plan, over: http2)
        let problem: Violation?
        do throws(Violation) {
            if http2 == nil {
                try HandshakePlan.check(request: request)
            } else {
                try HandshakePlan.check(http2Request: request)
            }
            // RFC 6455 §4.1: the nonce is selected randomly for each connection.
            let isRepeated =
                item.flags.contains(.fresh) && http2 == nil && request.values(of: "Sec-WebSocket-Key") == [peer.lastKey]
            problem = isRepeated ? Violation("the request has the key of the one before", "6455 §4.1") : nil
        } catch let error {
            problem = error
        }
        if let problem {
            finish(problem: problem)
        } else if item.needsCompression, answer == nil {
            skip("the client does not offer what the case needs")
        } else {
            open(with: answer.flatMap { try? DeflateParameters(response: ExtensionElement($0)) })
        }
    }

    private init(_ item: Case, with peer: Peer, plan: HandshakePlan, over http2: HTTP2Stream?) {
        self.item = item
        self.peer = peer
        self.plan = plan
        self.http2 = http2
        let isClient = peer.role == .server
        sender = FrameSender(isClient: isClient)
        reader = MessageReader(expectsMask: !isClient)
        course = Course(isClient: isClient)
        if let http2 {
            http2.send(head: plan.bytes, by: plan.pieces.byteCount)
        } else {
            sender.send(head: plan.bytes, plan.pieces, &log)
        }
    }

    /// Grows as long as the case gets on.
    package var progress: Int { transcript.progress + stepIndex + syncCount }

    /// Whether the peer has sent the first message back, or a frame that is so wrong that it may have been an echo.
    package var resemblesEcho: Bool { transcript.resemblesEcho || result?.reference != nil }
    /// The number of messages that the peer has sent by itself.
    package var otherMessageCount: Int { transcript.otherMessageCount }

    private func open(with parameters: DeflateParameters?) {
        if let parameters {
            let (server, client) = (parameters.server, parameters.client)
            let (ours, theirs) = course.isClient ? (client, server) : (server, client)
            sender.setCompression(Deflater(ours))
            reader.setCompression(Inflater(theirs))
        }
        phase = .steps
        for message in peer.firstMessages { sender.send(login: message, &log) }
        if peer.isReady != nil { wait = .login }
        if isDone { judgeProgress() }
    }

    // MARK: Sending

    /// The next thing to do, or `nil` to wait.
    package func next() -> Action? {
        var isPiece = false
        while true {
            if canStep, case .send = item.steps[stepIndex] {
                perform()
                continue
            }
            if let bytes = http2?.takeOutput() { return .write(bytes, isPiece: isPiece) }
            if http2?.isBlocked == true { return nil }
            if let write = sender.next() {
                guard let http2 else { return .write(write.bytes, isPiece: write.isPiece) }
                http2.send(write.bytes)
                isPiece = write.isPiece
                continue
            }
            if let action {
                // Over HTTP/2, both end our side of the stream first.
                switch action {
                case .shutdown, .close: if let http2, http2.end() { continue }
                default: break
                }
                self.action = nil
                if case .shutdown = action, http2 != nil { continue }
                return action
            }
            guard canStep else { return nil }
            perform()
        }
    }

    private var canStep: Bool {
        guard wait == nil, stepIndex < item.steps.count else { return false }
        return phase == .steps || phase == .handshake && item.flags.contains(.early) && course.isClient
    }

    var isDone: Bool { stepIndex == item.steps.count && wait == nil }

    private func perform() {
        let step = item.steps[stepIndex]
        stepIndex += 1
        switch step {
        case .send(let frames): send(frames)
        case .bytes(let payload, let pieces): sender.send(payload.bytes(), pieces, &log)
        case .http2(let frame):
            log.add(
                isSent: true, "HTTP/2 \(HTTP2Frame.name(frame.type))", count: frame.payload.count,
                payload: frame.payload)
            http2?.send(frame)
        case .exchange(let count, let frames):
            send(frames)
            wait = .exchange(rest: count - 1)
        case .sync: wait = .sync(ping())
        case .await(let awaited):
            wait = .step(awaited)
            checkWait()
        case .pause: (wait, action) = (.pause, .pause)
        case .shutdown: action = .shutdown
        case .drop:
            course.hasEnded = true
            finish()
        case .stopReading: action = .stopReading
        case .startReading: action = .startReading
        }
        if isDone { judgeProgress() }
    }

    private func send(_ frames: Frames, number: Int = 0) {
        if frames.opcode == Opcode.close, frames.isPlain, frames.isFinal { course.hasSentClose = true }
        sender.send(frames, frames.payload.bytes(number), &transcript, &log)
    }

    /// Sends a ping that is no step of the case. Returns its payload.
    func ping() -> [UInt8] {
        syncCount += 1
        let payload = Array("wsx sync \(syncCount)".utf8)
        sender.send(Frames(opcode: Opcode.ping), payload, &log)
        return payload
    }

    func sendClose(_ code: UInt16) {
        guard !course.hasSentClose else { return }
        course.hasSentClose = true
        let payload = code == CloseCode.none ? [] : [UInt8(code >> 8), UInt8(code & 0xFF)]
        sender.send(Frames(opcode: Opcode.close), payload, &log)
    }

    // MARK: Receiving

    /// Receives bytes of the peer, which may be changed.
    package func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        guard phase != .over, !bytes.isEmpty else { return }
        do throws(Violation) {
            if let http2 { try receive(bytes, over: http2) } else { try receiveBytes(bytes) }
        } catch {
            return finish(problem: error)
        }
        checkWait()
        judgeProgress()
    }

    private func receive(_ bytes: UnsafeMutableRawBufferPointer, over http2: HTTP2Stream) throws(Violation) {
        var rest = bytes
        while phase != .over, let event = try http2.next(&rest) {
            switch event {
            case .head(let head):
                // Later ones are trailers.
                guard phase == .handshake else { continue }
                log.add(isSent: false, "head", count: head.bytes.count, payload: head.bytes)
                guard let status = head.status else { throw Violation("the response has no status", "9113 §8.3.2") }
                try receive(head, status)
            case .data(var data):
                try data.withMutableBytes { (data) throws(Violation) in try receiveBytes(data) }
            case .acknowledged: break
            case .ended(let error):
                course.error = error
                receiveEnd()
            }
        }
    }

    private func receiveBytes(_ bytes: UnsafeMutableRawBufferPointer) throws(Violation) {
        var rest = bytes
        if phase == .handshake {
            guard http2 == nil else { throw Violation("data come before the response", "9113 §8.1") }
            try receiveHead(&rest)
        }
        while phase == .steps || phase == .closing, let event = try nextEvent(&rest) {
            if course.peerClose != nil { throw Violation("a frame follows the close frame", "6455 §5.5.1") }
            // RFC 6455 §5.3: a fresh masking key for each frame.
            if item.flags.contains(.fresh), reader.repeatsKey {
                throw Violation("two frames have the same masking key", "6455 §5.3")
            }
            switch event {
            case .message: receiveMessage()
            case .control(let opcode, let payload): try receiveControl(opcode, payload)
            }
        }
    }

    private func nextEvent(_ rest: inout UnsafeMutableRawBufferPointer) throws(Violation) -> MessageReader.Event? {
        do throws(Violation) {
            return try reader.next(&rest, into: &transcript, &log)
        } catch {
            // RFC 6455 §1.4: what follows a close frame is discarded, and need not be a frame.
            if course.peerClose != nil { return nil }
            throw error
        }
    }

    private func receiveHead(_ rest: inout UnsafeMutableRawBufferPointer) throws(Violation) {
        while phase == .handshake, let (head, status) = try head.next(&rest, &log) { try receive(head, status) }
    }

    private func receive(_ head: Head, _ status: Int) throws(Violation) {
        if 100..<200 ~= status, status != 101 { return }
        guard status == plan.openingStatus else {
            course.refusal = head
            guard item.needsCompression, !item.judgesHandshake else { return finish() }
            return end(with: .skipped("the server refuses this offer of permessage-deflate"))
        }
        course.response = head
        let parameters = try plan.check(head)
        if item.needsCompression, parameters == nil, !item.judgesHandshake {
            return skip("the server does not accept permessage-deflate with these parameters")
        }
        open(with: parameters)
    }

    private func receiveMessage() {
        guard !transcript.endMessage() else { return }
        if case .login? = wait, let isReady = peer.isReady {
            if isReady(transcript.lastMessage) { wait = nil }
            transcript.forgetLast()
        } else if peer.greetingCount > 0 {
            peer.greetingCount -= 1
            transcript.forgetLast()
        }
    }

    private func receiveControl(_ opcode: UInt8, _ payload: [UInt8]) throws(Violation) {
        switch (opcode, wait) {
        case (Opcode.ping, _):
            // RFC 6455 §5.5.3: of several pings, only the latest needs an answer.
            guard !item.flags.contains(.silent), !course.hasSentClose, !sender.isFull else { return }
            sender.send(Frames(opcode: Opcode.pong), payload, &log)
        case (Opcode.pong, .sync(payload)?): wait = nil
        case (Opcode.pong, .probe(payload)?): beginClosing()
        case (Opcode.pong, _): transcript.receivePong(payload, keepsOthers: item.expectsOtherPongs)
        default: try receiveClose(payload)
        }
    }

    private func receiveClose(_ payload: [UInt8]) throws(Violation) {
        let code = try MessageReader.closeCode(payload)
        course.peerClosedFirst = !course.hasSentClose
        course.peerClose = code
        // An echo of an invalid code is the case's to judge.
        guard
            payload.isEmpty || CloseCode.isAllowed(code)
                || code != CloseCode.none && item.outcomes.contains(where: { $0.ending.permits(code) })
        else { throw Violation("a close frame has the code \(code), which must not be sent", "6455 §7.4") }
        wait = nil
        if course.peerClosedFirst { sender.removeAll() }
        phase = .closing
        if item.flags.contains(.silent) { return }
        sendClose(code)
        // RFC 6455 §7.1.1: the server ends TCP, and the client follows.
        guard !course.isClient else { return }
        if item.outcomes.contains(where: \.ending.isOfTCP) { action = .shutdown } else { finish() }
    }

    /// The peer has ended its side of the stream, or the stream has failed.
    package func receiveEnd() {
        course.hasEnded = true
        finish()
    }

    // MARK: Waiting

    /// A pause is over.
    package func didPause() {
        if case .pause? = wait { wait = nil }
        if isDone { judgeProgress() }
    }

    /// The peer has sent nothing, and accepted nothing, for as long as it may take.
    package func expire() {
        if case .step(.failure)? = wait {
            isLate = true
            wait = nil
        } else {
            finish(metLimit: true)
        }
    }

    private func checkWait() {
        switch wait {
        case .step(.echo) where !transcript.awaitsEcho || !peer.echoes: wait = nil
        case .step(.pong) where !transcript.awaitsPong: wait = nil
        case .step(.acknowledgements) where http2?.awaitsAcknowledgements != true: wait = nil
        case .exchange(let rest) where !transcript.awaitsEcho:
            guard rest > 0, case .exchange(let count, let frames) = item.steps[stepIndex - 1] else { return wait = nil }
            wait = .exchange(rest: rest - 1)
            send(frames, number: count - rest)
        default: break
        }
    }
}
