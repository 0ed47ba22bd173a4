import CommandLine
import Glibc
import Testing

@testable import UserInterface
@testable import wsx

/// References from texts to parts of the manual.
@Suite struct HelpReferenceTests {
    @Test("Each 'wsx help X' in help, manual, sources, and documents works")
    func helpCommands() throws {
        var texts = Command.allCases.map { ("help of \($0)", TestProgram.longHelp(of: $0)) }
        texts += TestProgram.manualPages.map { ($0.path, Self.withoutEscapes($0.contents)) }
        texts += try Self.files().map { ($0, try GeneratedFilesTests.read(GeneratedFilesTests.repositoryRoot + $0)) }
        var count = 0
        for (name, text) in texts {
            for words in Self.references(in: text) {
                count += 1
                #expect(throws: Never.self, "\(name): wsx help \(words)") {
                    _ = try Invocation.program.parse(["help"] + words)
                }
            }
        }
        #expect(count > 100)
    }

    @Test("Every section of the manual and every slash command is a topic, and 'wsx help' lists it")
    func topics() throws {
        let list = TestProgram.longHelp(of: nil)
        let sections = TestProgram.description.manual.sections + TestProgram.description.pages.flatMap(\.sections)
        for name in sections.map(\.name) + TestProgram.description.promptCommands.map(\.name) {
            guard case .text(.longHelp(let text)) = try Invocation.program.parse(["help", name]) else {
                Issue.record("\(name)")
                continue
            }
            #expect(!text.isEmpty && list.contains(name), "\(name)")
        }
    }

    @Test("A title in capitals after 'see' is a section of the manual")
    func titles() throws {
        for command in [nil] + Command.allCases.map(Optional.some) {
            for words in TestProgram.longHelp(of: command).split(whereSeparator: \.isWhitespace).adjacentPairs() {
                let isReference =
                    ["see", "See"].contains(words.0) && words.1.allSatisfy { $0.isUppercase || $0 == "." }
                #expect(!isReference, "\(words)")
            }
        }
    }

    /// The lowercase words after each `wsx help`, without placeholders.
    private static func references(in text: String) -> [[String]] {
        let flat = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return flat.split(separator: "wsx help ").dropFirst().compactMap { rest in
            var words: [String] = []
            for word in rest.split(separator: " ") {
                let name = word.prefix { $0.isLetter || $0.isNumber || "-./@=".contains($0) }
                let bare = name.last == "." ? name.dropLast() : name
                guard !bare.isEmpty, bare == bare.lowercased() else { break }
                words.append(String(bare))
                // A quotation mark or punctuation ends the command line.
                if name.count < word.count || bare.count < name.count { break }
            }
            return words.isEmpty ? nil : words
        }
    }

    private static func withoutEscapes(_ page: String) -> String {
        page.replacing("\\fB", with: "").replacing("\\fR", with: "").replacing("\\fI", with: "").replacing(
            "\\-", with: "-"
        )
        .replacing("\\(aq", with: "'")
    }

    /// The sources and documents, by their paths in the repository.
    private static func files() throws -> [String] {
        // docs/howto is about options that do not exist yet.
        ["README.md", "CONTRIBUTING.md"]
            + ["Sources", "docs"].flatMap { paths(in: $0) }.filter {
                $0.hasSuffix(".swift") || $0.hasSuffix(".md") || $0.hasSuffix(".txt")
            }
    }

    private static func paths(in directory: String) -> [String] {
        guard let stream = opendir(GeneratedFilesTests.repositoryRoot + directory) else { return [] }
        defer { closedir(stream) }
        var paths: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") || name == "howto" { continue }
            let path = "\(directory)/\(name)"
            paths += entry.pointee.d_type == UInt8(DT_DIR) ? self.paths(in: path) : [path]
        }
        return paths
    }
}

extension Array {
    fileprivate func adjacentPairs() -> [(Element, Element)] { Array<(Element, Element)>(zip(self, dropFirst())) }
}
