import Testing

@testable import WSCore

@Suite struct ExecutableTests {
    @Test("a name with a slash is a path, another is looked for in the directories in their order")
    func path() throws {
        #expect(try Executable.path(of: "/bin/sh", in: "") == "/bin/sh")
        #expect(try Executable.path(of: "sh", in: "/nowhere:/usr/bin:/bin") == "/usr/bin/sh")
        #expect(try Executable.path(of: "sh", in: "/bin:/usr/bin") == "/bin/sh")
        #expect(try Executable.path(of: "sh", in: nil) == "/usr/bin/sh")
    }

    @Test(
        "what is not there, or not executable, is an error",
        arguments: [
            ("no-such-program", "/bin", .noSuchFile), ("", "/bin", .noSuchFile), ("sh", "", .noSuchFile),
            ("/no/such", "", .noSuchFile), ("passwd", "/etc", .accessDenied),
            ("passwd", "/etc:/nowhere", .accessDenied),
            ("/etc", "", .accessDenied), ("etc", "/", .accessDenied),
        ] as [(String, String, IOError)])
    func missing(name: String, directories: String, expected: IOError) {
        #expect(throws: expected) { _ = try Executable.path(of: name, in: directories) }
    }
}
