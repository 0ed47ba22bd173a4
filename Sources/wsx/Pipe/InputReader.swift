import WSCore

/// Reads standard input and cuts it into messages.
final class InputReader {
    /// What a run does with its input.
    protocol Receiver: AnyObject {
        /// Takes a message of the input; `number` counts them from 1.
        func received(input record: RawSpan, number: Int)
        /// Called after each piece of input: the moment to ask whether to pause.
        func receivedInputPiece()
        /// Takes the end of the input.
        func inputEnded(_ error: IOError?)
    }

    private var splitter: RecordSplitter
    private var reader: DescriptorReader?
    private weak var receiver: (any Receiver)?
    private var recordCount = 0
    private var isPaused = true

    /// Makes a reader of standard input that does not read yet.
    init(_ format: InputFormat, stripsCarriageReturn: Bool, receiver: any Receiver) {
        splitter = RecordSplitter(format, stripsCarriageReturn: stripsCarriageReturn)
        self.receiver = receiver
    }

    /// Starts reading, or goes on after ``pause()``.
    func start(on loop: EventLoop) {
        guard isPaused else { return }
        isPaused = false
        do throws(IOError) {
            if reader == nil { reader = try makeReader(on: loop) }
            reader?.start()
        } catch {
            receiver?.inputEnded(error)
        }
    }

    /// Stops reading until ``start(on:)``.
    func pause() {
        isPaused = true
        reader?.pause()
    }

    /// Ends reading for good.
    func close() {
        reader?.close()
        receiver = nil
    }

    private func makeReader(on loop: EventLoop) throws(IOError) -> DescriptorReader {
        try DescriptorReader(
            descriptor: StandardDescriptors.input, on: loop,
            receive: { [unowned self] piece in received(piece) },
            finish: { [unowned self] error in finished(error) })
    }

    private func received(_ piece: RawSpan) {
        guard let receiver else { return }
        splitter.split(piece) { record in
            recordCount += 1
            receiver.received(input: record, number: recordCount)
        }
        receiver.receivedInputPiece()
    }

    private func finished(_ error: IOError?) {
        guard let receiver else { return }
        // What was cut short by an error is not a message.
        if error == nil {
            splitter.finish { record in
                recordCount += 1
                receiver.received(input: record, number: recordCount)
            }
        }
        receiver.inputEnded(error)
    }
}
