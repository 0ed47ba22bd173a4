import Formats
import LoadTest
import WSCore

/// A file with results, one or, each on a line, several.
struct BenchResultsFile {
    /// Where they stand in it, 1 or more.
    let texts: [Range<Int>]
    private let bytes: [UInt8]
    private let name: String

    /// Those of days in seconds are smaller; what is larger was not meant, such as /dev/zero.
    private static let mostBytes = 1 << 30

    /// Reads a file, or standard input for `-`; throws ``Failure/badArgument(what:why:)``.
    init(_ path: String) throws(Failure) {
        name = path == "-" ? "standard input" : escapingControls(path)
        do throws(IOError) {
            bytes = try path == "-" ? File.readStandardInput() : File.read(path, maximumBytes: Self.mostBytes)
        } catch {
            throw .badArgument(what: name, why: "\(error)")
        }
        texts = Self.texts(in: bytes)
    }

    /// The results in a file that has no others; throws ``Failure/badArgument(what:why:)``.
    static func only(in path: String, for option: String) throws(Failure) -> BenchResults {
        let bytes = try HeaderFiles.contents(of: path, for: option, maximumBytes: mostBytes)
        do throws(BenchResultsError) {
            return try BenchResults(json: bytes.span.bytes)
        } catch {
            throw .badArgument(what: "\(option) \(escapingControls(path))", why: "\(error)")
        }
    }

    /// The results at a place in ``texts``.
    func results(at index: Int) throws(BenchResultsError) -> BenchResults {
        try BenchResults(json: bytes.span.bytes.extracting(texts[index]))
    }

    /// How an error calls them.
    func name(of index: Int) -> String {
        texts.count == 1 ? name : "\(name), line \(index + 1)"
    }

    /// Where results stand: each on a line of its own, or one on any number of lines.
    private static func texts(in file: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for end in file.indices.filter({ file[$0] == UInt8(ascii: "\n") }) + [file.count] {
            if file[start..<end].contains(where: { !$0.isBlank }) { lines.append(start..<end) }
            start = end + 1
        }
        guard lines.count > 1, let first = lines.first, JSONReader.problem(in: file.span.bytes.extracting(first)) == nil
        else {
            return [0..<file.count]
        }
        return lines
    }
}
