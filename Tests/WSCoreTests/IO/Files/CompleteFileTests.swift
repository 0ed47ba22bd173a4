import Glibc
import TestSupport
import Testing
import WSCore

@Suite struct CompleteFileTests {
    @Test("A file has its name only when it is complete, and is accessible only by its owner") func completion() throws
    {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            do {
                let file = try CompleteFile(creating: path)
                try file.write(([1, 2] as [UInt8]).span.bytes)
                expectTrue(File.isMissing(path))
                try file.write(([3] as [UInt8]).span.bytes)
                try file.complete()
            }
            try expectEqual(File.read(path), [1, 2, 3])
            expectEqual(mode(of: path), 0o600)
            try expectEqual(names(in: directory), ["file"])
        }
    }

    @Test("An incomplete file is removed") func incomplete() throws {
        try withTemporaryDirectory { directory in
            try CompleteFile(creating: "\(directory)/file").write(([1] as [UInt8]).span.bytes)
            try expectEqual(names(in: directory), [])
        }
    }

    @Test("A file that exists, or appears meanwhile, is not replaced") func existing() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            let file = try CompleteFile(creating: path)
            try File.create(([7] as [UInt8]).span.bytes, at: path)
            #expect(throws: IOError.fileExists) { try file.complete() }
            #expect(throws: IOError.fileExists) { _ = try CompleteFile(creating: path) }
            try expectEqual(File.read(path), [7])
        }
    }

    private func names(in directory: String) throws -> [String] {
        let stream = try #require(opendir(directory))
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
