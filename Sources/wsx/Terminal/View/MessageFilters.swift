import Formats
import WSCore

/// The filters of a prompt, each with the number of messages that it has hidden.
struct MessageFilters {
    /// The filters that can be set at the same time, in the order in which they apply and are shown.
    enum Kind: Int, CaseIterable {
        /// `/filter REGEX`
        case pattern
        /// `/where CONDITION`
        case condition
        /// `/pick PATH`
        case selection
    }

    /// A filter that is set.
    struct Filter {
        /// The filter as the prompt shows it: `/error/`.
        let label: String
        /// The part of a message to show, or `nil` to hide the message.
        fileprivate let apply: (RawSpan) -> Part?
        fileprivate(set) var hiddenCount = 0
    }

    /// The part of a message that is shown.
    enum Part {
        case whole
        case value([UInt8])
    }

    private var filters: [Kind: Filter] = [:]

    var isEmpty: Bool { filters.isEmpty }

    /// Sets a filter that hides messages.
    /// - Parameter matches: Whether a message is shown.
    mutating func set(_ kind: Kind, label: String, matches: @escaping (RawSpan) -> Bool) {
        filters[kind] = Filter(label: label) { matches($0) ? .whole : nil }
    }

    /// Selects one value of each message, and hides messages without it.
    mutating func select(_ path: JSONPath) {
        filters[.selection] = Filter(label: Self.label(path.source)) { Self.value(at: path, of: $0).map { .value($0) } }
    }

    /// Removes a filter. Returns `nil` if it was not set.
    mutating func remove(_ kind: Kind) -> Filter? {
        filters.removeValue(forKey: kind)
    }

    /// The part of a message that passes the filters, or `nil` if one of them hides it. Counts hidden messages.
    /// - Parameter isError: Whether the message reports an error, which is shown as a whole.
    mutating func part(of payload: RawSpan, isError: Bool) -> Part? {
        var part = Part.whole
        for kind in Kind.allCases {
            guard let filter = filters[kind], !(isError && kind == .selection) else { continue }
            guard let shown = filter.apply(payload) else {
                filters[kind]?.hiddenCount += 1
                return nil
            }
            part = shown
        }
        return part
    }

    /// Whether a message has no value to select, whatever the other filters show.
    func omits(_ payload: RawSpan) -> Bool {
        guard let selection = filters[.selection] else { return false }
        return selection.apply(payload) == nil
    }

    /// The filters and the number of messages that each has hidden: `[/error/ 214 hidden]`.
    var labels: [String] {
        Kind.allCases.compactMap { kind in
            filters[kind].map { "[\($0.label) \(Phrase.grouped($0.hiddenCount)) hidden]" }
        }
    }

    /// The maximum length of a label.
    private static let maximumLabelCount = 24

    /// A short form of a typed filter, safe to show.
    static func label(_ source: String) -> String {
        let text = escapingControls(source)
        return text.count > maximumLabelCount ? text.prefix(maximumLabelCount) + "…" : text
    }

    private static func value(at path: JSONPath, of payload: RawSpan) -> [UInt8]? {
        var buffer = ByteBuffer()
        guard UTF8Validator.isValid(payload), path.appendValue(of: payload, to: &buffer) else { return nil }
        return buffer.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }
}
