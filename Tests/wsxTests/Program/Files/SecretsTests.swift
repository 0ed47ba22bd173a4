import Testing

@testable import UserInterface

@Suite struct SecretsTests {
    private let secrets = Secrets { ["TOKEN": "of the environment", "EMPTY": ""][$0] }

    @Test("A secret is the typed text, or the value of a variable")
    func values() throws {
        #expect(try secrets.value(of: "typed", for: "--auth") == "typed")
        #expect(try secrets.value(of: "env:TOKEN", for: "--auth") == "of the environment")
        #expect(try secrets.value(of: "env:EMPTY", for: "--auth").isEmpty)
    }

    @Test("A missing variable or an unreadable file is named")
    func missing() {
        #expect(
            message { try secrets.value(of: "env:NO\u{1B}", for: "--auth") }
                == #"--auth: the environment variable 'NO\u{1B}' is not set; export it"#)
        let file = message { try secrets.value(of: "@/no/such/file", for: "--bearer") }
        #expect(file?.hasPrefix("--bearer @/no/such/file: ") == true)
    }

    @Test("A program runs once for all options that name it")
    func programs() throws {
        var secrets = self.secrets
        var options: [String] = []
        secrets.run = { command in
            options.append(command.option)
            return command.words.joined(separator: "|")
        }
        #expect(try secrets.value(of: "exec:a  'b c'\t$d", for: "--bearer") == "a|'b|c'|$d")
        #expect(try secrets.text(of: "exec:a  'b c'\t$d", for: "--cookie") == "a|'b|c'|$d")
        #expect(options == ["--bearer"])
        #expect(secrets.record.texts.contains("a|'b|c'|$d"))
    }

    @Test("A space distinguishes a header with the name exec from a program")
    func headers() {
        #expect(SecretCommand(ofHeader: "exec:a b")?.words == ["a", "b"])
        for value in ["exec: a", "exec:", "Exec:a", "X: exec:a"] { #expect(SecretCommand(ofHeader: value) == nil) }
    }

    @Test("An endless file is rejected")
    func endlessFile() {
        var secrets = self.secrets
        secrets.maximumFileBytes = 10
        let problem = message { try secrets.text(of: "@/dev/zero", for: "--first-message") }
        #expect(problem?.hasPrefix("--first-message @/dev/zero: file too large") == true)
    }

    private func message(_ body: () throws -> String) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? Failure)?.message
        }
    }
}
