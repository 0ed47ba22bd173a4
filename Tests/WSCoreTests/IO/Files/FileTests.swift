import Glibc
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
            #expect(try File.read("\(directory)/file") == bytes)
        }
    }

    @Test(
        "reading a missing file or a directory reports the reason",
        arguments: [("/no/such/file", "no such file or directory"), ("/tmp", "illegal operation on a directory")])
    func errors(path: String, why: String) {
        let error = #expect(throws: IOError.self) { try File.read(path) }
        #expect(error?.description == why)
    }

    @Test("a replaced file is accessible only by its owner, and a symbolic link is not followed")
    func replaced() throws {
        try withTemporaryDirectory { directory in
            let (path, target) = ("\(directory)/file", "\(directory)/other")
            #expect(try File.canReplace(path))
            try File.create(([1] as [UInt8]).span.bytes, at: target)
            try File.replace(path, with: [2])
            try File.replace(path, with: [3, 4])
            #expect(try File.read(path) == [3, 4])
            #expect(mode(of: path) == 0o600)
            #expect(try File.canReplace(path))
            #expect(unlink(path) == 0 && symlink(target, path) == 0)
            #expect(try !File.canReplace(path))
            try File.replace(path, with: [5])
            #expect(try File.read(path) == [5])
            #expect(try File.read(target) == [1])
            #expect(try !File.canReplace(directory))
            #expect(try !File.canReplace("/dev/null"))
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
            #expect(try File.read(path) == bytes)
            let error = #expect(throws: IOError.self) { try File.create([UInt8]().span.bytes, at: path) }
            #expect(error == .fileExists)
            #expect(try File.read(path) == bytes)
            try File.create([UInt8]().span.bytes, at: "\(directory)/empty")
            #expect(try File.read("\(directory)/empty") == [])
            let missing = #expect(throws: IOError.self) {
                try File.create(bytes.span.bytes, at: "\(directory)/none/file")
            }
            #expect(missing == .noSuchFile)
        }
    }
}
