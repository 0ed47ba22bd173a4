import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct SharedFileTests {
    @Test("appended bytes are in the file, which is accessible only by its owner")
    func append() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try SharedFile.append(Array("one\n".utf8), to: path)
            try SharedFile.append(Array("two\n".utf8), to: path)
            try expectEqual(File.read(path), Array("one\ntwo\n".utf8))
            expectEqual(mode(of: path), 0o600)
        }
    }

    @Test("an update replaces the whole file, and later appends go to the new one")
    func update() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try SharedFile.append(Array("one\ntwo\n".utf8), to: path)
            try SharedFile.update(path, readingAtMost: 4) { bytes, areAll in
                expectEqual(bytes, Array("two\n".utf8))
                expectFalse(areAll)
                return bytes
            }
            try SharedFile.append(Array("three\n".utf8), to: path)
            try expectEqual(File.read(path), Array("two\nthree\n".utf8))
            expectEqual(mode(of: path), 0o600)
        }
    }

    @Test("an update does nothing if the file is missing or there is nothing to change")
    func nothing() throws {
        try withTemporaryDirectory { directory in
            try SharedFile.update("\(directory)/file", readingAtMost: 10) { _, _ in
                Issue.record("an empty file was read")
                return []
            }
            expectFalse(exists("\(directory)/file"))
            try SharedFile.append([1], to: "\(directory)/other")
            try SharedFile.update("\(directory)/other", readingAtMost: 10) { _, areAll in
                expectTrue(areAll)
                return nil
            }
            try expectEqual(File.read("\(directory)/other"), [1])
        }
    }

    @Test("while another process holds the lock, a file can be appended to and read, but not replaced")
    func locked() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try SharedFile.append(Array("one\n".utf8), to: path)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            expectEqual(flock(descriptor, LOCK_EX), 0)
            try SharedFile.append(Array("two\n".utf8), to: path)
            try SharedFile.update(path, readingAtMost: 100) { bytes, _ in
                expectEqual(bytes, Array("one\ntwo\n".utf8))
                return []
            }
            try expectEqual(File.read(path), Array("one\ntwo\n".utf8))
        }
    }

    @Test("a device is not read")
    func device() throws {
        try SharedFile.update("/dev/zero", readingAtMost: 10) { _, _ in
            Issue.record("a device was read")
            return nil
        }
    }
}
