import Testing

@testable import WSCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct OutputFileTests {
    @Test("a pipe that nobody reads is an error, and one with a reader is opened")
    func pipe() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            #expect(throws: IOError.noReader) { try OutputFile(creating: path) }
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            let file = try OutputFile(creating: path)
            #expect(fcntl(file.descriptor, F_GETFL) & O_NONBLOCK == 0)
        }
    }

    @Test("a file is emptied where it may be replaced, and otherwise stays as it is")
    func existing() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try SharedFile.append(Array("kept".utf8), to: path)
            #expect(throws: IOError.fileExists) { try OutputFile(creating: path, replacing: false) }
            #expect(try File.read(path) == Array("kept".utf8))
            _ = try OutputFile(creating: path)
            #expect(try File.read(path).isEmpty)
        }
    }
}
