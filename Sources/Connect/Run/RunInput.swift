import Peer
import UserInterface
import WSCore

/// The input of a run: standard input, or the output of a program.
enum RunInput {
    case notBegun
    case reading(InputReader)
    /// The input has ended. The reader, if any, may be the caller. `close` is the close frame with which the input
    /// ended; it overrides the default one.
    case over(InputReader?, close: CloseFrame?)

    private var reader: InputReader? {
        switch self {
        case .notBegun: nil
        case .reading(let reader): reader
        case .over(let reader, _): reader
        }
    }

    var isOver: Bool { if case .over = self { true } else { false } }
    /// The close frame with which the input ended.
    var close: CloseFrame? { if case .over(_, let close) = self { close } else { nil } }
    /// The name of the current record in error messages.
    var recordName: String { reader?.recordName ?? "input" }
    /// The number of the current record, from 1.
    var recordNumber: Int { reader?.recordCount ?? 0 }

    /// Whether there is input that has not been sent.
    /// - Parameter descriptor: The descriptor of the input.
    func hasUnsentData(_ descriptor: Int32) -> Bool {
        reader?.hasUnsentInput ?? StandardDescriptors.hasUnreadBytes(descriptor)
    }

    mutating func end(with close: CloseFrame? = nil) {
        self = .over(reader, close: close ?? self.close)
    }

    func start() {
        if case .reading(let reader) = self { reader.start() }
    }

    func pause() {
        reader?.pause()
    }

    func closeReader() {
        reader?.close()
    }
}
