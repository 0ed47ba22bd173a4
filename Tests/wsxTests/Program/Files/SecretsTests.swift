import Testing

@testable import wsx

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
