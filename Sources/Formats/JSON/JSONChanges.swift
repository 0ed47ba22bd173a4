import WSCore

/// A difference between two JSON texts.
package struct JSONChange: Equatable, Sendable {
    /// What happened to the value.
    package enum Kind: Equatable, Sendable {
        case changed(from: String, to: String)
        case added(String)
        case removed
    }

    /// The location as a dotted path, such as `.bids[0].price`; `.` is the whole text.
    package let path: String
    /// What happened.
    package let kind: Kind
}

extension JSONChange: CustomStringConvertible {
    /// The change in a few words: `.price 101.5 → 101.7`, `+.tags[2] "new"`, or `-.old`.
    package var description: String {
        switch kind {
        case .changed(let old, let new): "\(path) \(old) → \(new)"
        case .added(let value): "+\(path) \(value)"
        case .removed: "-\(path)"
        }
    }
}

/// Finds the differences between two JSON texts by their values. Layout, the order of members, and the notation of
/// strings and numbers do not matter: `1` and `1.0` are equal, and integers keep all their digits.
///
/// Elements are compared by their positions, after the equal ones at the beginning and at the end of both arrays. Equal
/// parts of the texts are skipped without being parsed.
package struct JSONChanges {
    /// The maximum number of changes listed.
    package static let maximumCount = 100
    /// The nesting below which objects and arrays are compared as a whole. Each level reads its text again.
    static let maximumDepth = 32
    /// The maximum length of a value in a change, in characters. Longer strings are cut, and longer objects and arrays
    /// are abbreviated.
    static let maximumValueCount = 40

    /// The changes, in the order of the new text, removed members last within each object.
    package private(set) var changes: [JSONChange] = []
    /// The number of changes that are not listed.
    package private(set) var omittedCount = 0

    /// Compares two texts.
    /// - Parameters: Both are valid UTF-8.
    /// - Throws: ``JSONError`` if one of them is not JSON.
    package init(from old: RawSpan, to new: RawSpan) throws(JSONError) {
        if let problem = JSONReader.problem(in: old) ?? JSONReader.problem(in: new) { throw problem }
        try compare(old.extracting(Self.range(in: old)), new.extracting(Self.range(in: new)), at: "", depth: 0)
    }

    private mutating func compare(
        _ old: RawSpan, _ new: RawSpan, at path: String, depth: Int
    ) throws(JSONError) {
        if old.isEqual(to: new) { return }
        switch (try Self.kind(of: old), try Self.kind(of: new)) {
        case (.beginObject, .beginObject) where depth < Self.maximumDepth:
            try compareMembers(old, new, at: path, depth: depth)
        case (.beginArray, .beginArray) where depth < Self.maximumDepth:
            try compareElements(old, new, at: path, depth: depth)
        case (.string, .string) where Self.decoded(old) == Self.decoded(new): return
        case (.number, .number) where JSONNumber(old) == JSONNumber(new): return
        default: add(path, .changed(from: Self.shown(old), to: Self.shown(new)))
        }
    }

    private mutating func compareMembers(
        _ old: RawSpan, _ new: RawSpan, at path: String, depth: Int
    ) throws(JSONError) {
        let (oldMembers, newMembers) = (try Self.members(of: old), try Self.members(of: new))
        let oldRanges = Dictionary(oldMembers.map { ($0.name, $0.range) }) { _, last in last }
        let newNames = Set(newMembers.map(\.name))
        for (name, range) in newMembers {
            let path = "\(path)\(JSONPath.step(to: name))"
            if let oldRange = oldRanges[name] {
                try compare(old.extracting(oldRange), new.extracting(range), at: path, depth: depth + 1)
            } else {
                add(path, .added(Self.shown(new.extracting(range))))
            }
        }
        for (name, _) in oldMembers where !newNames.contains(name) {
            add("\(path)\(JSONPath.step(to: name))", .removed)
        }
    }

    private mutating func compareElements(
        _ old: RawSpan, _ new: RawSpan, at path: String, depth: Int
    ) throws(JSONError) {
        let (oldElements, newElements) = (try Self.elements(of: old), try Self.elements(of: new))
        let shorterCount = min(oldElements.count, newElements.count)
        var startCount = 0
        while startCount < shorterCount,
            old.extracting(oldElements[startCount]).isEqual(to: new.extracting(newElements[startCount]))
        {
            startCount += 1
        }
        var endCount = 0
        while startCount + endCount < shorterCount,
            old.extracting(oldElements[oldElements.count - 1 - endCount]).isEqual(
                to: new.extracting(newElements[newElements.count - 1 - endCount]))
        {
            endCount += 1
        }
        let (oldEnd, newEnd) = (oldElements.count - endCount, newElements.count - endCount)
        for index in startCount..<max(oldEnd, newEnd) {
            let path = "\(path.isEmpty ? "." : path)[\(index)]"
            if index < oldEnd, index < newEnd {
                try compare(
                    old.extracting(oldElements[index]), new.extracting(newElements[index]), at: path, depth: depth + 1)
            } else if index < newEnd {
                add(path, .added(Self.shown(new.extracting(newElements[index]))))
            } else {
                add(path, .removed)
            }
        }
    }

    private mutating func add(_ path: String, _ kind: JSONChange.Kind) {
        guard changes.count < Self.maximumCount else {
            omittedCount += 1
            return
        }
        changes.append(JSONChange(path: path.isEmpty ? "." : path, kind: kind))
    }

    // MARK: Reading

    /// The value without the white space around it.
    private static func range(in text: RawSpan) throws(JSONError) -> Range<Int> {
        var reader = JSONReader()
        guard let token = try reader.next(in: text) else { return 0..<0 }
        return try reader.value(from: token, in: text).range
    }

    private static func kind(of text: RawSpan) throws(JSONError) -> JSONToken.Kind? {
        var reader = JSONReader()
        return try reader.next(in: text)?.kind
    }

    /// The members of an object. If several have the same name, the last one counts.
    private static func members(of text: RawSpan) throws(JSONError) -> [(name: [UInt8], range: Range<Int>)] {
        let members = try JSONReader.members(of: text) ?? []
        var ranges: [(name: [UInt8], range: Range<Int>)] = []
        var indices: [[UInt8]: Int] = [:]
        for (key, value) in members {
            let name = decoded(text.extracting(key.range))
            if let index = indices[name] {
                ranges[index].range = value.range
            } else {
                indices[name] = ranges.count
                ranges.append((name, value.range))
            }
        }
        return ranges
    }

    private static func elements(of text: RawSpan) throws(JSONError) -> [Range<Int>] {
        var reader = JSONReader()
        var ranges: [Range<Int>] = []
        guard try reader.next(in: text)?.kind == .beginArray else { return [] }
        while let token = try reader.next(in: text), token.kind != .endArray {
            ranges.append(try reader.value(from: token, in: text).range)
        }
        return ranges
    }

    /// The bytes of a string: comparing strings would ignore how characters are composed.
    private static func decoded(_ literal: RawSpan) -> [UInt8] {
        var decoded = ByteBuffer()
        // Different unpaired surrogates stay different.
        guard JSONString.appendDecoded(literal, to: &decoded) else { return literal.withUnsafeBytes { Array($0) } }
        return decoded.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    private static func string(_ bytes: RawSpan) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Notation

    /// A value on one line, abbreviated if it is long.
    private static func shown(_ value: RawSpan) -> String {
        // A character has several bytes, and a value may contain white space.
        let isShort = value.byteCount <= 16 * maximumValueCount
        let first = value.byteCount > 0 ? value.unsafeLoad(fromByteOffset: 0, as: UInt8.self) : 0
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            var compact = ByteBuffer()
            if isShort {
                JSONPath.appendJSON(
                    JSONToken(kind: .beginObject, range: 0..<value.byteCount), of: value, to: &compact)
            }
            let text = compact.withReadableBytes { string($0) }
            return isShort && text.count <= maximumValueCount ? text : first == UInt8(ascii: "{") ? "{…}" : "[…]"
        }
        let beginning = string(isShort ? value : value.extracting(first: 16 * maximumValueCount))
        guard beginning.count > maximumValueCount else { return beginning }
        return beginning.prefix(maximumValueCount) + "…" + (first == UInt8(ascii: "\"") ? "\"" : "")
    }
}
