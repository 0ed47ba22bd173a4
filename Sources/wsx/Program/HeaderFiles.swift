import WSCore

/// Reads what `--header` and options like it name.
enum HeaderFiles {
    /// The fields of `--header` options, each `Name: value` or `@FILE` with one a line.
    static func fields(_ headers: [String]) throws(Failure) -> [HeaderField] {
        var fields: [HeaderField] = []
        for header in headers {
            guard header.first == "@" else {
                fields.append(try field(header, from: "--header '\(escapingControls(header))'"))
                continue
            }
            let path = String(header.dropFirst())
            let bytes = try contents(of: path, for: "--header")
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .badArgument(what: "--header \(escapingControls(path))", why: "it is not UTF-8 text")
            }
            // A line ends with LF or CR LF; Swift takes the latter for one character.
            for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            where !line.isEmpty {
                fields.append(try field(String(line), from: "--header \(escapingControls(path)), line \(index + 1)"))
            }
        }
        return fields
    }

    /// The contents of a file that an option names.
    static func contents(of path: String, for option: String) throws(Failure) -> [UInt8] {
        do throws(IOError) {
            return try File.read(path)
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
