import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct OutputFileTests {
    @Test("opening a pipe without a reader fails, and with a reader succeeds")
    func pipe() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/pipe"
            expectEqual(mkfifo(path, 0o600), 0)
            #expect(throws: IOError.noReader) { try OutputFile(creating: path) }
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            let file = try OutputFile(creating: path)
            expectEqual(fcntl(file.descriptor, F_GETFL) & O_NONBLOCK, 0)
        }
    }

    @Test("an existing file is truncated with replacing, and left unchanged without")
    func existing() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try SharedFile.append(Array("kept".utf8), to: path)
            #expect(throws: IOError.fileExists) { try OutputFile(creating: path, replacing: false) }
            try expectEqual(File.read(path), Array("kept".utf8))
            _ = try OutputFile(creating: path)
            try expectEmpty(File.read(path))
        }
    }
}
