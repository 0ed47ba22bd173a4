import WSCore

/// Reads the headers and files that options such as `--header` name.
package enum HeaderFiles {
    /// The maximum size of a file, unless its option has another limit. A larger file, such as /dev/zero, is a mistake.
    static let defaultMaximumBytes = 1 << 30

    /// Parses the values of `--header`: `Name: value`, or `@FILE` with one header per line.
    package static func fields(_ headers: [String]) throws(Failure) -> [HeaderField] {
        var fields: [HeaderField] = []
        for header in headers {
            guard header.first == "@" else {
                fields.append(try field(header, from: "--header"))
                continue
            }
            let path = String(header.dropFirst())
            fields += try Self.fields(
                inLines: try text(of: path, for: "--header", mark: "@"), from: "--header @\(escapingControls(path))")
        }
        return fields
    }

    /// Parses one header per line of a text.
    /// - Parameter source: Where the text is, for error messages.
    package static func fields(inLines text: [UInt8], from source: String) throws(Failure) -> [HeaderField] {
        var fields: [HeaderField] = []
        // Only LF and CR LF end a line. If a lone CR, NEL, or similar character did, one value could become two
        // headers.
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, var line) in lines.enumerated() {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard !line.isEmpty else { continue }
            let source = "\(source), line \(index + 1)"
            guard let text = String(validating: line, as: UTF8.self) else {
                throw .badArgument(what: source, why: "it is not UTF-8 text; convert the file to UTF-8")
            }
            fields.append(try field(text, from: source))
        }
        return fields
    }

    /// Reads the file that an option names; `-` is standard input.
    /// - Parameter mark: The text before the path in the option's value, such as `@`.
    package static func contents(
        of path: String, for option: String, mark: String = "", maximumBytes: Int = HeaderFiles.defaultMaximumBytes
    ) throws(Failure) -> [UInt8] {
        do throws(IOError) {
            return try File.read(InputPlace.path(path), maximumBytes: maximumBytes)
        } catch {
            throw .badArgument(what: "\(option) \(mark)\(escapingControls(path))", why: error.fileProblem)
        }
    }

    /// Reads a text file like ``contents(of:for:mark:maximumBytes:)``, without the byte order mark that editors and shells of
    /// Windows write.
    package static func text(
        of path: String, for option: String, mark: String = "", maximumBytes: Int = HeaderFiles.defaultMaximumBytes
    ) throws(Failure) -> [UInt8] {
        let bytes = try contents(of: path, for: option, mark: mark, maximumBytes: maximumBytes)
        return Array(withoutByteOrderMark(bytes))
    }

    /// The bytes after a byte order mark.
    package static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    private static func field(_ line: String, from source: String) throws(Failure) -> HeaderField {
        do throws(HeaderFieldError) {
            return try HeaderField(parsing: line)
        } catch {
            throw .badArgument(what: source, why: "\(error)")
        }
    }
}
