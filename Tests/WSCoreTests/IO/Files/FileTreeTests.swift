import TestSupport
import Testing

@testable import WSCore

@Suite struct FileTreeTests {
    /// The contents of a file, `/` for a directory, or the error.
    private static func found(_ tree: FileTree, _ path: String) -> String {
        do throws(IOError) {
            switch try tree.find(path.split(separator: "/").map { String($0) }) {
            case .directory: return "/"
            case .file(let file):
                var buffer = ByteBuffer()
                let count = try file.read(into: &buffer, at: 0, atMost: 1000)
                return buffer.withReadableBytes { bytes in
                    bytes.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
                }
            }
        } catch {
            return "\(error)"
        }
    }

    @Test("files and directories are found, including through links that stay below the root")
    func found() throws {
        try TreeFixture.with { fixture in
            try fixture.file("a", "A")
            try fixture.file("sub/deep/b", "B")
            try fixture.link("toFile", to: "a")
            try fixture.link("toSub", to: "sub/")
            try fixture.link("sub/deep/up", to: "../../a")
            try fixture.link("sub/deep/round", to: "../../toSub/./deep/../deep/b")
            try fixture.link("sub/here", to: ".")
            let tree = try FileTree(fixture.root)
            for (path, expected) in [
                ("", "/"), ("a", "A"), ("sub", "/"), ("sub/deep/b", "B"), ("toFile", "A"), ("toSub", "/"),
                ("toSub/deep/b", "B"), ("toSub/deep/up", "A"), ("sub/deep/round", "B"), ("sub/here/here/deep/b", "B"),
            ] {
                expectEqual(Self.found(tree, path), expected, "\(path)")
            }
        }
    }

    @Test("nothing outside the root is found, whatever the links, and only files and directories are found")
    func notFound() throws {
        try TreeFixture.with { fixture in
            try fixture.file("a", "A")
            try fixture.directory("sub")
            fixture.pipe("pipe")
            for (name, target) in [
                ("out", "../outside"), ("rootAndOut", "../root/../outside"), ("back", "../root/a"),
                ("absolute", fixture.root + "/a"), ("slash", "/"), ("proc", "/proc/self/root"), ("self", "self"),
                ("sub/up", ".."), ("sub/upTwice", "../.."), ("sub/upOut", "../../outside"), ("chain", "sub/upTwice"),
                ("dangling", "nothing"), ("throughFile", "a/b"), ("device", "/dev/null"),
            ] {
                try fixture.link(name, to: target)
            }
            for number in 0..<41 { try fixture.link("l\(number)", to: number == 0 ? "a" : "l\(number - 1)") }
            let tree = try FileTree(fixture.root)
            expectEqual(Self.found(tree, "l39"), "A")
            expectEqual(Self.found(tree, "sub/up/a"), "A")
            for path in [
                "out", "rootAndOut", "back", "absolute", "slash/etc/passwd", "proc/etc/passwd", "self", "sub/upTwice",
                "sub/upTwice/outside", "sub/upOut", "chain/outside", "dangling", "device", "nothing", "pipe", "l40",
            ] {
                expectEqual(Self.found(tree, path), "no such file or directory", "\(path)")
            }
            expectEqual(Self.found(tree, "throughFile"), "no such file or directory")
            expectEqual(Self.found(tree, String(repeating: "x", count: 300)), "name too long")
            // The tree itself also rejects names that the caller should have filtered out.
            expectEqual(Self.found(tree, "../outside"), "no such file or directory")
        }
    }

    @Test("opening a missing directory or a file as a tree reports the reason")
    func opening() throws {
        try TreeFixture.with { fixture in
            try fixture.file("a", "A")
            #expect(throws: IOError.noSuchFile) { try FileTree(fixture.root + "/none") }
            let error = #expect(throws: IOError.self) { try FileTree(fixture.root + "/a") }
            expectEqual(error?.description, "not a directory")
        }
    }

    @Test("a directory's entries are filtered, and limited in number")
    func entries() throws {
        try TreeFixture.with { fixture in
            for name in ["a", "b", ".c"] { try fixture.file(name, "12345") }
            try fixture.link("link", to: "a")
            let tree = try FileTree(fixture.root)
            // Twice: the first read must not move the position of the second.
            for _ in 0..<2 {
                guard case .directory(let directory) = try tree.find([]) else { Issue.record("no directory"); return }
                let (entries, isCut) = try directory.entries(atMost: 10) { $0 != ".c" }
                expectEqual(entries.map(\.name).sorted(), ["a", "b", "link"])
                expectFalse(isCut)
                expectEqual(entries.first { $0.name == "link" }?.status.kind, .symbolicLink)
                expectEqual(entries.first { $0.name == "b" }?.status.size, 5)
                try expectTrue(directory.entries(atMost: 3) { _ in true }.isCut)
            }
        }
    }
}
