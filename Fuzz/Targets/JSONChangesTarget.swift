import Conversation
import WSCore

@testable import Formats

extension FuzzTarget {
    /// Two messages, separated by a newline.
    ///
    /// - A message does not differ from itself.
    /// - If one message differs from the other, the other differs from it.
    /// - Texts that are equal as trees do not differ.
    /// - The line of changes is safe to show.
    static let jsonChanges = FuzzTarget(name: "json-changes") { input in
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let old = String(validating: parts[0], as: UTF8.self),
            let new = String(validating: parts[1], as: UTF8.self)
        else { return }
        let texts = (old: Array(old.utf8), new: Array(new.utf8))
        guard let forward = changes(texts.old, texts.new), let backward = changes(texts.new, texts.old) else { return }
        expectEqual(changes(texts.old, texts.old)?.changes, [], "the changes of the same text")
        expectEqual(forward.changes.isEmpty, backward.changes.isEmpty, "whether the texts differ")
        if old.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }),
            let (oldTree, newTree) = trees(texts.old, texts.new), oldTree == newTree
        {
            expectEqual(forward.changes, [], "the changes of equal trees")
        }
        var messages = MessageChanges()
        for text in [texts.old, texts.new] {
            if case .changes(let line) = messages.receive(text.span.bytes) {
                expect(!line.contains("\n"), "several lines")
            }
        }
    }

    private static func changes(_ old: [UInt8], _ new: [UInt8]) -> JSONChanges? {
        try? JSONChanges(from: old.span.bytes, to: new.span.bytes)
    }

    private static func trees(_ old: [UInt8], _ new: [UInt8]) -> (JSONValue, JSONValue)? {
        guard let old = try? JSONValue(parsing: old.span.bytes), let new = try? JSONValue(parsing: new.span.bytes)
        else {
            return nil
        }
        return (old, new)
    }
}
