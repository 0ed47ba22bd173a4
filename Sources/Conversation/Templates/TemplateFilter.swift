import Formats
import WSCore

/// A step that changes the value of a placeholder: `{{VALUE | FILTER | FILTER:ARGUMENT}}`.
///
/// An argument is a value like that of a placeholder, or a value with filters in parentheses, except after `get:` and
/// `default:`. It is a template, too, with a single part or literal.
package struct TemplateFilter: Equatable, Sendable {
    /// The names, in the order of the manual.
    enum Name: String, CaseIterable, Sendable {
        case append, prepend, get, base64, base64url, unbase64, hex, unhex, md5, sha1, sha256, sha512
        case hmacSHA1 = "hmac-sha1"
        case hmacSHA256 = "hmac-sha256"
        case hmacSHA512 = "hmac-sha512"
        case length, json, url
        case fallback = "default"
    }

    /// What follows the colon.
    enum Argument: Equatable, Sendable {
        case none
        case value(Template)
        case path(JSONPath)
        case text([UInt8])
    }

    let name: Name
    let argument: Argument

    /// The names as typed.
    package static let names = Name.allCases.map(\.rawValue)

    /// The maximum size of a result in bytes. Each filter may multiply the size, up to six times.
    static let maximumBytes = 64 << 20

    /// Creates the filter with a name.
    /// - Parameters:
    ///   - argument: The text after the colon, or `nil` without one.
    ///   - operand: Parses the argument as a value.
    init(
        _ typed: String, argument: String?, operand: (String) throws(TemplateError.Reason) -> Template
    ) throws(TemplateError.Reason) {
        guard let name = Name(rawValue: typed) else { throw .unknownFilter(typed) }
        self.name = name
        let text = argument.map { TemplateParser.literal($0) ?? $0 } ?? ""
        switch name {
        case .append, .prepend, .get, .hmacSHA1, .hmacSHA256, .hmacSHA512, .fallback:
            guard let argument, name == .fallback || argument != "" else {
                throw .badFilter(typed, "it needs an argument: '\(typed):…'")
            }
            switch name {
            case .fallback: self.argument = .text(Array(text.utf8))
            case .get: self.argument = .path(try Self.path(text))
            default: self.argument = .value(try operand(argument))
            }
        default:
            guard argument == nil else { throw .badFilter(typed, "it has no argument") }
            self.argument = .none
        }
    }

    private static func path(_ text: String) throws(TemplateError.Reason) -> JSONPath {
        do throws(JSONQueryError) {
            return try JSONPath(text)
        } catch {
            throw .badFilter("get", "\(error)")
        }
    }

    /// The template of the argument, or `nil` if the argument is no value.
    var operand: Template? { if case .value(let operand) = argument { operand } else { nil } }
}

