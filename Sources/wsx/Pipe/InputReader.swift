import WSCore

/// Reads standard input, cuts it into records, and turns these into what is to be sent.
///
///      stdin → RecordSplitter → InputDecoder ──► receiver
///         ▲                          │ not yet: the pace of a recording
///         └── paused ◄───────────────┘
final class InputReader {
    /// How the input is read.
    struct Settings {
        /// How it is cut and decoded.
        var format: InputFormat
        /// Whether a CR before the LF of a line is no part of it.
        var stripsCarriageReturn = false
        /// The kind of messages that do not say it themselves.
        var kind: MessageKind
        /// The pace of events.
        var speed = ReplaySpeed.max
    }

    /// What a run does with its input.
    protocol Receiver: AnyObject {
        /// Takes what a record asks for; the payload is valid during the call.
        /// - Parameters:
        ///   - item: What is to be sent.
        ///   - payload: The payload of a message, ping or pong.
        ///   - client: The client that it is for; nil: all.
        func received(input item: InputItem, _ payload: RawSpan, client: Int?)
        /// Takes note that a record cannot be sent; `what` names it.
        func received(badInput what: String, _ problem: InputProblem)
        /// Called after each piece of input: the moment to ask whether to pause.
        func receivedInputPiece()
        /// Takes the end of the input.
        func inputEnded(_ error: IOError?)
    }

    private let settings: Settings
    private let loop: EventLoop
    private var splitter: RecordSplitter
    private var decoder: InputDecoder
    /// The kind of records that are messages as they stand; nil: they are to be decoded.
    private let verbatimKind: MessageKind?
    private var reader: DescriptorReader?
    private weak var receiver: (any Receiver)?
    private var recordCount = 0
    private var isPaused = true
    /// What has been read and not been split, because the reader was paused in the middle of a piece.
    private var unsplit = ByteBuffer()
    /// What waits for its time; its payload is the decoder's.
    private var waiting: (input: InputDecoder.Input, dueTime: Duration)?
    /// Whether the end of the input has been reached, and waits for what is before it.
    private var isAtEnd = false
    /// What the input has ended with; nil: there is just no more.
    private var endError: IOError?
    /// When the first event with a time was read.
    private var beginTime: Duration?
    private lazy var timer = Timer(on: loop) { [unowned self] in goOn() }

    /// Makes a reader of standard input that does not read yet.
    init(_ settings: Settings, on loop: EventLoop, receiver: any Receiver) {
        self.settings = settings
        self.loop = loop
        self.receiver = receiver
        splitter = RecordSplitter(settings.format, stripsCarriageReturn: settings.stripsCarriageReturn)
        decoder = InputDecoder(settings.format, as: settings.kind, keepsPace: settings.speed != .max)
        verbatimKind = decoder.isVerbatim ? settings.kind : nil
    }

    /// The latest record, as errors call it.
    var recordName: String {
        switch settings.format {
        case .message: "the input"
        case .json: "input line \(recordCount)"
        case .lines, .nul, .chunks, .hex, .base64: "input message \(recordCount)"
        }
    }

    /// Starts reading, or goes on after ``pause()``.
    func start() {
        guard isPaused, receiver != nil else { return }
        isPaused = false
        // Not at once: whoever calls may be in the middle of receiving.
        if hasBacklog { return timer.start(after: .zero) }
        do throws(IOError) {
            if reader == nil { reader = try makeReader() }
            reader?.start()
        } catch {
            receiver?.inputEnded(error)
        }
    }

    /// Stops reading until ``start()``, also in the middle of what has been read.
    func pause() {
        isPaused = true
        reader?.pause()
    }

    /// Ends reading for good.
    func close() {
        isPaused = true
        reader?.close()
        receiver = nil
    }

    private var hasBacklog: Bool { waiting != nil || !unsplit.isEmpty || isAtEnd }

    private func makeReader() throws(IOError) -> DescriptorReader {
        try DescriptorReader(
            descriptor: StandardDescriptors.input, on: loop,
            receive: { [unowned self] piece in received(piece) },
            finish: { [unowned self] error in finished(error) })
    }

