import Glibc
import TestSupport
import Testing
import WSCore

@Suite struct FileTests {
    @Test("a file is read whole, even if it is empty or larger than one read", arguments: [0, 1, 2_500_000])
    func whole(count: Int) throws {
        try withTemporaryDirectory { directory in
            let bytes = pattern(count)
            let file = try openFile("\(directory)/file", 1)
            writeAll(bytes, to: file)
            closeAll(file)
            try expectEqual(File.read("\(directory)/file"), bytes)
        }
    }

    @Test(
        "reading a missing file or a directory reports the reason",
        arguments: [("/no/such/file", "no such file or directory"), ("/tmp", "illegal operation on a directory")])
    func errors(path: String, why: String) {
        let error = #expect(throws: IOError.self) { try File.read(path) }
        expectEqual(error?.description, why)
    }

    @Test("a replaced file is accessible only by its owner, and a symbolic link is not followed")
    func replaced() throws {
        try withTemporaryDirectory { directory in
            let (path, target) = ("\(directory)/file", "\(directory)/other")
            try expectTrue(File.canReplace(path))
            try File.create(([1] as [UInt8]).span.bytes, at: target)
            try File.replace(path, with: [2])
            try File.replace(path, with: [3, 4])
            try expectEqual(File.read(path), [3, 4])
            expectEqual(mode(of: path), 0o600)
            try expectTrue(File.canReplace(path))
            #expect(unlink(path) == 0 && symlink(target, path) == 0)
            try expectFalse(File.canReplace(path))
            try File.replace(path, with: [5])
            try expectEqual(File.read(path), [5])
            try expectEqual(File.read(target), [1])
            try expectFalse(File.canReplace(directory))
            try expectFalse(File.canReplace("/dev/null"))
            #expect(throws: IOError.self) { try File.canReplace("\(directory)/none/file") }
            #expect(throws: IOError.self) { try File.replace(directory, with: [6]) }
        }
    }

    @Test("a file is created with the given bytes, and an existing file is not overwritten")
    func created() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            let bytes = pattern(100_000)
            try File.create(bytes.span.bytes, at: path)
            try expectEqual(File.read(path), bytes)
            let error = #expect(throws: IOError.self) { try File.create([UInt8]().span.bytes, at: path) }
            expectEqual(error, .fileExists)
            try expectEqual(File.read(path), bytes)
            try File.create([UInt8]().span.bytes, at: "\(directory)/empty")
            try expectEqual(File.read("\(directory)/empty"), [])
            let missing = #expect(throws: IOError.self) {
                try File.create(bytes.span.bytes, at: "\(directory)/none/file")
            }
            expectEqual(missing, .noSuchFile)
        }
    }
}
