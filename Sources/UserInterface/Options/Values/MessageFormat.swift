import CommandLine
import Conversation
import Formats
import WSCore

/// The value of `--format`: a text with the names of what to write of each message in braces.
///
///     {time} {data.op} {size}
///     {data.audio | unbase64}
///     {{"op":"{data.op}"}}        doubled braces stand for braces
package struct MessageFormat: Equatable, Sendable {
    package indirect enum Part: Equatable, Sendable {
        case text([UInt8])
        case time
        case kind
        case size
        case latency
        /// The message, or the value at a path in it.
        case data(JSONPath?)
        /// Another part, changed by filters whose arguments are literals.
        case filtered(Part, [TemplateFilter])
    }

    package let parts: [Part]

    /// The names, for manuals.
    package static let manual: MarkedText = """
        `{time}` is the time in RFC 3339, `{kind}` is `text` or `binary`, `{size}` is the number of bytes received, \
        `{latency}` is the time since the request in milliseconds if the message is a reply, `{data}` is the message, \
        and `{data.user.name}` or `{data/user/name}` is a value of a JSON message, as with `--pick`. Filters change a \
        value, as in PLACEHOLDERS: `{data.audio | unbase64}` writes bytes. What is missing or `null` is empty. `{{` and `}}` are braces, and `\\n` and `\\t` a new line and a tab.
        """

    private static let names: [String: Part] = [
        "time": .time, "kind": .kind, "size": .size, "latency": .latency, "data": .data(nil),
    ]

    package static func parse(_ text: String) throws(ValueProblem) -> MessageFormat {
        var parts: [Part] = []
        var literal: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch (byte, rest.first) {
            case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "}"), UInt8(ascii: "}")):
                literal.append(byte)
                rest.removeFirst()
            case (UInt8(ascii: "\\"), UInt8(ascii: "n")), (UInt8(ascii: "\\"), UInt8(ascii: "t")):
                literal.append(rest.removeFirst() == UInt8(ascii: "n") ? 0x0A : 0x09)
            case (UInt8(ascii: "{"), _):
                guard let (pieces, end) = TemplateParser.pieces(of: rest, until: "}") else {
                    throw .notAFormat("a '}' is missing")
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = []
                parts.append(try part(String(decoding: rest[..<end], as: UTF8.self), pieces))
                rest = rest[(end + 1)...]
            case (UInt8(ascii: "}"), _): throw .notAFormat("a '}' without a '{'")
            default: literal.append(byte)
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        return MessageFormat(parts: parts)
    }

    private static func part(_ text: String, _ pieces: [String]) throws(ValueProblem) -> Part {
        // A name in a path may contain the separator.
        if pieces.count == 1 { return try part(text) }
        if let part = try? part(text) { return part }
        let value = try part(pieces[0])
        do throws(TemplateError) {
            return .filtered(value, try [TemplateFilter](parsing: pieces.dropFirst()))
        } catch {
            let intended = error.misspelling.flatMap { EditDistance.nearest(to: $0.name, among: $0.known) }
            throw .unusable(words: error.description(intendedName: intended))
        }
    }

    private static func part(_ name: String) throws(ValueProblem) -> Part {
        if let part = names[name] { return part }
        let path = name.dropFirst("data".count)
        guard name.hasPrefix("data"), let first = path.first, "./[".contains(first) else {
            throw .notAFormat(
                "unknown name '\(escapingControls(name))'; expected time, kind, size, latency, data, or a path such as "
                    + "data.user.name")
        }
        return .data(try PathValue.parse(first == "[" ? ".\(path)" : String(path)))
    }
}