/// A value between two filters.
package struct FilteredValue: Equatable, Sendable {
    package var bytes: [UInt8]
    /// Whether the value is a digest, which is hexadecimal as text.
    var isDigest = false

    /// The bytes as they are inserted. They may be anything after filters such as `unbase64`.
    package var insertedBytes: [UInt8] { isDigest ? Array(Digest.hexadecimal(bytes).utf8) : bytes }

    /// The bytes as text.
    /// - Throws: ``TemplateValueError`` with the name of the filter, if they are not UTF-8.
    func text(for name: TemplateFilter.Name?) throws(TemplateValueError) -> [UInt8] {
        let bytes = insertedBytes
        guard UTF8Validator.isValid(bytes.span.bytes) else { throw .filter(name?.rawValue ?? "", .notText) }
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
        switch name {
        case .append: result = bytes + operand
        case .prepend: result = operand + bytes
        case .get: result = try found(in: value.text(for: name))
        case .base64: result = Array(Base64.text(of: bytes.span.bytes).utf8)
        case .base64url: result = Array(Base64.urlText(of: bytes.span.bytes).utf8)
        case .unbase64, .unhex: result = try decoded(value.insertedBytes)
        case .hex: result = Array(Digest.hexadecimal(bytes).utf8)
        case .md5, .sha1, .sha256, .sha512, .hmacSHA1, .hmacSHA256, .hmacSHA512:
            guard let digest = digest(of: bytes, operand) else { throw .filter(name.rawValue, .noAlgorithm) }
            return FilteredValue(bytes: digest, isDigest: true)
        case .length: result = Array("\(bytes.count)".utf8)
        case .json, .url: result = escaped(try value.text(for: name))
        case .fallback: return value
        }
        guard result.count <= Self.maximumBytes else { throw .filter(name.rawValue, .tooLarge) }
        return FilteredValue(bytes: result)
    }

    private func digest(of bytes: [UInt8], _ key: [UInt8]) -> [UInt8]? {
        if let algorithm = Digest.Algorithm(rawValue: name.rawValue) { return Digest.hash(bytes, by: algorithm) }
        return Digest.Algorithm(rawValue: String(name.rawValue.dropFirst("hmac-".count))).flatMap {
            Digest.hmac(bytes, by: $0, key: key)
        }
    }

    private func found(in text: [UInt8]) throws(TemplateValueError) -> [UInt8] {
        guard case .path(let path) = argument else { return text }
        if let found = path.value(of: text) { return found }
        let isJSON = JSONReader.problem(in: text.span.bytes) == nil
        throw .filter(name.rawValue, isJSON ? .missing(path.source) : .notJSON)
    }

    private func escaped(_ text: [UInt8]) -> [UInt8] {
        var result = ByteBuffer()
        if name == .json {
            JSONString.append(text.span.bytes, to: &result)
        } else {
            WebSocketURL.appendComponent(text.span.bytes, to: &result)
        }
        return result.bytes
    }

    private func decoded(_ text: [UInt8]) throws(TemplateValueError) -> [UInt8] {
        var result = ByteBuffer()
        do throws(EncodedTextError) {
            if name == .unhex {
                try HexDigits.appendDecoded(text.span.bytes, to: &result)
            } else {
                try Base64.appendDecoded(text.span.bytes, to: &result)
            }
        } catch {
            throw .filter(name.rawValue, .notEncoded(name == .unhex ? "hexadecimal" : "Base64"))
        }
        return result.bytes
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
            for filter in self where filter.operand.map({ $0.constantText == nil }) ?? false { throw .literalNeeded }
        } catch .notInEnvironment, .noPrograms {
            throw TemplateError(.literalNeeded, at: 0)
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
            if case .text(let text) = filter.argument {
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
            let outcome = outcome
            return outcome.mayFail || outcome.form == .bytes
        }

        private enum Form: Equatable {
            case text
            /// Text at the end, and bytes for most filters.
            case digest
            case bytes
        }

        /// What the filters make of values that exist, before it has to be text.
        private var outcome: (mayFail: Bool, form: Form) {
            var (mayFail, form) = (false, Form.text)
            for filter in filters {
                let operand = filter.operand.map(Self.outcome)
                if operand?.mayFail ?? false { mayFail = true }
                switch filter.name {
                case .append, .prepend: form = form == .text && operand?.form ?? .text == .text ? .text : .bytes
                case .get: (mayFail, form) = (true, .text)
                case .unbase64, .unhex: (mayFail, form) = (true, .bytes)
                case .md5, .sha1, .sha256, .sha512, .hmacSHA1, .hmacSHA256, .hmacSHA512: form = .digest
                case .base64, .base64url, .hex, .length: form = .text
                case .json, .url:
                    if form == .bytes { mayFail = true }
                    form = .text
                // The text may also take the place of bytes that are none.
                case .fallback: mayFail = false
                }
            }
            return (mayFail, form)
        }

        /// The same for an argument, whose bytes may be anything if it is constant.
        private static func outcome(of operand: Template) -> (mayFail: Bool, form: Form) {
            if let part = operand.onlyFilteredPart { return part.outcome }
            let isText = operand.constantText.map { UTF8Validator.isValid($0.span.bytes) } ?? true
            return (false, isText ? .text : .bytes)
        }

        /// Whether the result is already percent-encoded.
        var isEncoded: Bool { filters.last?.name == .url }

        /// Returns the text to insert.
        /// - Parameters:
        ///   - operands: The values of ``operands``.
        ///   - allowsBytes: Whether it need not be text.
        func text(
            _ operands: [Result<[UInt8], TemplateValueError>], allowsBytes: Bool
        ) throws(TemplateValueError) -> [UInt8] {
            let result = try result(operands)
            return allowsBytes ? result.insertedBytes : try result.text(for: filters.last?.name)
        }

        /// Returns the bytes for another filter, or to insert.
        func result(_ operands: [Result<[UInt8], TemplateValueError>]) throws(TemplateValueError) -> FilteredValue {
            // `json` and `url` only escape a value, and a mask is found despite escapes.
            let escapes = filters.reversed().prefix { $0.name == .json || $0.name == .url }.count
            let (value, operands) = (operands[0], Array(operands.dropFirst()))
            let result = try filters.apply(to: value, operands)
            if let sink {
                let secret = escapes == 0 ? result : try? Array(filters.dropLast(escapes)).apply(to: value, operands)
                if let secret { sink.add(secret.insertedBytes) }
            }
            return result
        }
    }
}
