import Formats
import LoadTest
import UserInterface
import WSCore

/// A file with results: one, or several with one per line. The lines of single seconds, which `--output jsonl` writes
/// before the results, are skipped.
struct BenchResultsFile {
    /// The range of each result in the file; at least one.
    let texts: [Range<Int>]
    private let bytes: [UInt8]
    private let name: String

    /// The maximum file size. Results of several days with per-second data are smaller; a larger file, such as
    /// /dev/zero, is a mistake.
    private static let mostBytes = 1 << 30

    /// The beginning of a line about a single second.
    private static let secondStart = Array(#"{"type":"second","#.utf8)

    /// Why a file could not be read.
    struct ReadingError: Error {
        /// The name of the file in error messages.
        let name: String
        let error: IOError

        var failure: Failure { .badArgument(what: name, why: error.fileProblem) }
    }

    /// The beginning of a result.
    private static let resultStart = Array(#"{"result":"#.utf8)

    /// Reads a file, or standard input for `-`.
    init(_ path: String) throws(ReadingError) {
        name = path == "-" ? "standard input" : escapingControls(path)
        do throws(IOError) {
            let file = try path == "-" ? File.readStandardInput() : File.read(path, maximumBytes: Self.mostBytes)
            bytes = Array(HeaderFiles.withoutByteOrderMark(file))
        } catch {
            throw ReadingError(name: name, error: error)
        }
        texts = Self.texts(in: bytes)
    }

    /// Reads a file with a single result.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func only(in path: String, for option: String) throws(Failure) -> BenchResults {
        let bytes = try HeaderFiles.text(of: path, for: option, maximumBytes: mostBytes)
        let texts = texts(in: bytes)
        do throws(BenchResultsError) {
            return try BenchResults(json: bytes.span.bytes.extracting(texts.count == 1 ? texts[0] : 0..<bytes.count))
        } catch {
            throw .badArgument(what: "\(option) \(escapingControls(path))", why: "\(error)")
        }
    }

    /// The bytes of the result at an index of ``texts``.
    func text(at index: Int) -> ArraySlice<UInt8> { bytes[texts[index]] }

    /// Parses the result at an index of ``texts``.
    func results(at index: Int) throws(BenchResultsError) -> BenchResults {
        try BenchResults(json: bytes.span.bytes.extracting(texts[index]))
    }

    /// What remains of an incomplete result, or `nil` if it never was one.
    func loss(at index: Int) -> String? {
        let text = bytes[texts[index]]
        if text.allSatisfy(\.isBlank) { return "empty" }
        if text.starts(with: Self.secondStart) { return "only the first seconds" }
        return text.starts(with: Self.resultStart) ? "cut off" : nil
    }

    /// The name of a result in error messages.
    func name(of index: Int) -> String {
        texts.count == 1 ? name : "\(name), line \(index + 1)"
    }

    /// The ranges of the results: one per line if any line is complete JSON, and otherwise the whole file. Without
    /// results, the last line of a single second.
    private static func texts(in file: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var (start, lastSecond) = (0, nil as Range<Int>?)
        for end in file.indices.filter({ file[$0] == UInt8(ascii: "\n") }) + [file.count] {
            if file[start..<end].starts(with: secondStart) {
                lastSecond = start..<end
            } else if file[start..<end].contains(where: { !$0.isBlank }) {
                lines.append(start..<end)
            }
            start = end + 1
        }
        if lines.count == 1 { return lines }
        if lines.isEmpty, let lastSecond { return [lastSecond] }
        let isComplete = lines.contains { line in
            file[line].first == UInt8(ascii: "{") && JSONReader.problem(in: file.span.bytes.extracting(line)) == nil
        }
        return isComplete ? lines : [0..<file.count]
    }
}
