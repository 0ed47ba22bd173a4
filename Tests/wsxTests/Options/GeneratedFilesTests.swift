import CommandLine
import Glibc
import Testing

@testable import wsx

/// The files in `man/` and `completions/` are generated from the option table, and the page about protocols from their
/// descriptors. All are checked in. With `WSX_UPDATE_GENERATED=1` in the environment, which `make generate` sets, the
/// test writes them.
@Suite struct GeneratedFilesTests {
    static let files = Dictionary(
        uniqueKeysWithValues: TestProgram.manualPages + [
            ("completions/wsx.bash", Shell.bash.completionScript(of: TestProgram.description)),
            ("completions/_wsx", Shell.zsh.completionScript(of: TestProgram.description)),
            ("completions/wsx.fish", Shell.fish.completionScript(of: TestProgram.description)),
            ("docs/protocols/built-in.md", ProtocolPage.text),
        ])

    @Test("The generated files are current; 'make generate' updates them", arguments: files.keys.sorted())
    func isCurrent(path: String) throws {
        let contents = try #require(Self.files[path])
        let absolutePath = Self.repositoryRoot + path
        if getenv("WSX_UPDATE_GENERATED") != nil { try Self.write(contents, to: absolutePath) }
        let current = try Self.read(absolutePath)
        #expect(current == contents, "\(path) differs from the option table; run 'make generate'")
    }

    static let repositoryRoot =
        #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(4).joined(separator: "/") + "/"

    private struct FileProblem: Error {
        let path: String
        let errno: Int32
    }

    static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw FileProblem(path: path, errno: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ contents: String, to path: String) throws {
        let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        mkdir(directory, 0o755)
        guard let file = fopen(path, "w") else { throw FileProblem(path: path, errno: errno) }
        defer { fclose(file) }
        let bytes = Array(contents.utf8)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw FileProblem(path: path, errno: errno) }
    }
}
