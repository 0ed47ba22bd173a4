import Formats
import WSCore

/// The latencies of a thread one by one, as lines of a file: all of them, or a random part.
package final class LatencySamples {
    /// The format of the lines.
    package enum Format: Sendable {
        /// RFC 4180, with ``LatencySamples/csvHeading``.
        case csv
        /// A JSON object on each line.
        case json
    }

    /// A latency; times are in nanoseconds.
    internal struct Sample {
        /// When the message was due, relative to the beginning of the measurement.
        let time: Int64
        let latency: UInt64
        /// The part of the latency before the message was sent, or `nil` if it is unknown.
        var wait: UInt64? = 0
        /// The number of the connection, from 0.
        let connection: UInt64
        /// The name of the step, or `nil` for a message or a whole iteration.
        var step: String?
    }

    private let format: Format
    private let divisor: Int
    private let write: ([UInt8]) -> Bool
    /// Chooses the latencies with a line, which are the same in every run.
    private var random: SeededRandom
    private var lines = ByteBuffer()
    private var lineCount = 0

    /// The first line of a file in CSV.
    package static let csvHeading = "time_us,connection,latency_us,wait_us,step\n"
    /// The size above which lines are passed on, in bytes.
    private static let pieceBytes = 64 << 10

    /// Prepares the lines of a thread.
    /// - Parameters:
    ///   - divisor: One of so many latencies has a line, 1 or more.
    ///   - seed: The number of the thread.
    ///   - write: Writes whole lines later, without blocking. Returns whether it does, as opposed to leaving them out.
    package init(_ format: Format, oneOf divisor: Int, seed: Int, write: @escaping ([UInt8]) -> Bool) {
        (self.format, self.divisor, self.write) = (format, divisor, write)
        random = SeededRandom(seed: UInt64(seed))
    }

    /// Adds a line, unless the latency is not chosen. Returns the number of lines that are left out.
    internal func add(_ sample: Sample) -> Int {
        guard divisor == 1 || Int.random(in: 0..<divisor, using: &random) == 0 else { return 0 }
        switch format {
        case .csv: addCSV(sample)
        case .json: addJSON(sample)
        }
        lineCount += 1
        return lines.count > Self.pieceBytes ? flush() : 0
    }

    /// Passes on the lines so far. Returns the number of lines that are left out.
    internal func flush() -> Int {
        guard lineCount > 0 else { return 0 }
        let isWritten = write(lines.withReadableBytes { $0.withUnsafeBytes { Array($0) } })
        lines.removeAll()
        defer { lineCount = 0 }
        return isWritten ? 0 : lineCount
    }

    private func addCSV(_ sample: Sample) {
        append(microseconds: sample.time)
        lines.append(byte: UInt8(ascii: ","))
        lines.append(decimal: Int(clamping: sample.connection) + 1)
        lines.append(byte: UInt8(ascii: ","))
        append(microseconds: Int64(clamping: sample.latency))
        lines.append(byte: UInt8(ascii: ","))
        if let wait = sample.wait { append(microseconds: Int64(clamping: wait)) }
        lines.append(byte: UInt8(ascii: ","))
        if let step = sample.step { lines.append(Self.quoted(step)) }
        lines.append(byte: UInt8(ascii: "\n"))
    }

    private func addJSON(_ sample: Sample) {
        lines.append(literal: "{\"time_us\":")
        append(microseconds: sample.time)
        lines.append(literal: ",\"connection\":")
        lines.append(decimal: Int(clamping: sample.connection) + 1)
        lines.append(literal: ",\"latency_us\":")
        append(microseconds: Int64(clamping: sample.latency))
        switch sample.wait {
        case nil: lines.append(literal: ",\"wait_us\":null")
        case 0?: break
        case let wait?:
            lines.append(literal: ",\"wait_us\":")
            append(microseconds: Int64(clamping: wait))
        }
        if let step = sample.step {
            lines.append(literal: ",\"step\":")
            JSONString.append(Array(step.utf8).span.bytes, to: &lines)
        }
        lines.append(literal: "}\n")
    }

    /// Appends a time with three decimals.
    private func append(microseconds nanoseconds: Int64) {
        if nanoseconds < 0 { lines.append(byte: UInt8(ascii: "-")) }
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        lines.append(decimal: Int(whole))
        lines.append(byte: UInt8(ascii: "."))
        for divisor: UInt64 in [100, 10, 1] { lines.append(byte: UInt8(ascii: "0") + UInt8(rest / divisor % 10)) }
    }

    /// A field of RFC 4180, without controls.
    private static func quoted(_ text: String) -> String {
        let text = escapingControls(text)
        guard text.contains(where: { ",\"".contains($0) }) else { return text }
        return "\"\(text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}

extension LoadMeasurement {
    /// Adds a latency that has been recorded to the samples.
    /// - Parameters:
    ///   - wait: The part of the latency before the message was sent, or `nil` if it is unknown.
    ///   - step: The name of a step, or `nil` for a message or a whole iteration.
    @inline(never)
    internal mutating func sample(
        _ latency: UInt64, on connection: UInt64, sentAt time: UInt64, after wait: UInt64? = 0, step: String? = nil
    ) {
        guard let samples else { return }
        let time = Int64(truncatingIfNeeded: time &- countStart)
        tally.samplesOmitted += samples.add(
            LatencySamples.Sample(time: time, latency: latency, wait: wait, connection: connection, step: step))
    }

    /// Passes on the samples so far.
    internal mutating func flushSamples() {
        if let samples { tally.samplesOmitted += samples.flush() }
    }
}
