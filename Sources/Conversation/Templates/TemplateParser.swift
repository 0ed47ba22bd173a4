import Formats
import WSCore

/// Parses the text of a ``Template``.
struct TemplateParser {
    private let bytes: [UInt8]
    private let variables: VariableNames
    /// The number of groups of a regular expression, or `nil` if dollar signs have no meaning.
    private let groupCount: Int?
    private let percentEncodesValues: Bool
    /// The offset of the next byte.
    private var offset = 0
    /// The start of the unfinished literal.
    private var literalStart = 0

    private(set) var literals: [UInt8] = []
    private(set) var paths: [JSONPath] = []
    private(set) var parts: [Template.Part] = []
    private(set) var insertsSecret = false

    init(_ text: String, variables: VariableNames, groupCount: Int?, percentEncodesValues: Bool) {
        bytes = Array(text.utf8)
        self.variables = variables
        self.groupCount = groupCount
        self.percentEncodesValues = percentEncodesValues
    }

    mutating func parse(environment: (String) -> String?) throws(TemplateError) {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "{") where isNext("{{{{"):
                literals += "{{".utf8
                offset += 4
            case UInt8(ascii: "{") where isNext("{{"): try placeholder(environment)
            case UInt8(ascii: "$") where groupCount != nil: try dollarSign()
            case let byte:
                literals.append(byte)
                offset += 1
            }
        }
        endLiteral()
    }

    private func isNext(_ text: StaticString, at offset: Int? = nil) -> Bool {
        let offset = offset ?? self.offset
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    private mutating func endLiteral() {
        if literals.count > literalStart { parts.append(.literal(start: literalStart, end: literals.count)) }
        literalStart = literals.count
    }

    private mutating func append(_ part: Template.Part) {
        endLiteral()
        parts.append(part)
    }

    // MARK: Placeholders

    private mutating func placeholder(_ environment: (String) -> String?) throws(TemplateError) {
        let start = offset
        var end = start + 2
        while !isNext("}}", at: end) {
            guard end < bytes.count else { throw TemplateError(.notClosed, at: start) }
            end += 1
        }
        let text = String(decoding: bytes[start + 2..<end].trimmingBlanks(), as: UTF8.self)
        do throws(TemplateError.Reason) {
            if text.hasPrefix("json:") {
                let inner = String(decoding: text.utf8.dropFirst(5).trimmingBlanks(), as: UTF8.self)
                try value(inner, as: .json, environment)
            } else {
                try value(text, as: .text, environment)
            }
        } catch {
            throw TemplateError(error, at: start)
        }
        offset = end + 2
    }

    /// Adds the part for a placeholder without its braces and `json:`.
    private mutating func value(
        _ text: String, as form: Template.Form, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) {
        let words = text.split(separator: " ")
        switch words.first {
        case "seq" where words.count == 1: append(.sequence, quotedFor: form)
        case "connection" where words.count == 1: append(.connection, quotedFor: form)
        case "time" where words.count == 1: append(.time, quotedFor: form)
        case "random":
            guard words.count == 2, let count = Int(words[1]), 1...Template.maximumRandomBytes ~= count else {
                throw .badLength
            }
            append(.random(count), quotedFor: form)
        default:
            if let slot = variables.slot(of: text) {
                if variables.secretColumns.contains(slot) { insertsSecret = true }
                append(.variable(slot: slot, form))
            } else if text == "iso" {
                append(.iso, quotedFor: form)
            } else if text == "uuid" {
                append(.uuid, quotedFor: form)
            } else if text.hasPrefix("env:"), text != "env:" {
                try insertEnvironment(String(text.dropFirst(4)), as: form, environment)
            } else if text.hasPrefix("last:") {
                try addPath(String(text.dropFirst(5)), as: form)
            } else if let number = try group(text) {
                append(.group(number, form))
            } else {
                throw .unknownName(
                    text, variables: variables.names, includesLastMessage: variables.includesLastMessage)
            }
        }
    }

    /// Adds a part that is text without characters to escape.
    private mutating func append(_ part: Template.Part, quotedFor form: Template.Form) {
        if form == .json { literals.append(UInt8(ascii: "\"")) }
        append(part)
        if form == .json { literals.append(UInt8(ascii: "\"")) }
    }

    private mutating func insertEnvironment(
        _ name: String, as form: Template.Form, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) {
        guard let value = environment(name) else { throw .notInEnvironment(name) }
        insertsSecret = true
        var text = ByteBuffer()
        if form == .json { JSONString.append(Array(value.utf8).span.bytes, to: &text) } else { text.append(value) }
        var encoded = ByteBuffer()
        if percentEncodesValues { text.withReadableBytes { WebSocketURL.appendComponent($0, to: &encoded) } }
        let inserted = percentEncodesValues ? encoded.takeAll() : text.takeAll()
        inserted.withReadableBytes { span in span.withUnsafeBytes { literals += $0 } }
    }

    private mutating func addPath(_ text: String, as form: Template.Form) throws(TemplateError.Reason) {
        guard variables.includesLastMessage else { throw .noLastMessage }
        do throws(JSONQueryError) {
            // RFC 6901 §5: the empty pointer is the whole text.
            paths.append(try JSONPath(text.isEmpty ? "." : text))
        } catch {
            throw .badPath(error)
        }
        append(.last(path: paths.count - 1, form))
    }

    // MARK: Groups

    /// Handles `$1`, and `$$` for a dollar sign. Any other dollar sign is literal.
    private mutating func dollarSign() throws(TemplateError) {
        let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
        if let digit = Self.digit(next) {
            do throws(TemplateError.Reason) {
                append(.group(try checkedGroup(digit), .text))
            } catch {
                throw TemplateError(error, at: offset)
            }
            offset += 2
        } else {
            literals.append(UInt8(ascii: "$"))
            offset += next == UInt8(ascii: "$") ? 2 : 1
        }
    }

    /// The number of a group as a placeholder, such as `$1`, or `nil` for another name.
    private func group(_ name: String) throws(TemplateError.Reason) -> Int? {
        let bytes = Array(name.utf8)
        guard groupCount != nil, bytes.count == 2, bytes[0] == UInt8(ascii: "$"), let digit = Self.digit(bytes[1])
        else { return nil }
        return try checkedGroup(digit)
    }

    private func checkedGroup(_ number: Int) throws(TemplateError.Reason) -> Int {
        let groupCount = groupCount ?? 0
        guard number <= groupCount else { throw .noGroup(number, groupCount: groupCount) }
        return number
    }

    private static func digit(_ byte: UInt8) -> Int? {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int(byte - UInt8(ascii: "0")) : nil
    }
}

