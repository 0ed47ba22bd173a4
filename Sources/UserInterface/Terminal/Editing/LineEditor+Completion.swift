import CReadline
import WSCore

// Completion with Tab.
extension LineEditor {
    /// Completes the word before the cursor, lists the candidates, or inserts a tab if there is no word.
    func complete() {
        guard let completion = completion(at: Int(wsx_readline_point())) else {
            rl_insert_text("\t")
            return
        }
        switch completion.candidates.count {
        case 0: rl_ding()
        case 1: replace(completion.range, with: completion.commonPrefix + (completion.suffix ?? ""))
        default:
            let prefix = completion.commonPrefix
            if prefix.utf8.elementsEqual(currentLine[completion.range]) {
                list(completion.candidates, arePaths: completion.arePaths)
            } else {
                replace(completion.range, with: prefix)
            }
        }
    }

    /// Makes readline's other completion keys offer the same candidates.
    func bindCompletion() {
        wsx_readline_set_completion(
            { text, start, end in LineEditor.active?.matches(for: text, start: Int(start), end: Int(end)) },
            { matches, count, _ in
                guard let matches else { return }
                // The first element is the common prefix of all candidates.
                let candidates = (1...max(1, Int(count))).compactMap { index in
                    matches[index].map { String(cString: $0) }
                }
                LineEditor.active?.list(candidates)
            })
    }

    private func matches(
        for text: UnsafePointer<CChar>?, start: Int, end: Int
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        wsx_readline_end_completion()
        guard let completion = completion(at: end), completion.range.lowerBound == start else { return nil }
        offered = completion.candidates[...]
        return rl_completion_matches(text) { _, _ in
            LineEditor.active?.offered.popFirst().flatMap { strdup($0) }
        }
    }

    private func completion(at point: Int) -> Completion? {
        Completion.at(
            endOf: Array(currentLine.prefix(point)),
            from: Completion.Sources(
                commands: commands, files: Self.files(beginningWith:),
                words: { [words = services.words] in words.words(beginningWith: $0) },
                urls: { [unowned self] in knownURLs },
                paths: services.paths, savedMessages: services.saved))
    }

    /// The URLs of earlier `/connect` commands, and those that shells complete.
    private var knownURLs: [String] {
        let command = Array("/connect ".utf8)
        let urls = history.lines.compactMap { line in
            line.starts(with: command) ? String(validating: line.dropFirst(command.count), as: UTF8.self) : nil
        }
        return Array(Set(urls + CompletionTargets.prefixes + RecentURLs(environment: Self.environment).urls))
    }

    private func replace(_ range: Range<Int>, with text: String) {
        wsx_readline_replace(Int32(range.lowerBound), Int32(range.upperBound), text)
    }

    private func list(_ candidates: [String], arePaths: Bool = false) {
        print(CompletionList.text(of: candidates, arePaths: arePaths, columns: Self.screenSize.columns))
    }

    /// The paths that begin with a prefix; directories end with a slash. A tilde is expanded here, because nothing
    /// expands it later.
    private static func files(beginningWith path: String) -> [String] {
        var paths: [String] = []
        var state: Int32 = 0
        while let found = rl_filename_completion_function(path, state) {
            state = 1
            defer { free(found) }
            guard let expanded = tilde_expand(found) else { continue }
            defer { free(expanded) }
            // A name that is not UTF-8 cannot be typed.
            guard let name = String(validatingCString: expanded) else { continue }
            paths.append(File.isDirectory(name) && !name.hasSuffix("/") ? name + "/" : name)
        }
        return paths
    }
}
