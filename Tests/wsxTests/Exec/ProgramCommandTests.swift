import Glibc
import Testing

@testable import Peer
@testable import UserInterface

@Suite struct ProgramCommandTests {
    @Test("A program is found in PATH, and gets only the variables it needs")
    func found() throws {
        let ours = [
            "PATH": "/nowhere:/bin", "HOME": "/h", "LC_ALL": "C", "SECRET": "x", "LD_PRELOAD": "x", "HTTP_PROXY": "x",
        ]
        let command = try ProgramCommand(["sh", "-c", "x"], environment: { ours[$0] })
        #expect(command.path == "/bin/sh")
        #expect(command.words == ["sh", "-c", "x"])
        #expect(command.environment == ["PATH": "/nowhere:/bin", "HOME": "/h", "LC_ALL": "C"])
    }

    @Test(
        "The log shows its name without the path, and escaped",
        arguments: [(["/bin/sh"], "sh"), (["sh"], "sh")])
    func name(words: [String], expected: String) throws {
        #expect(try ProgramCommand(words, environment: { _ in nil }).name == expected)
    }

    @Test(
        "The error for a program that cannot run suggests a remedy",
        arguments: [
            ("no-such-program", "no such file or directory; write its path, or add it to PATH"),
            ("/etc/passwd", "permission denied; is it executable?"), ("/etc", "permission denied; is it executable?"),
            ("", "no such file or directory; write its path, or add it to PATH"),
        ])
    func refused(name: String, why: String) {
        do throws(Failure) {
            _ = try ProgramCommand([name], environment: { _ in nil })
            Issue.record("the command was accepted")
        } catch {
            #expect(error.message == "--exec: running '\(name)': \(why)")
            #expect(error.status == .usage)
        }
    }

    @Test("A script with a missing interpreter is rejected, with that reason")
    func interpreter() throws {
        try withFile(Array("#!/no/such/sh -e\n".utf8)) { path in
            #expect(chmod(path, 0o700) == 0)
            expectMessage(
                "--exec: running '\(path)': no such interpreter: '/no/such/sh'; correct the script's first line"
            ) { () throws(Failure) in _ = try ProgramCommand([path], environment: { _ in nil }) }
        }
    }
}
