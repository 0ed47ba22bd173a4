import Formats
import UserInterface
import WSCore

/// A recording or a HAR file, which is read more than once.
package struct SessionInput {
    /// The formats of sessions.
    package enum Format {
        case har
        case recording
        /// Only as output.
        case page

        /// The format of a file to write, by the extension of its path, or `nil` if it names none.
        package init?(ofOutput path: String) {
            let name = path.split(separator: "/").last ?? ""
            switch name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last?.lowercased() {
            case "har": self = .har
            case "jsonl", "ndjson": self = .recording
            case "html", "htm": self = .page
            default: return nil
            }
        }
    }

    /// The path for errors, escaped.
    package let name: String
    /// The blocks of the file.
    package let source: JSONStream.Source

    private static let blockBytes = 64 << 10

    /// Opens a file. `-` is standard input. A pipe is copied to a file without a name.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ path: String, temporaryDirectory: String) throws(Failure) {
        name = path == "-" ? "standard input" : escapingControls(path)
        let file: SeekableFile
        do throws(IOError) {
            file = try SeekableFile(reading: InputPlace.path(path), copyingTo: temporaryDirectory) { beginning in
                // Anything else than an object is found now, and not after an endless copy.
                let first = beginning.withUnsafeBytes { $0.first { !$0.isBlank && $0 != UInt8(ascii: "\n") } }
                return first == UInt8(ascii: "{") || first == 0xEF
            }
        } catch {
            throw .badArgument(what: name, why: error == .invalidArgument ? Self.unknownFormat : error.fileProblem)
        }
        source = Self.source(file)
    }

    /// Reads a file without a name.
    /// - Parameter name: The file that it was made from, for errors.
    package init(_ file: SeekableFile, named name: String) {
        source = Self.source(file)
        self.name = name
    }

    /// Reads the contents of a file.
    /// - Parameter name: The option and the path, for errors.
    init(contents: [UInt8], named name: String) {
        source = { offset, block in block = Array(contents[min(offset, contents.count)...].prefix(Self.blockBytes)) }
        self.name = name
    }

    private static let unknownFormat = "it is neither a HAR file nor a recording"

    private static func source(_ file: SeekableFile) -> JSONStream.Source {
        { (offset, block) throws(IOError) in try file.read(at: offset, blockBytes, into: &block) }
    }

    /// Checks the number of a chosen connection, from 1. Returns `nil` without a choice.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func chosen(_ number: Int?, of count: Int) throws(Failure) -> Int? {
        if let number, number > count {
            throw .badArgument(
                what: "--connection \(number)",
                why: "\(name) has only \(Phrase.count(count, "WebSocket connection")); wsx convert --list shows them")
        }
        return number
    }

    /// Recognizes the format by the first object of the file.
    package func format() throws(Failure) -> Format {
        var stream = JSONStream(source: source)
        do throws(JSONStreamError) {
            if try stream.enter(.object) {
                while let name = try stream.nextMember() {
                    if name == "log" { return .har }
                    if name == "type" { return .recording }
                    try stream.skip()
                }
            }
        } catch {
            throw failure(stream.offset == 0 ? "it is empty" : "\(error)")
        }
        throw failure(Self.unknownFormat)
    }

    /// Passes each line of a range of the file to `body`, without its line end, until it returns false.
    /// - Parameter range: Begins with a line. A range beyond the file's end ends there.
    func forEachLine(in range: Range<Int>, _ body: (RawSpan) -> Bool) throws(Failure) {
        var splitter = RecordSplitter(.json)
        var block: [UInt8] = []
        var offset = range.lowerBound
        var isWanted = true
        while offset < range.upperBound {
            do throws(IOError) {
                try source(offset, &block)
            } catch {
                throw failure("\(error)")
            }
            guard !block.isEmpty else { break }
            let piece = block.span.bytes.extracting(first: min(block.count, range.upperBound - offset))
            offset += piece.byteCount
            _ = splitter.split(piece) { line in
                isWanted = body(line)
                return isWanted
            }
            guard isWanted else { return }
        }
        splitter.finish { _ = body($0) }
    }

    /// An error of the file.
    package func failure(_ why: String) -> Failure { .badArgument(what: name, why: why) }

    /// An error of a line, by its number from 1.
    func failure(inLine number: Int, _ problem: InputProblem) -> Failure {
        .badArgument(what: "\(name), line \(number)", why: "\(problem)")
    }
}
