import Conversation
import Formats
import WSCore

/// The completions that Tab offers at the cursor.
struct Completion: Equatable {
    /// The bytes of the line that a candidate replaces.
    let range: Range<Int>
    /// The possible replacements, in alphabetic order.
    let candidates: [String]
    /// The text to insert after the only candidate; nil: none.
    var suffix: String?
    /// Whether the candidates are paths, which a list shows by their last component.
    var arePaths = false

    /// The sources of completions.
    struct Sources {
        /// The commands of the prompt.
        let commands: [PromptCommandDescription]
        /// Returns the paths that begin with a prefix.
        let files: (String) -> [String]
        /// Returns longer words that begin with a prefix.
        let words: (String) -> [String]
        /// Returns the URLs for `/connect`.
        var urls: () -> [String] = { [] }
        /// Returns the dotted paths of the values in recent messages.
        var paths: () -> [String] = { [] }
        /// The messages for `/call`.
        var savedMessages: [SavedMessage] = []
    }

    /// Finds completions at the end of a text, or nil if there is nothing to complete.
    /// - Parameter typed: The text before the cursor.
    static func at(endOf typed: [UInt8], from sources: Sources) -> Completion? {
        if typed.first == UInt8(ascii: "/"), typed.dropFirst().first != UInt8(ascii: "/") {
            guard let space = typed.firstIndex(of: UInt8(ascii: " ")) else {
                return name(typed, among: sources.commands)
            }
            let name = String(decoding: typed[1..<space], as: UTF8.self)
            let command = sources.commands.first { $0.name == name }
            switch command?.completion {
            case .file: return file(typed, after: space, words: command?.argumentWords ?? [], from: sources)
            case .command: return topic(typed, after: space, among: sources.commands)
            case .word: return argument(typed, after: space, among: command?.argumentWords ?? [])
            case .closeCode: return argument(typed, after: space, among: closeCodes)
            case .url: return argument(typed, after: space, among: sources.urls())
            case .codec: return word(typed, after: space, among: Codec.all.map(\.name) + ["off"])
            case .savedMessage: return call(typed, after: space, of: sources.savedMessages)
            case .path:
                return path(typed, after: space, among: sources.paths()) ?? word(typed, from: sources)
            case PromptCommandDescription.Completion.none?, nil: break
            }
        }
        return word(typed, from: sources)
    }

    /// The registered close codes that an endpoint may send (RFC 6455 §7.4.1), and the first private one.
    private static let closeCodes = ((1000...1014).filter { CloseCode(rawValue: $0).mayTravel } + [4000])
        .map { "\($0)" }

    private static func argument(_ typed: [UInt8], after space: Int, among words: [String]) -> Completion {
        let prefix = String(decoding: typed[(space + 1)...], as: UTF8.self)
        return Completion(range: space + 1..<typed.count, candidates: words.filter { $0.hasPrefix(prefix) }.sorted())
    }

    /// Completes one of several words.
    private static func word(_ typed: [UInt8], after space: Int, among words: [String]) -> Completion {
        argument(typed, after: typed.lastIndex(of: UInt8(ascii: " ")) ?? space, among: words)
    }

    /// Completes the name of a saved message, then its parameters that have no value yet.
    private static func call(_ typed: [UInt8], after space: Int, of messages: [SavedMessage]) -> Completion {
        let words = typed[(space + 1)...].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count > 1 else {
            var completion = argument(typed, after: space, among: messages.map(\.name))
            completion.suffix = " "
            return completion
        }
        let last = words.last ?? ""
        let names = messages.first { $0.name == words[0] }?.parameters ?? []
        let missing = names.filter { name in !words.dropLast().contains { $0.hasPrefix("\(name)=") } }
        return Completion(
            range: typed.count - last.utf8.count..<typed.count,
            candidates: missing.map { "\($0)=" }.filter { $0.hasPrefix(last) && $0 != last }.sorted())
    }

    /// Completes a path by one step, as a shell completes folders.
    private static func path(_ typed: [UInt8], after space: Int, among paths: [String]) -> Completion? {
        let start = typed[space...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "!") } ?? typed.count
        let prefix = String(decoding: typed[start...], as: UTF8.self)
        // What follows the path of a condition is no path.
        guard !prefix.utf8.contains(where: { " =<>~!".utf8.contains($0) }) else { return nil }
        let longer = Set(paths).filter { $0.hasPrefix(prefix) && $0 != prefix }
        let next = longer.filter { path in !longer.contains { path.hasPrefix($0) && path != $0 } }
        return Completion(range: start..<typed.count, candidates: next.sorted())
    }

    private static func name(_ typed: [UInt8], among commands: [PromptCommandDescription]) -> Completion {
        let start = String(decoding: typed.dropFirst(), as: UTF8.self)
        let found = commands.filter { $0.name.hasPrefix(start) }
        let takesArgument = found.count == 1 && !(found.first?.argument.isEmpty ?? true)
        return Completion(
            range: 0..<typed.count, candidates: found.map { "/\($0.name)" }.sorted(), suffix: takesArgument ? " " : nil)
    }

    private static func topic(_ typed: [UInt8], after space: Int, among commands: [PromptCommandDescription])
        -> Completion
    {
        let argument = typed[(space + 1)...]
        let start = argument.first == UInt8(ascii: "/") ? space + 2 : space + 1
        let prefix = String(decoding: typed[start...], as: UTF8.self)
        return Completion(
            range: start..<typed.count, candidates: commands.map(\.name).filter { $0.hasPrefix(prefix) }.sorted())
    }

    /// - Parameter words: The literal words that may precede the path.
    private static func file(
        _ typed: [UInt8], after space: Int, words: [String], from sources: Sources
    ) -> Completion {
        var start = typed[space...].firstIndex { $0 != UInt8(ascii: " ") } ?? typed.count
        for word in words where typed[start...].starts(with: "\(word) ".utf8) {
            start = typed[(start + word.utf8.count)...].firstIndex { $0 != UInt8(ascii: " ") } ?? typed.count
            break
        }
        return Completion(
            range: start..<typed.count,
            candidates: sources.files(String(decoding: typed[start...], as: UTF8.self)).sorted(), arePaths: true)
    }

    private static func word(_ typed: [UInt8], from sources: Sources) -> Completion? {
        let prefix = String(decoding: typed, as: UTF8.self).unicodeScalars.reversed()
            .prefix { WordMemory.isPartOfWord($0) }.reversed()
        guard !prefix.isEmpty else { return nil }
        let text = String(String.UnicodeScalarView(prefix))
        return Completion(range: typed.count - text.utf8.count..<typed.count, candidates: sources.words(text))
    }

    /// The longest common prefix of the candidates.
    var commonPrefix: String {
        guard var prefix = candidates.first.map({ Array($0.unicodeScalars) }) else { return "" }
        for candidate in candidates.dropFirst() {
            let count = zip(prefix, candidate.unicodeScalars).prefix { $0 == $1 }.count
            prefix.removeLast(prefix.count - count)
        }
        return String(String.UnicodeScalarView(prefix))
    }
}
