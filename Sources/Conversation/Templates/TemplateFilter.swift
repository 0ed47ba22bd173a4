import Formats
import WSCore

/// A step that changes the value of a placeholder: `{{VALUE | FILTER | FILTER:ARGUMENT}}`.
///
/// An argument is a value like that of a placeholder, except after `get:` and `default:`. It is a template, too, with a
/// single part or literal.
package enum TemplateFilter: Equatable, Sendable {
    case append(Template)
    case prepend(Template)
    /// The value at a location in a JSON text.
    case get(JSONPath)
    case base64
    case base64URL
    case decodedBase64
    case hex
    case decodedHex
    case digest(Digest.Algorithm)
    case hmac(Digest.Algorithm, key: Template)
    /// The number of bytes.
    case length
    /// A JSON string.
    case json
    /// Percent-encoded, except for unreserved characters.
    case url
    /// What replaces a missing value.
    case fallback([UInt8])

    /// The names, in the order of the manual.
    package static let names = [
        "append", "prepend", "get", "base64", "base64url", "unbase64", "hex", "unhex", "md5", "sha1", "sha256",
        "sha512",
        "hmac-sha1", "hmac-sha256", "hmac-sha512", "length", "json", "url", "default",
    ]

    /// The maximum size of a result in bytes. Each filter may multiply the size, up to six times.
    static let maximumBytes = 64 << 20

    /// Creates the filter with a name.
    /// - Parameters:
    ///   - argument: The text after the colon, or `nil` without one.
    ///   - operand: Parses the argument as a value.
    init(
        _ name: String, argument: String?, operand: (String) throws(TemplateError.Reason) -> Template
    ) throws(TemplateError.Reason) {
        let needsArgument = ["append", "prepend", "get", "default"].contains(name) || name.hasPrefix("hmac-")
        guard Self.names.contains(name) else { throw .unknownFilter(name) }
        guard needsArgument == (argument != nil), name == "default" || argument != "" else {
            throw .badFilter(name, needsArgument ? "it needs an argument: '\(name):…'" : "it has no argument")
        }
        let argument = argument ?? ""
        switch name {
        case "append": self = .append(try operand(argument))
        case "prepend": self = .prepend(try operand(argument))
        case "get":
            do throws(JSONQueryError) {
                self = .get(try JSONPath(TemplateParser.literal(argument) ?? argument))
            } catch {
                throw .badFilter(name, "\(error)")
            }
        case "base64": self = .base64
        case "base64url": self = .base64URL
        case "unbase64": self = .decodedBase64
        case "hex": self = .hex
        case "unhex": self = .decodedHex
        case "length": self = .length
        case "json": self = .json
        case "url": self = .url
        case "default": self = .fallback(Array((TemplateParser.literal(argument) ?? argument).utf8))
        default:
            let isKeyed = name.hasPrefix("hmac-")
            guard let algorithm = Digest.Algorithm(rawValue: isKeyed ? String(name.dropFirst(5)) : name) else {
                throw .unknownFilter(name)
            }
            self = isKeyed ? .hmac(algorithm, key: try operand(argument)) : .digest(algorithm)
        }
    }

    /// The name.
    var name: String {
        switch self {
        case .append: "append"
        case .prepend: "prepend"
        case .get: "get"
        case .base64: "base64"
        case .base64URL: "base64url"
        case .decodedBase64: "unbase64"
        case .hex: "hex"
        case .decodedHex: "unhex"
        case .digest(let algorithm): algorithm.rawValue
        case .hmac(let algorithm, _): "hmac-\(algorithm.rawValue)"
        case .length: "length"
        case .json: "json"
        case .url: "url"
        case .fallback: "default"
        }
    }

    /// The template of the argument, or `nil` if the filter has none.
    var operand: Template? {
        switch self {
        case .append(let operand), .prepend(let operand), .hmac(_, let operand): operand
        default: nil
        }
    }
}

/// A value between two filters.
package struct FilteredValue: Equatable, Sendable {
    var bytes: [UInt8]
    /// Whether the value is a digest, which is hexadecimal as text.
    var isDigest = false

    /// The bytes as they are inserted. They may be anything after filters such as `unbase64`.
    package var insertedBytes: [UInt8] { isDigest ? Array(Digest.hexadecimal(bytes).utf8) : bytes }

    /// The bytes as text.
    /// - Throws: ``TemplateValueError`` with the name of the filter, if they are not UTF-8.
    fileprivate func text(for name: String) throws(TemplateValueError) -> [UInt8] {
        let bytes = insertedBytes
        guard UTF8Validator.isValid(bytes.span.bytes) else { throw .filter(name, .notText) }
        return bytes
    }
}

