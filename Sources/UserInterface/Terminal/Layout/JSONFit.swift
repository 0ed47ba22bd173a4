import Formats
import WSCore

/// Formats JSON in as few lines as possible. A text that fits on a line is shown on one line. Otherwise lines are filled
/// with the members of the outermost object or array, and values that do not fit on a line are folded.
///
///     {"type":"snapshot","bids":[[1.5,2],[1.4,3],… 48 more],
///      "asks":[[1.6,2],[1.7,3],… 48 more],"sequence":1234567}
///
/// Tokens stay as they are; the whitespace between them is removed.
struct JSONFit {
    /// A larger text is not parsed, because it is folded in any case.
    static let maximumBytes = 256 << 10

    /// The lines of a text.
    struct Result {
        let lines: [StyledText]
        /// Whether parts of the text are missing.
        let isFolded: Bool
    }

    /// A value and, if it is an object or array, the values in it, which follow it in ``nodes``.
    private struct Node {
        let kind: JSONToken.Kind
        /// The location of the member's name, including the quotes; `nil` for elements.
        let key: Range<Int>?
        /// The location of a scalar, or of the opening bracket.
        let range: Range<Int>
        /// The index after the value in the text.
        var end: Int
        /// The index after this value's last descendant.
        var next = 0
        /// The number of members or elements.
        var count = 0
        /// The columns of the value and its key on one line.
        var columns = 0

        var isContainer: Bool { kind == .beginObject || kind == .beginArray }
    }

    private let nodes: [Node]
    private let palette: Palette
    private let matches: TextMatches

    /// Parses a text. Returns `nil` if it is not an object or array, or is too large.
    /// - Parameter matches: The parts to highlight.
    init?(_ text: RawSpan, palette: Palette, highlighting matches: TextMatches = .none) {
        guard text.byteCount <= Self.maximumBytes, JSONLayout.mayBe(text) else { return nil }
        do throws(JSONError) {
            nodes = try Self.parse(text)
        } catch {
            return nil
        }
        self.palette = palette
        self.matches = matches
    }

    private static func parse(_ text: RawSpan) throws(JSONError) -> [Node] {
        var nodes: [Node] = []
        var open: [Int] = []
        var key: Range<Int>?
        var reader = JSONReader()
        while let token = try reader.next(in: text) {
            switch token.kind {
            case .key: key = token.range
            case .endObject, .endArray:
                let index = open.removeLast()
                // The brackets, and the commas between the values.
                nodes[index].columns += 2 + max(0, nodes[index].count - 1)
                nodes[index].next = nodes.count
                nodes[index].end = token.range.upperBound
                if let parent = open.last { nodes[parent].columns += nodes[index].columns }
            case .beginObject, .beginArray, .string, .number, .literal:
                var node = Node(kind: token.kind, key: key, range: token.range, end: token.range.upperBound)
                if let key { node.columns = DisplayWidth.ofEscaped(text.extracting(key)) + 1 }
                key = nil
                let parent = open.last
                if let parent { nodes[parent].count += 1 }
                if node.isContainer {
                    open.append(nodes.count)
                } else {
                    node.columns += DisplayWidth.ofEscaped(text.extracting(token.range))
                    node.next = nodes.count + 1
                    if let parent { nodes[parent].columns += node.columns }
                }
                nodes.append(node)
            }
        }
        return nodes
    }

    /// Formats the text that was parsed.
    /// - Parameters:
    ///   - columns: The width of a line.
    ///   - rows: The maximum number of lines; at least 1.
    ///   - lead: Text before the JSON on the first line.
    func lines(of text: RawSpan, columns: Int, rows: Int, after lead: StyledText) -> Result {
        var page = Page(line: lead, columns: columns)
        if lead.columns + nodes[0].columns <= columns {
            append(0, of: text, to: &page.line)
        } else {
            fill(&page, with: 0, of: text, indentation: 1, rows: rows, trailingColumns: 0)
        }
        return Result(lines: page.lines + [page.line], isFolded: page.isFolded)
    }

    // MARK: Lines

    /// The lines so far.
    private struct Page {
        var lines: [StyledText] = []
        /// The current line.
        var line: StyledText
        let columns: Int
        var isFolded = false

