import Glibc
import UserInterface
import WSCore

/// Splits standard input into records.
///
/// A record within one piece of input is passed on in place. Only records that span pieces are copied.
package struct RecordSplitter: ~Copyable {
    private enum Rule {
        case delimiter(UInt8)
        case whole
        /// Pieces of this size in bytes; `nil`: as they are read.
        case chunks(Int?)
    }

    private let rule: Rule
    private let stripsCarriageReturn: Bool
    private var carry = ByteBuffer()
    /// The size of the previous record that spanned pieces, in bytes. The next one is often as large.
    private var previousCarriedBytes = 0

    /// Creates a splitter.
    /// - Parameters:
    ///   - stripsCarriageReturn: Whether to strip a CR at the end of lines.
    ///   - chunkBytes: The size of chunks, from 1; `nil`: as they are read.
    package init(_ format: InputFormat, stripsCarriageReturn: Bool = false, chunkBytes: Int? = nil) {
        self.stripsCarriageReturn = stripsCarriageReturn && format == .lines
        rule =
            switch format {
            case .lines, .hex, .base64, .json: .delimiter(UInt8(ascii: "\n"))
            case .nul: .delimiter(0)
            case .message: .whole
            case .chunks: .chunks(chunkBytes)
            }
    }

    /// The number of bytes that wait for the end of their record.
    package var carriedBytes: Int { carry.count }

    /// Splits the next piece of input and passes on each complete record.
    /// - Parameter receive: Receives a record and returns whether to continue.
    /// - Returns: The number of bytes consumed: all, unless `receive` returned `false`. The caller passes the rest at
    ///   the beginning of the next piece.
    package mutating func split(_ piece: RawSpan, _ receive: (RawSpan) -> Bool) -> Int {
        switch rule {
        case .chunks(nil): _ = receive(piece)
        case .chunks(let size?): return split(piece, every: size, receive)
        case .whole: carry.append(piece)
        case .delimiter(let delimiter): return split(piece, at: delimiter, receive)
        }
        return piece.byteCount
    }

    /// Passes on the last record at the end of the input.
    package mutating func finish(_ receive: (RawSpan) -> Void) {
        switch rule {
        case .chunks(nil): return
        case .delimiter where carry.isEmpty, .chunks where carry.isEmpty: return
        case .delimiter, .whole, .chunks:
            let record = carry.takeAll()
            record.withReadableBytes { receive($0.extracting(first: trimmedCount($0))) }
        }
    }

    private mutating func split(_ piece: RawSpan, at delimiter: UInt8, _ receive: (RawSpan) -> Bool) -> Int {
        var start = 0
        while let end = Self.firstIndex(of: delimiter, in: piece, from: start) {
            let record = piece.extracting(start..<end)
            start = end + 1
            guard pass(record, to: receive) else { return start }
        }
        if carry.isEmpty, start < piece.byteCount { carry.growStorageIfKept(to: previousCarriedBytes) }
        carry.append(piece.extracting(start..<piece.byteCount))
        return piece.byteCount
    }

    private mutating func split(_ piece: RawSpan, every size: Int, _ receive: (RawSpan) -> Bool) -> Int {
        var start = 0
        while piece.byteCount - start >= size - carry.count {
            let end = start + size - carry.count
            let record = piece.extracting(start..<end)
            start = end
            guard pass(record, to: receive) else { return start }
        }
        carry.append(piece.extracting(start..<piece.byteCount))
        return piece.byteCount
    }

    /// Passes on a record, of which only the end is in the current piece if it began in an earlier one.
    @inline(__always)
    private mutating func pass(_ end: RawSpan, to receive: (RawSpan) -> Bool) -> Bool {
        guard !carry.isEmpty else { return receive(end.extracting(first: trimmedCount(end))) }
        carry.append(end)
        previousCarriedBytes = carry.count
        let whole = carry.takeAll()
        return whole.withReadableBytes { receive($0.extracting(first: trimmedCount($0))) }
    }

    /// The length of a record without the CR that `--crlf` strips.
    private func trimmedCount(_ record: RawSpan) -> Int {
        let count = record.byteCount
        guard stripsCarriageReturn, count > 0 else { return count }
        return record.unsafeLoad(fromByteOffset: count - 1, as: UInt8.self) == UInt8(ascii: "\r") ? count - 1 : count
    }

    private static func firstIndex(of byte: UInt8, in bytes: RawSpan, from start: Int) -> Int? {
        bytes.withUnsafeBytes { pointer in
            guard start < pointer.count, let base = pointer.baseAddress else { return nil }
            guard let found = memchr(base + start, Int32(byte), pointer.count - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
