import WSCore

/// Reads what `--header` and options like it name.
enum HeaderFiles {
    /// The fields of `--header` options, each `Name: value` or `@FILE` with one a line.
    static func fields(_ headers: [String]) throws(Failure) -> [HeaderField] {
        var fields: [HeaderField] = []
        for header in headers {
            guard header.first == "@" else {
                fields.append(try field(header, from: "--header"))
                continue
            }
            let path = String(header.dropFirst())
            // A line ends with LF or CR LF and with nothing else: a CR alone, a NEL or the like would otherwise let one
            // value become two fields.
            let lines = try contents(of: path, for: "--header").split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, var line) in lines.enumerated() {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                guard !line.isEmpty else { continue }
                let source = "--header \(escapingControls(path)), line \(index + 1)"
                guard let text = String(validating: line, as: UTF8.self) else {
                    throw .badArgument(what: source, why: "it is not UTF-8 text")
                }
                fields.append(try field(text, from: source))
            }
        }
        return fields
    }

    /// The contents of a file that an option names.
    static func contents(
        of path: String, for option: String, maximumBytes: Int = .max
    ) throws(Failure) -> [UInt8] {
        do throws(IOError) {
            return try File.read(path, maximumBytes: maximumBytes)
        } catch {
            throw .badArgument(what: "\(option) \(escapingControls(path))", why: "\(error)")
        }
    }

    private static func field(_ line: String, from source: String) throws(Failure) -> HeaderField {
        do throws(HeaderFieldError) {
            return try HeaderField(parsing: line)
        } catch {
            throw .badArgument(what: source, why: "\(error)")
        }
    }
}