        mutating func beginLine(_ beginning: StyledText) {
            lines.append(line)
            line = beginning
        }
    }

    /// Fills lines with an object or array.
    /// - Parameters:
    ///   - indentation: The indentation of further lines.
    ///   - rows: The maximum number of lines, including the current one.
    ///   - trailingColumns: The columns that the line needs after the closing bracket.
    private func fill(
        _ page: inout Page, with index: Int, of text: RawSpan, indentation: Int, rows: Int, trailingColumns: Int
    ) {
        let (node, columns) = (nodes[index], page.columns)
        let margin = StyledText(String(repeating: " ", count: indentation), palette)
        let lineLimit = page.lines.count + rows
        appendPunctuation(at: node.range.lowerBound, of: text, to: &page.line)
        var remaining = node.count
        // Values that need more than a line share the remaining lines.
        var largeCount = children(of: index).count { indentation + nodes[$0].columns + 2 > columns }
        for child in children(of: index) {
            let after = remaining - 1
            // The comma, or the closing bracket and the text after it.
            let separatorColumns = after == 0 ? 1 + trailingColumns : 1
            let needed = nodes[child].columns + separatorColumns
            // The last line also needs the number of values that do not fit.
            let rest = after == 0 ? 0 : Self.tail(after).count + 1 + trailingColumns
            let isLastLine = page.lines.count + 1 >= lineLimit
            let isFirst = remaining == node.count
            if page.line.columns + needed + (isLastLine ? rest : 0) <= columns {
                appendMember(child, of: text, to: &page.line)
            } else if !isLastLine,
                indentation + needed + (page.lines.count + 2 >= lineLimit ? rest : 0) <= columns
            {
                page.beginLine(margin)
                appendMember(child, of: text, to: &page.line)
            } else {
                if !isFirst {
                    guard !isLastLine else { break }
                    page.beginLine(margin)
                }
                // One line is for the values after it, so this one never ends on the last line.
                let left = lineLimit - page.lines.count - (after > 0 ? 1 : 0)
                let share = max(1, left / max(1, largeCount))
                largeCount -= 1
                let room = columns - max(page.line.columns, indentation) - separatorColumns
                if takesLines(child, of: text, columns: room), share > 1 {
                    appendKey(of: child, of: text, to: &page.line)
                    fill(
                        &page, with: child, of: text, indentation: indentation + 1, rows: share,
                        trailingColumns: separatorColumns)
                } else {
                    let isLastLine = page.lines.count + 1 >= lineLimit
                    let room = room - (isLastLine ? rest : 0)
                    guard room >= Self.minimumFoldedColumns else { break }
                    page.line.append(member(child, of: text, columns: room))
                    page.isFolded = true
                }
            }
            remaining = after
            if remaining > 0 { appendPunctuation(after: nodes[child].end, of: text, to: &page.line) }
        }
        if remaining > 0 {
            page.isFolded = true
            page.line.append(Self.tail(remaining), as: .quiet)
        }
        appendPunctuation(at: node.end - 1, of: text, to: &page.line)
    }

    /// Whether a value can be continued on further lines: at least its key and its size fit on each.
    private func takesLines(_ index: Int, of text: RawSpan, columns: Int) -> Bool {
        let node = nodes[index]
        guard node.isContainer else { return false }
        let keyColumns = node.key.map { DisplayWidth.ofEscaped(text.extracting($0)) + 1 } ?? 0
        return keyColumns + Self.tail(node.count).count + 3 <= columns
    }

    // MARK: Values

    private static func tail(_ count: Int) -> String { "\(Glyphs.ellipsis) \(Phrase.grouped(count)) more" }

    /// The indices of the values in an object or array.
    private func children(of index: Int) -> [Int] {
        var indices: [Int] = []
        var child = index + 1
        while child < nodes[index].next {
            indices.append(child)
            child = nodes[child].next
        }
        return indices
    }

