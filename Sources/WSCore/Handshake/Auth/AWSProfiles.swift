/// The sections of a file with AWS profiles, `~/.aws/credentials` or `~/.aws/config`.
///
/// As in the AWS command line, a key ends at the first `=`, and lines that are indented deeper than their key belong to
/// its value. wsx needs none of those, and skips them. A `#` or `;` begins a comment at the start of a line or after a
/// space. Lines that are neither are ignored: the files belong to other programs.
package struct AWSProfiles: Equatable, Sendable {
    private(set) var sections: [String: [String: String]] = [:]

    /// Parses a file. Invalid UTF-8 is repaired.
    package init(parsing bytes: [UInt8]) {
        var section: String?
        var keyIndent: Int?
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let text = ASCII.trimmed(Self.withoutComment(line))
            guard let first = text.first else { continue }
            let indent = text.startIndex - line.startIndex
            if let keyIndent, indent > keyIndent { continue }
            if first == UInt8(ascii: "["), let end = text.lastIndex(of: UInt8(ascii: "]")) {
                let words = text[(text.startIndex + 1)..<end].split(whereSeparator: ASCII.isOptionalWhitespace)
                let name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
                if sections[name] == nil { sections[name] = [:] }
                section = name
                keyIndent = nil
            } else if let section, let sign = text.firstIndex(of: UInt8(ascii: "=")) {
                let key = ASCII.lowercased(String(decoding: ASCII.trimmed(text[..<sign]), as: UTF8.self))
                let value = ASCII.trimmed(text[(sign + 1)...])
                sections[section]?[key] = String(decoding: value, as: UTF8.self)
                keyIndent = indent
            }
        }
    }

    /// The entries of a section, with keys in lower case; nil: there is no such section.
    package subscript(section: String) -> [String: String]? { sections[section] }

    private static func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let comment = line.indices.first { index in
            (line[index] == UInt8(ascii: "#") || line[index] == UInt8(ascii: ";"))
                && (index == line.startIndex || ASCII.isOptionalWhitespace(line[index - 1]))
        }
        return line[..<(comment ?? line.endIndex)]
    }
}