extension TemplateFilter {
    /// Applies the filter.
    /// - Parameter operand: The value of the argument; empty without one.
    /// - Throws: ``TemplateValueError``.
    fileprivate func apply(
        to value: FilteredValue, _ operand: [UInt8]
    ) throws(TemplateValueError) -> FilteredValue {
        let bytes = value.bytes
        let result: [UInt8]
        switch self {
        case .append: result = bytes + operand
        case .prepend: result = operand + bytes
        case .get(let path):
            let text = try value.text(for: name)
            guard let found = path.value(of: text) else {
                throw .filter(name, JSONReader.problem(in: text.span.bytes) == nil ? .missing(path.source) : .notJSON)
            }
            result = found
        case .base64: result = Array(Base64.text(of: bytes.span.bytes).utf8)
        case .base64URL: result = Array(Base64.urlText(of: bytes.span.bytes).utf8)
        case .decodedBase64, .decodedHex: result = try decoded(value.insertedBytes)
        case .hex: result = Array(Digest.hexadecimal(bytes).utf8)
        case .digest(let algorithm): return try digest(Digest.hash(bytes, by: algorithm))
        case .hmac(let algorithm, _): return try digest(Digest.hmac(bytes, by: algorithm, key: operand))
        case .length: result = Array("\(bytes.count)".utf8)
        case .json, .url: result = escaped(try value.text(for: name))
        case .fallback: return value
        }
        guard result.count <= Self.maximumBytes else { throw .filter(name, .tooLarge) }
        return FilteredValue(bytes: result)
    }

    private func escaped(_ text: [UInt8]) -> [UInt8] {
        var result = ByteBuffer()
        if self == .json {
            JSONString.append(text.span.bytes, to: &result)
        } else {
            WebSocketURL.appendComponent(text.span.bytes, to: &result)
        }
        return result.bytes
    }

    private func decoded(_ text: [UInt8]) throws(TemplateValueError) -> [UInt8] {
        var result = ByteBuffer()
        do throws(EncodedTextError) {
            switch self {
            case .decodedHex: try HexDigits.appendDecoded(text.span.bytes, to: &result)
            default: try Base64.appendDecoded(text.span.bytes, to: &result)
            }
        } catch {
            throw .filter(name, .notEncoded(self == .decodedHex ? "hexadecimal" : "Base64"))
        }
        return result.bytes
    }

    private func digest(_ bytes: [UInt8]?) throws(TemplateValueError) -> FilteredValue {
        guard let bytes else { throw .filter(name, .noAlgorithm) }
        return FilteredValue(bytes: bytes, isDigest: true)
    }
}

extension JSONPath {
    fileprivate func value(of text: [UInt8]) -> [UInt8]? {
        var value = ByteBuffer()
        return appendValue(of: text.span.bytes, to: &value) ? value.bytes : nil
    }
}

extension Array<TemplateFilter> {
    /// Parses filters whose arguments are literals.
    /// - Parameter pieces: The texts of the filters.
    /// - Throws: ``TemplateError``.
    package init(parsing pieces: ArraySlice<String>) throws(TemplateError) {
        let parser = TemplateParser("", variables: VariableNames(), groupCount: nil, percentEncodesValues: false)
        do throws(TemplateError.Reason) {
            self = try parser.filters(pieces) { _ in nil }
        } catch {
            throw TemplateError(error, at: 0)
        }
    }

    /// Applies the filters one after another.
    /// - Parameters:
    ///   - value: The value, or why it is missing.
    ///   - operands: The values of the arguments that are values, in order; `nil`: they are constant.
    /// - Throws: ``TemplateValueError`` if a value is missing that no `default:` replaces.
    package func apply(
        to value: Result<[UInt8], TemplateValueError>, _ operands: [Result<[UInt8], TemplateValueError>]? = nil
    ) throws(TemplateValueError) -> FilteredValue {
        var operands = (operands ?? compactMap(\.operand).map { .success($0.constantText ?? []) })[...]
        var result = value.map { FilteredValue(bytes: $0) }
        for filter in self {
            let operand = filter.operand.flatMap { _ in operands.popFirst() } ?? .success([])
            if case .fallback(let text) = filter {
                if case .failure = result { result = .success(FilteredValue(bytes: text)) }
                continue
            }
            do throws(TemplateValueError) {
                result = .success(try filter.apply(to: result.get(), operand.get()))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}

extension Template {
    /// A value with filters.
    struct FilteredPart: Equatable, Sendable {
        /// The value: a template with one part or literal.
        let value: Template
        let filters: [TemplateFilter]
        /// Receives the result, if it is computed from a secret.
        var sink: SecretSink?

        /// The templates of the value and of the arguments.
        var operands: [Template] { [value] + filters.compactMap(\.operand) }

        /// Whether the result may be missing although all values exist.
        var mayFail: Bool {
            filters.reduce(false) { mayFail, filter in
                switch filter {
                case .get, .decodedBase64, .decodedHex: true
                case .fallback: false
                default: mayFail
                }
            }
        }

        /// Whether the result is already percent-encoded.
        var isEncoded: Bool { filters.last == .url }

        /// Returns the text to insert.
        /// - Parameter operands: The values of ``operands``.
        func text(_ operands: [Result<[UInt8], TemplateValueError>]) throws(TemplateValueError) -> [UInt8] {
            // `json` and `url` only escape a value, and a mask is found despite escapes.
            let escapes = filters.reversed().prefix { $0 == .json || $0 == .url }.count
            let (value, operands) = (operands[0], Array(operands.dropFirst()))
            let result = try filters.apply(to: value, operands)
            if let sink {
                let secret = escapes == 0 ? result : try? Array(filters.dropLast(escapes)).apply(to: value, operands)
                if let secret { sink.add(secret.insertedBytes) }
            }
            return try result.text(for: filters.last?.name ?? "")
        }
    }
}
