import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct ExecutableTests {
    @Test("a name with a slash is a path, and other names are searched for in order")
    func path() throws {
        try expectEqual(Executable.path(of: "/bin/sh", in: ""), "/bin/sh")
        try expectEqual(Executable.path(of: "sh", in: "/nowhere:/usr/bin:/bin"), "/usr/bin/sh")
        try expectEqual(Executable.path(of: "sh", in: "/bin:/usr/bin"), "/bin/sh")
        try expectEqual(Executable.path(of: "sh", in: nil), "/usr/bin/sh")
    }

    @Test(
        "a missing or non-executable program is an error",
        arguments: [
            ("no-such-program", "/bin", .noSuchFile), ("", "/bin", .noSuchFile), ("sh", "", .noSuchFile),
            ("/no/such", "", .noSuchFile), ("passwd", "/etc", .accessDenied),
            ("passwd", "/etc:/nowhere", .accessDenied),
            ("/etc", "", .accessDenied), ("etc", "/", .accessDenied),
        ] as [(String, String, IOError)])
    func missing(name: String, directories: String, expected: IOError) {
        #expect(throws: expected) { _ = try Executable.path(of: name, in: directories) }
    }

    @Test(
        "a script's first line names its interpreter, without arguments",
        arguments: [
            ("#!/bin/sh\nexit\n", "/bin/sh"), ("#!/bin/sh", "/bin/sh"),
            ("#! \t/usr/bin/env -S python3\n", "/usr/bin/env"),
            ("#!/bin/sh\r\n", "/bin/sh\r"), ("#!\n/bin/sh\n", nil), ("/bin/sh\n", nil), ("", nil), ("#", nil),
        ] as [(String, String?)])
    func interpreter(script: String, expected: String?) throws {
        let path = "/tmp/wsx-script-\(UInt64.random(in: .min ... .max))"
        try Array(script.utf8).withUnsafeBytes { try File.create($0.bytes, at: path) }
        defer { unlink(path) }
        expectEqual(Executable.interpreter(of: path), expected)
        expectNil(Executable.interpreter(of: "/no/such"))
    }
}