    /// Appends a value and everything in it, without its key. The recursion is limited by the width of the line.
    private func append(_ index: Int, of text: RawSpan, to line: inout StyledText) {
        let node = nodes[index]
        guard node.isContainer else {
            return append(node.range, of: text, as: JSONLayout.style(of: node.kind), to: &line)
        }
        appendPunctuation(at: node.range.lowerBound, of: text, to: &line)
        var child = index + 1
        while child < node.next {
            appendMember(child, of: text, to: &line)
            let end = nodes[child].end
            child = nodes[child].next
            if child < node.next { appendPunctuation(after: end, of: text, to: &line) }
        }
        appendPunctuation(at: node.end - 1, of: text, to: &line)
    }

    private func appendMember(_ index: Int, of text: RawSpan, to line: inout StyledText) {
        appendKey(of: index, of: text, to: &line)
        append(index, of: text, to: &line)
    }

    private func appendKey(of index: Int, of text: RawSpan, to line: inout StyledText) {
        guard let key = nodes[index].key else { return }
        appendKey(key, of: text, to: &line)
    }

    private func appendKey(_ key: Range<Int>, of text: RawSpan, to line: inout StyledText, cutTo columns: Int = .max) {
        append(key, of: text, as: .key, to: &line, cutTo: columns)
        appendPunctuation(after: key.upperBound, of: text, to: &line)
    }

    /// Appends the colon or comma after a token.
    private func appendPunctuation(after end: Int, of text: RawSpan, to line: inout StyledText) {
        appendPunctuation(at: JSONLayout.indexAfterSpace(in: text, from: end), of: text, to: &line)
    }

    private func appendPunctuation(at index: Int, of text: RawSpan, to line: inout StyledText) {
        line.append(Self.string(text, index..<index + 1), isMatch: matches.contain(index))
    }

    /// A member with its key, folded to a width.
    private func member(_ index: Int, of text: RawSpan, columns: Int) -> StyledText {
        var line = StyledText(palette)
        if let key = nodes[index].key {
            appendKey(key, of: text, to: &line, cutTo: max(1, columns / 2))
        }
        line.append(folded(index, of: text, columns: max(1, columns - line.columns)))
        return line
    }

    /// A value without its key, folded to a width.
    private func folded(_ index: Int, of text: RawSpan, columns: Int) -> StyledText {
        let node = nodes[index]
        guard node.isContainer else {
            var line = StyledText(palette)
            append(node.range, of: text, as: JSONLayout.style(of: node.kind), to: &line, cutTo: columns)
            return line
        }
        guard columns >= 3 else { return StyledText(Glyphs.ellipsis, as: .quiet, palette) }
        var line = StyledText(palette)
        appendPunctuation(at: node.range.lowerBound, of: text, to: &line)
        var remaining = node.count
        var child = index + 1
        while child < node.next {
            // The rest needs a comma and the number of values that do not fit.
            let reserve = remaining > 1 ? 1 + Self.tail(remaining - 1).count + 1 : 1
            let room = columns - line.columns - reserve
            if nodes[child].columns <= room {
                appendMember(child, of: text, to: &line)
            } else if remaining == node.count, room >= Self.minimumFoldedColumns {
                line.append(member(child, of: text, columns: room))
            } else {
                break
            }
            remaining -= 1
            if remaining > 0 { appendPunctuation(after: nodes[child].end, of: text, to: &line) }
            child = nodes[child].next
        }
        if remaining > 0 {
            let room = columns - line.columns - 1
            let sizes = [Self.tail(remaining), "\(Glyphs.ellipsis) \(Phrase.grouped(remaining))"]
            line.append(sizes.first { $0.count <= room } ?? Glyphs.ellipsis, as: .quiet)
        }
        appendPunctuation(at: node.end - 1, of: text, to: &line)
        return line
    }

    /// The minimum width in which a part of a value is worth showing.
    private static let minimumFoldedColumns = 12

    /// Appends a token with its matches highlighted.
    private func append(
        _ range: Range<Int>, of text: RawSpan, as style: Palette.Style?, to line: inout StyledText,
        cutTo columns: Int = .max
    ) {
        guard !matches.isEmpty else { return line.append(Self.string(text, range), as: style, cutTo: columns) }
        var token = StyledText(palette)
        for (range, isMatch) in matches.pieces(of: range) {
            token.append(Self.string(text, range), as: style, isMatch: isMatch)
        }
        line.append(token, cutTo: columns)
    }

    private static func string(_ text: RawSpan, _ range: Range<Int>) -> String {
        text.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
