import Formats
import WSCore

/// The filters of a prompt, each with the number of messages that it has hidden.
package struct MessageFilters {
    /// The filters that can be set at the same time, in the order in which they apply and are shown.
    enum Kind: Int, CaseIterable {
        /// `/only CLIENT`
        case origin
        /// `/filter REGEX`
        case pattern
        /// `/where CONDITION`
        case condition
        /// `/pick PATH`
        case selection

        /// The text before a label in the prompt. Conditions and paths may look alike.
        fileprivate var prefix: String {
            switch self {
            case .origin: "only "
            case .pattern: ""
            case .condition: "where "
            case .selection: "pick "
            }
        }
    }

    /// A filter that is set.
    struct Filter {
        /// The filter as the prompt shows it: `/error/`.
        let label: String
        /// The part of a message to show, or `nil` to hide the message.
        fileprivate let apply: (_ payload: RawSpan, _ line: RawSpan, _ origin: MessageOrigin) -> Part?
        fileprivate(set) var hiddenCount = 0
    }

    /// The part of a message that is shown.
    enum Part {
        case whole
        case value([UInt8])
        /// Nothing, because of a filter.
        case hidden(by: Kind)
    }

    private var filters: [Kind: Filter] = [:]
    /// Whether the filters also apply to sent messages, which a relay has not sent by itself.
    package var includeSent = false
    /// Whether messages that `--hide` hides are shown.
    var showsHidden = false

    var isEmpty: Bool { filters.isEmpty }

    /// Sets a filter that hides messages.
    /// - Parameter matches: Whether a message is shown: its payload, and the payload with the heading.
    mutating func set(
        _ kind: Kind, label: String, matches: @escaping (_ payload: RawSpan, _ line: RawSpan) -> Bool
    ) {
        filters[kind] = Filter(label: label) { payload, line, _ in matches(payload, line) ? .whole : nil }
    }

    /// Hides messages of other clients, or of the other side.
    mutating func restrict(to origin: MessageOrigin) {
        filters[.origin] = Filter(label: origin.label) { _, _, other in origin.includes(other) ? .whole : nil }
    }

    /// Selects one value of each message, and hides messages without it.
    mutating func select(_ path: JSONPath) {
        filters[.selection] = Filter(label: Self.label(path.source)) { payload, _, _ in
            Self.value(at: path, of: payload).map { .value($0) }
        }
    }

    /// Removes a filter. Returns `nil` if it was not set.
    mutating func remove(_ kind: Kind) -> Filter? {
        filters.removeValue(forKey: kind)
    }

    /// The part of a message that passes the filters. Counts hidden messages.
    /// - Parameters:
    ///   - line: The message with its heading, to which regular expressions apply, or `nil` if it has none.
    ///   - origin: Where the message comes from.
    ///   - isError: Whether the message reports an error, which is shown as a whole.
    mutating func part(
        of payload: RawSpan, line: [UInt8]? = nil, from origin: MessageOrigin = MessageOrigin(), isError: Bool
    ) -> Part {
        var part = Part.whole
        for kind in Kind.allCases {
            guard let filter = filters[kind], !(isError && kind == .selection) else { continue }
            let shown =
                if let line {
                    filter.apply(payload, line.span.bytes, origin)
                } else {
                    filter.apply(payload, payload, origin)
                }
            guard let shown else {
                filters[kind]?.hiddenCount += 1
                return .hidden(by: kind)
            }
            part = shown
        }
        return part
    }

    /// The filters and the number of messages that each has hidden: `[/error/ 214 hidden]`.
    var tags: [PromptTag] {
        active.map { kind, filter in
            let count = filter.hiddenCount
            let note = count > 0 ? " \(Phrase.grouped(count)) hidden" : ""
            return PromptTag(name: kind.prefix + filter.label, note: note)
        }
    }

    /// The filters without numbers: `filter /error/ · where .price>50`; `nil` if there are none.
    var names: String? {
        let names = active.map { kind, filter in (kind == .pattern ? "filter " : kind.prefix) + filter.label }
        return names.isEmpty ? nil : names.joined(separator: StatusLine.separator)
    }

    private var active: [(kind: Kind, filter: Filter)] {
        Kind.allCases.compactMap { kind in filters[kind].map { (kind, $0) } }
    }

    /// The maximum length of a label.
    private static let maximumLabelCount = 24

    /// A short form of a typed filter, safe to show.
    static func label(_ source: String) -> String {
        let text = escapingControls(source)
        return text.count > maximumLabelCount ? text.prefix(maximumLabelCount) + Glyphs.ellipsis : text
    }

    private static func value(at path: JSONPath, of payload: RawSpan) -> [UInt8]? {
        var buffer = ByteBuffer()
        guard UTF8Validator.isValid(payload), path.appendValue(of: payload, to: &buffer) else { return nil }
        return buffer.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }
}