/// Why a text is not a ``Template``.
package struct TemplateError: Error, Equatable {
    /// A mistake.
    package enum Reason: Error, Equatable {
        /// `{{` without `}}`.
        case notClosed
        /// A name that is neither a placeholder nor one of the variables.
        case unknownName(String, variables: [String], includesLastMessage: Bool = true)
        /// `last`, in a text that follows no message.
        case noLastMessage
        /// `random` without a number in the allowed range.
        case badLength
        /// An environment variable that is not set.
        case notInEnvironment(String)
        /// `last:` with an invalid path.
        case badPath(JSONQueryError)
        /// A reference to a group that the regular expression does not have.
        case noGroup(Int, groupCount: Int)
    }

    /// The mistake.
    package let reason: Reason
    /// The offset of the placeholder in the text, in bytes of UTF-8.
    package let byteOffset: Int

    init(_ reason: Reason, at byteOffset: Int) {
        self.reason = reason
        self.byteOffset = byteOffset
    }

    /// The unknown name and all names that would be valid, to find the intended one, or `nil` for another mistake.
    package var unknownName: (name: String, known: [String])? {
        guard case .unknownName(let name, let variables, let includesLastMessage) = reason else { return nil }
        // The beginning of a placeholder with an argument may be in another case: `{{ENV:HOME}}`.
        let prefix = VariableNames.prefixes.first { name.lowercased().hasPrefix($0) && !name.hasPrefix($0) }
        let completed = prefix.map { $0 + String(name.dropFirst($0.count)) } ?? ""
        let isPossible = prefix != nil && (includesLastMessage || prefix != "last:")
        return (
            name,
            VariableNames.placeholders + VariableNames.replaceablePlaceholders + (isPossible ? [completed] : [])
                + variables
        )
    }

    /// The mistake and its remedy, to follow a colon.
    /// - Parameters:
    ///   - intendedName: The name that an unknown one probably stands for, or `nil` to list all names.
    ///   - isInMessage: Whether the list contains the number of the message.
    ///   - mayBeColumn: Whether the name may be a column of a data file that is not given.
    package func description(intendedName: String?, isInMessage: Bool = true, mayBeColumn: Bool = false) -> String {
        switch reason {
        case .notClosed: return "'{{' begins a placeholder, but '}}' is missing; write '{{{{' for two literal braces"
        case .unknownName(let name, let variables, let includesLastMessage):
            let problem = "unknown placeholder '{{\(Self.shown(name))}}'; "
            if let intendedName {
                let argument = intendedName == "random" ? " N" : ""
                return problem + "did you mean '{{\(Self.shown(intendedName))\(argument)}}'?"
            }
            let names =
                (isInMessage ? ["seq"] : []) + ["connection", "time", "iso", "uuid", "random N", "env:NAME"]
                + (includesLastMessage ? ["last:/pointer"] : [])
                + variables.prefix(Self.listedCount).map { Self.shown($0) }
            let isCut = variables.count > Self.listedCount
            return problem + "expected " + names.map { "{{\($0)}}, " }.joined() + (isCut ? "…, " : "")
                + (mayBeColumn ? "a column of --data FILE, " : "") + "or '{{{{' for two literal braces"
        case .noLastMessage:
            return "{{last:…}} needs a received message, which exists only in --answer and scenarios"
        case .badLength: return "expected {{random N}} with an N from 1 to \(Template.maximumRandomBytes)"
        case .notInEnvironment(let name): return "the environment variable '\(Self.shown(name))' is not set"
        case .badPath(let error): return "{{last:…}} needs a path in the message: \(error)"
        case .noGroup(let number, let groupCount):
            return "there is no group $\(number): the regular expression has \(Phrase.count(groupCount, "group")); "
                + "write '$$' for a dollar sign"
        }
    }

    /// The maximum number of variables that an error lists.
    private static let listedCount = 8
    /// The maximum length of a shown name, in characters.
    private static let longestName = 40

    private static func shown(_ name: String) -> String { escapingControls(name, longest: longestName) }
}

extension TemplateError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String { description(intendedName: nil) }
}
