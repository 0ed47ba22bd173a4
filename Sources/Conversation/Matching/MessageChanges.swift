import Formats
import WSCore

/// Finds what changed in JSON messages since the previous message of the same kind.
///
/// The kind is the values at paths, such as `/type`. By default, it is the values of the members that usually name the
/// kind of an event. Objects and arrays count as missing values.
package struct MessageChanges {
    /// The result of comparing a message with the previous one of its kind.
    package enum Finding: Equatable, Sendable {
        /// It is the first message of its kind, not JSON, or too big.
        case whole
        /// The changes on one line: `ticker BTC: .price 101.5 → 101.7  -.old`.
        case changes(String)
    }

    /// The names of the members that make up the kind by default.
    package static let usualNames = ["type", "event", "op", "method", "channel", "topic", "stream", "symbol"]
    /// The maximum number of kinds to remember.
    package static let maximumKinds = 1000
    /// The maximum size of all remembered messages, and of their kinds, in bytes.
    package static let maximumBytes = 16 << 20
    /// The maximum size of a message to compare in bytes.
    package static let maximumMessageBytes = 256 << 10
    /// The locations of the values that make up the kind; empty: the members with the usual names.
    private let paths: [JSONPath]
    private let limitBytes: Int
    /// The previous message of each kind. The keys are bytes, because strings with equivalent characters, such as "é" and
    /// "e" with an accent, are equal.
    private var messages: [[UInt8]: [UInt8]] = [:]
    /// The kinds in the order of their first messages, from ``firstKind`` on.
    private var kinds: [[UInt8]] = []
    private var firstKind = 0
    private var byteCount = 0

    /// Creates an empty memory.
    /// - Parameters:
    ///   - paths: The locations of the values that make up the kind. If empty, the members with ``usualNames``.
    ///   - limitBytes: The maximum size of all remembered messages.
    package init(kinds paths: [JSONPath] = [], limitBytes: Int = maximumBytes) {
        self.paths = paths
        self.limitBytes = limitBytes
    }

    /// Compares a message with the previous one of its kind, and remembers it.
    /// - Parameters:
    ///   - payload: The message.
    ///   - source: The source of the message, such as a client. Messages of different sources are not compared.
    ///   - name: The default kind of the message, or `nil` to find it in the message. Given locations take precedence.
    package mutating func receive(_ payload: RawSpan, from source: Int? = nil, kind name: String? = nil) -> Finding {
        guard payload.byteCount <= Self.maximumMessageBytes, UTF8Validator.isValid(payload),
            JSONReader.problem(in: payload) == nil
        else { return .whole }
        let kind: ComparedKind
        if !paths.isEmpty {
            kind = ComparedKind(paths.map { $0.value(in: payload) }, of: payload, missing: "-")
        } else {
            kind = name.map { ComparedKind(name: $0) } ?? Self.usualKind(of: payload)
        }
        let key = Array((source.map { "\($0)\n\(kind.key)" } ?? kind.key).utf8)
        let previous = messages[key]
        remember(payload, as: key)
        guard let previous else { return .whole }
        do throws(JSONError) {
            let found = try JSONChanges(from: previous.span.bytes, to: payload)
            return .changes(Self.line(found, of: kind.label))
        } catch {
            return .whole
        }
    }

    private static func line(_ found: JSONChanges, of label: String) -> String {
        let label = label.isEmpty ? "" : "\(label): "
        if found.changes.isEmpty { return label + "no changes" }
        let rest = found.omittedCount > 0 ? "  … \(found.omittedCount) more" : ""
        return label + found.changes.map(\.description).joined(separator: "  ") + rest
    }

    private mutating func remember(_ payload: RawSpan, as key: [UInt8]) {
        if let old = messages[key] {
            byteCount -= old.count
        } else {
            kinds.append(key)
            byteCount += key.count
        }
        messages[key] = payload.withUnsafeBytes { Array($0) }
        byteCount += payload.byteCount
        while messages.count > Self.maximumKinds || byteCount > limitBytes { forgetOldestKind() }
    }

    private mutating func forgetOldestKind() {
        let key = kinds[firstKind]
        byteCount -= key.count + (messages.removeValue(forKey: key)?.count ?? 0)
        firstKind += 1
        // Forgotten kinds are removed in batches, because that moves all others.
        guard firstKind > kinds.count / 2 else { return }
        kinds.removeFirst(firstKind)
        firstKind = 0
    }

    /// The kind of a message by the members with the usual names, as far as they exist.
    private static func usualKind(of payload: RawSpan) -> ComparedKind {
        let members: [(name: JSONToken, value: JSONToken)]
        do throws(JSONError) {
            members = try JSONReader.members(of: payload) ?? []
        } catch {
            members = []
        }
        var values = [JSONToken?](repeating: nil, count: usualNames.count)
        for (key, value) in members {
            let literal = payload.extracting(key.range)
            guard let index = usualNames.firstIndex(where: { JSONString.isEqual(literal, to: $0.utf8Span.span.bytes) })
            else { continue }
            values[index] = value
        }
        return ComparedKind(values, of: payload)
    }
}

/// The kind of a message.
private struct ComparedKind {
    /// The values as JSON, one per line, with an empty line for a missing one.
    private(set) var key = ""
    /// The values in short and printable form, separated by spaces.
    let label: String

    /// The maximum length of a value in ``label``, in characters.
    private static let maximumValueCount = 40

    /// The kind with a name.
    init(name: String) {
        key = name
        label = name
    }

    /// The kind with values of a message.
    /// - Parameter missing: Stands for a missing value in ``label``, or `nil` to omit it.
    init(_ values: [JSONToken?], of payload: RawSpan, missing: String? = nil) {
        var words: [String] = []
        for value in values {
            if let value, value.isScalar {
                let text = Self.text(value, of: payload)
                key += value.kind == .string ? Self.literal(text) : text
                words.append(escapingControls(text, longest: Self.maximumValueCount))
            } else if let missing {
                words.append(missing)
            }
            key += "\n"
        }
        label = words.joined(separator: " ")
    }

    private static func text(_ value: JSONToken, of payload: RawSpan) -> String {
        var buffer = ByteBuffer()
        JSONPath.append(value, of: payload, to: &buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// A string as JSON, which differs from numbers and contains no line end.
    private static func literal(_ text: String) -> String {
        var buffer = ByteBuffer()
        JSONString.append(Array(text.utf8).span.bytes, to: &buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }
}

extension JSONToken {
    /// Whether the value is neither an object nor an array.
    fileprivate var isScalar: Bool {
        switch kind {
        case .string, .number, .literal: true
        case .beginObject, .endObject, .beginArray, .endArray, .key: false
        }
    }
}
