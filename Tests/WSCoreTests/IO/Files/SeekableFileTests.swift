import Glibc
import TestSupport
import Testing
import WSCore

@Suite struct SeekableFileTests {
    @Test("A file is read at any offset, and beyond its end") func offsets() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try File.create(([1, 2, 3, 4, 5] as [UInt8]).span.bytes, at: path)
            let file = try SeekableFile(reading: path, copyingTo: directory) { _ in false }
            var block: [UInt8] = []
            for (offset, expected) in [(3, [4, 5]), (0, [1, 2, 3]), (5, []), (9, [])] as [(Int, [UInt8])] {
                try file.read(at: offset, 3, into: &block)
                expectEqual(block, expected)
            }
        }
    }

    @Test("A pipe is copied, unless its first bytes are rejected", arguments: [true, false]) func pipes(mayCopy: Bool)
        throws
    {
        try withTemporaryDirectory { directory in
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            writeAll([1, 2, 3], to: ends[1])
            closeAll(ends[1])
            defer { closeAll(ends[0]) }
            let path = "/proc/self/fd/\(ends[0])"
            guard mayCopy else {
                #expect(throws: IOError.invalidArgument) {
                    _ = try SeekableFile(reading: path, copyingTo: directory) { _ in false }
                }
                return
            }
            let file = try SeekableFile(reading: path, copyingTo: directory) { $0.byteCount > 0 }
            var block: [UInt8] = []
            try file.read(at: 1, 10, into: &block)
            expectEqual(block, [2, 3])
        }
    }

    @Test(
        "A missing file and a directory are errors",
        arguments: [("/no/such/file", IOError.noSuchFile), ("/tmp", .isDirectory)])
    func errors(path: String, expected: IOError) {
        #expect(throws: expected) { _ = try SeekableFile(reading: path, copyingTo: "/tmp") { _ in true } }
    }
}