    private func received(_ piece: RawSpan) {
        guard let receiver else { return }
        let takenBytes = split(piece, for: receiver)
        if takenBytes < piece.byteCount {
            unsplit.append(piece.extracting(droppingFirst: takenBytes))
        }
        // What waits may have been the last of the piece.
        if hasBacklog { reader?.pause() }
        receiver.receivedInputPiece()
    }

    private func finished(_ error: IOError?) {
        isAtEnd = true
        endError = error
        // What was cut short by an error is not a message.
        if error == nil, let receiver {
            splitter.finish { _ = take($0, for: receiver) }
            // A message that waits has come after it, and it is not the last any more.
            if let close = decoder.takeClose() { _ = take(close, of: RawSpan(), for: receiver) }
        }
        finishIfDone()
    }

    /// Goes on with what had to wait, before anything else is read.
    private func goOn() {
        guard !isPaused, let receiver else { return }
        if let (input, dueTime) = waiting {
            guard dueTime <= loop.now else { return timer.start(after: dueTime - loop.now) }
            waiting = nil
            deliver(input, of: RawSpan(), to: receiver)
        }
        if !isPaused, !unsplit.isEmpty {
            var piece = unsplit.takeAll()
            piece.consume(piece.withReadableBytes { split($0, for: receiver) })
            unsplit = piece
            unsplit.releaseStorage(above: 0)
        }
        receiver.receivedInputPiece()
        guard !isPaused, waiting == nil, unsplit.isEmpty else { return }
        if !isAtEnd { reader?.start() } else { finishIfDone() }
    }

    private func finishIfDone() {
        guard waiting == nil, isAtEnd else { return }
        isAtEnd = false
        receiver?.inputEnded(endError)
    }

    private func split(_ piece: RawSpan, for receiver: any Receiver) -> Int {
        splitter.split(piece) { take($0, for: receiver) }
    }

    /// Takes a record.
    /// - Returns: Whether to go on with the next.
    private func take(_ record: RawSpan, for receiver: any Receiver) -> Bool {
        recordCount += 1
        if let verbatimKind, verbatimKind == .binary || UTF8Validator.isValid(record) {
            receiver.received(input: .message(verbatimKind), record, client: nil)
            return !isPaused
        }
        do throws(InputProblem) {
            let input = try decoder.decode(record)
            if decoder.hasBegun, beginTime == nil { beginTime = loop.now }
            guard let input else { return true }
            return take(input, of: record, for: receiver)
        } catch {
            receiver.received(badInput: recordName, error)
        }
        return !isPaused
    }

    /// Takes what a record asks for, now or when its time has come.
    /// - Returns: Whether to go on with the next.
    private func take(_ input: InputDecoder.Input, of record: RawSpan, for receiver: any Receiver) -> Bool {
        if let dueTime = dueTime(of: input), dueTime > loop.now {
            waiting = (input, dueTime)
            timer.start(after: dueTime - loop.now)
            return false
        }
        deliver(input, of: record, to: receiver)
        return !isPaused
    }

    private func deliver(_ input: InputDecoder.Input, of record: RawSpan, to receiver: any Receiver) {
        decoder.withPayload(of: record) { payload in
            receiver.received(input: input.item, payload, client: input.client)
        }
    }

    /// When an event is to be sent; nil: at once.
    private func dueTime(of input: InputDecoder.Input) -> Duration? {
        guard let delay = input.delay, let beginTime, case .factor(let factor) = settings.speed else { return nil }
        return beginTime + delay / factor
    }
}

extension ConversationArguments {
    /// How standard input is read.
    var inputSettings: InputReader.Settings {
        InputReader.Settings(
            format: format.input, stripsCarriageReturn: format.stripsCarriageReturn,
            kind: format.payload.kind(for: format.input), speed: format.replaySpeed)
    }

    /// Checks what the options cannot say of one another: only events have times.
    func checkReplaySpeed() throws(Failure) {
        guard format.replaySpeed == .max || format.input == .json else {
            throw .badArgument(what: "--replay-speed", why: "it says nothing without --input json; give that, too")
        }
    }
}
