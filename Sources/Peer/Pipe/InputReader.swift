import Formats
import UserInterface
import WSCore

/// Reads standard input, splits it into records, and decodes them into items to send.
///
///      stdin → RecordSplitter → InputDecoder ──► receiver
///         ▲                          │ not due yet, with --replay-speed and --every
///         └── paused ◄───────────────┘
package final class InputReader {
    /// The settings for reading the input.
    package struct Settings {
        /// The format of the records.
        var format: InputFormat
        /// The size of chunks in bytes; `nil`: as they are read.
        var chunkBytes: Int?
        /// Whether to strip a CR before the LF of a line.
        package var stripsCarriageReturn = false
        /// What follows each line that is sent.
        package var lineEnd: [UInt8] = []
        /// The kind of messages if the record does not specify one.
        package var kind: MessageKind
        /// The replay speed of events.
        var speed = ReplaySpeed.max
        /// The schedule of the messages, or `nil` to send them as they are read. The receiver records what it sends.
        package var pacer: InputPacer?
        /// The maximum size of a record in bytes.
        package var maximumRecordBytes = Int.max
    }

    /// The receiver of the input.
    package protocol Receiver: AnyObject {
        /// Receives an item. The payload is valid only during the call.
        /// - Parameters:
        ///   - item: The item to send.
        ///   - payload: The payload of a message, ping, or pong.
        ///   - client: The client to send it to, or `nil` for all clients.
        func received(input item: InputItem, _ payload: RawSpan, client: Int?)
        /// Reports a record that cannot be sent; `what` names it.
        func received(badInput what: String, _ problem: InputProblem)
        /// Called before each piece of input, as an opportunity to pause. A paused reader keeps the piece.
        func willReceiveInputPiece()
        /// Called after each piece of input, as an opportunity to pause.
        func receivedInputPiece()
        /// Reports the end of the input.
        func inputEnded(_ error: IOError?)
    }

    /// The end of the input, with the error that caused it, or `nil` for a normal end.
    private enum End {
        case ahead
        /// The last record may wait in the splitter.
        case reached(IOError?)
        /// Everything has been split.
        case split(IOError?)
        case reported
    }

    private let settings: Settings
    private let descriptor: Int32
    private let loop: EventLoop
    private var splitter: RecordSplitter
    private var decoder: InputDecoder
    /// The kind of messages if records are passed on as they are and at once, or `nil` otherwise.
    private let verbatimKind: MessageKind?
    private var reader: DescriptorReader?
    private unowned var receiver: (any Receiver)?
    /// The number of records so far.
    package private(set) var recordCount = 0
    private var isPaused = true
    /// Data that was read but not yet split because the reader was paused.
    private var unsplit = ByteBuffer()
    /// An item that is not due yet. The payload of an event is in the decoder, that of another one in the record.
    private var waiting: (input: InputDecoder.Input, record: [UInt8])?
    private var end = End.ahead
    /// When the first event with a time was read.
    private var beginTime: Duration?
    private lazy var timer = Timer(on: loop) { [unowned self] in processBacklog() }

    /// Creates a reader for standard input or another descriptor, without starting it.
    package init(
        _ settings: Settings, from descriptor: Int32 = StandardDescriptors.input, on loop: EventLoop,
        receiver: any Receiver
    ) {
        self.settings = settings
        self.descriptor = descriptor
        self.loop = loop
        self.receiver = receiver
        splitter = RecordSplitter(
            settings.format, stripsCarriageReturn: settings.stripsCarriageReturn, chunkBytes: settings.chunkBytes)
        decoder = InputDecoder(settings.format, as: settings.kind, keepsPace: settings.speed != .max)
        verbatimKind = decoder.isVerbatim && settings.pacer == nil && settings.lineEnd.isEmpty ? settings.kind : nil
    }

    /// The name of the latest record in error messages.
    package var recordName: String {
        switch settings.format {
        case .message: "the input"
        case .json: "input line \(recordCount)"
        case .lines, .nul, .chunks, .hex, .base64: "input message \(recordCount)"
        }
    }

    /// Starts reading, or resumes after ``pause()``.
    package func start() {
        guard isPaused, receiver != nil else { return }
        isPaused = false
        settings.pacer?.resume(at: loop.now)
        // Not synchronously: the caller may be inside a receive callback.
        if hasBacklog { return timer.start(after: .zero) }
        do throws(IOError) {
            if reader == nil { reader = try makeReader() }
            reader?.start()
        } catch {
            receiver?.inputEnded(error)
        }
    }

    /// Stops reading until ``start()``, even within data that has been read.
    package func pause() {
        isPaused = true
        reader?.pause()
    }

    /// Stops reading permanently.
    package func close() {
        isPaused = true
        reader?.close()
        receiver = nil
    }

    private var hasBacklog: Bool { waiting != nil || !unsplit.isEmpty || isAtEnd }

    private var isAtEnd: Bool {
        switch end {
        case .ahead, .reported: false
        case .reached, .split: true
        }
    }

    /// Whether there is input that has not been received, now or later.
    package var hasUnsentInput: Bool {
        waiting != nil || !unsplit.isEmpty || splitter.carriedBytes > 0
            || reader?.hasUnreadBytes ?? StandardDescriptors.hasUnreadBytes(descriptor)
    }

    /// Whether there is input that could be received now, if the reader were not paused.
    package var hasInput: Bool {
        if let waiting { return dueTime(of: waiting.input).map { $0 <= loop.now } ?? true }
        if case .reached = end { return true }
        return !unsplit.isEmpty || reader?.hasUnreadBytes ?? false
    }

    private func makeReader() throws(IOError) -> DescriptorReader {
        try DescriptorReader(
            descriptor: descriptor, on: loop,
            receive: { [unowned self] piece in received(piece) },
            finish: { [unowned self] error in finished(error) })
    }

    private func received(_ piece: RawSpan) {
        guard let receiver else { return }
        settings.pacer?.resume(at: loop.now)
        receiver.willReceiveInputPiece()
        let takenBytes = isPaused ? 0 : split(piece, for: receiver)
        if takenBytes < piece.byteCount {
            unsplit.append(piece.extracting(droppingFirst: takenBytes))
        }
        // The waiting item may have been the last of the piece.
        if hasBacklog { reader?.pause() }
        receiver.receivedInputPiece()
    }

    private func finished(_ error: IOError?) {
        end = .reached(error)
        receiver?.willReceiveInputPiece()
        if !isPaused { finish() }
    }

    /// Processes the backlog before reading more.
    private func processBacklog() {
        guard !isPaused, let receiver else { return }
        receiver.willReceiveInputPiece()
        guard !isPaused else { return }
        if let (input, record) = waiting {
            if let dueTime = dueTime(of: input), dueTime > loop.now { return timer.start(after: dueTime - loop.now) }
            waiting = nil
            deliver(input, of: record.span.bytes, to: receiver)
        }
        if !isPaused, !unsplit.isEmpty {
            var piece = unsplit.takeAll()
            piece.consume(piece.withReadableBytes { split($0, for: receiver) })
            unsplit = piece
            unsplit.releaseStorage(above: 0)
        }
        receiver.receivedInputPiece()
        guard !isPaused, waiting == nil, unsplit.isEmpty else { return }
        if isAtEnd { finish() } else { reader?.start() }
    }

    /// Processes the last record, and reports the end unless that record is not due yet.
    private func finish() {
        if case .reached(let error) = end, let receiver {
            end = .split(error)
            // A record cut short by an error is not a message.
            if error == nil {
                splitter.finish { _ = take($0, for: receiver) }
                // If a message is waiting, the close follows it in turn.
                if let close = decoder.takeClose() { _ = take(close, of: RawSpan(), for: receiver) }
            }
        }
        guard waiting == nil, case .split(let error) = end else { return }
        end = .reported
        receiver?.inputEnded(error)
    }

    private func split(_ piece: RawSpan, for receiver: any Receiver) -> Int {
        let takenBytes = splitter.split(piece) { take($0, for: receiver) }
        let limit = settings.maximumRecordBytes
        if splitter.carriedBytes > limit, !isPaused {
            receiver.received(badInput: recordName, .tooLongRecord(limit: limit))
        }
        return takenBytes
    }

    /// Processes a record.
    /// - Returns: Whether to continue with the next one.
    @inline(__always)
    private func take(_ record: RawSpan, for receiver: any Receiver) -> Bool {
        recordCount += 1
        guard record.byteCount <= settings.maximumRecordBytes else {
            receiver.received(badInput: recordName, .tooLongRecord(limit: settings.maximumRecordBytes))
            return !isPaused
        }
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

    /// Delivers an item now, or when it is due.
    /// - Returns: Whether to continue with the next one.
    private func take(_ input: InputDecoder.Input, of record: RawSpan, for receiver: any Receiver) -> Bool {
        if let dueTime = dueTime(of: input), dueTime > loop.now {
            waiting = (input, settings.pacer == nil ? [] : record.withUnsafeBytes { Array($0) })
            timer.start(after: dueTime - loop.now)
            return false
        }
        deliver(input, of: record, to: receiver)
        return !isPaused
    }

    private func deliver(_ input: InputDecoder.Input, of record: RawSpan, to receiver: any Receiver) {
        decoder.withPayload(of: record) { payload in
            guard !settings.lineEnd.isEmpty else {
                return receiver.received(input: input.item, payload, client: input.client)
            }
            let line = payload.withUnsafeBytes { Array($0) } + settings.lineEnd
            receiver.received(input: input.item, line.span.bytes, client: input.client)
        }
    }

    /// When to send an item, or `nil` to send it at once.
    private func dueTime(of input: InputDecoder.Input) -> Duration? {
        if let pacer = settings.pacer { return pacer.dueTime }
        guard let delay = input.delay, let beginTime, case .factor(let factor) = settings.speed else { return nil }
        return beginTime + delay / factor
    }
}

extension InputReader.Receiver {
    /// Takes every piece.
    package func willReceiveInputPiece() {}
}

extension ConversationArguments {
    /// The settings for reading standard input.
    package var inputSettings: InputReader.Settings {
        InputReader.Settings(
            format: format.input, chunkBytes: format.chunkBytes, stripsCarriageReturn: format.stripsCarriageReturn,
            kind: format.payload.kind(for: format.input), speed: format.replaySpeed)
    }

    /// Checks that `--replay-speed` is used only with `--input json`, because only events have times, and that chunks are
    /// not too large, and that messages are text if an option takes no other.
    /// - Parameters:
    ///   - limitBytes: The maximum size of a message.
    ///   - option: The option that takes text, or `nil` if there is none, or if `--wrap` makes text of the input.
    package func checkInput(limitBytes: Int, asTextFor option: String?) throws(Failure) {
        if let option, format.input.isBinary, format.payload != .text {
            throw .badArgument(
                what: "--input \(format.input.rawValue) with \(option)",
                why: "it sends binary messages; use --input lines, or make text of them with --wrap in wsx connect")
        }
        if let chunkBytes = format.chunkBytes, chunkBytes > limitBytes {
            throw .badArgument(
                what: "--input chunks:\(chunkBytes)",
                why: "a message has at most \(Phrase.count(limitBytes, "byte")); --max-message-size allows more")
        }
        guard format.replaySpeed == .max || format.input == .json else {
            throw .badArgument(what: "--replay-speed", why: "it requires --input json; add that option")
        }
    }
}

/// An item that standard input asks to send. Its payload is passed separately.
package enum InputItem: Equatable {
    case message(MessageKind)
    case ping
    case pong
    /// Start the closing handshake. Without a frame that may be sent, only the input ends.
    case close(CloseFrame?)
    /// End the input, wait for outstanding replies, and close with this frame.
    case end(CloseFrame)
}
