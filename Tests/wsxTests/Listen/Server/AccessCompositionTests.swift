import Testing
import WSCore

@testable import Listen
@testable import UserInterface

@Suite struct AccessCompositionTests {
    @Test("Credentials and tokens may be given directly, or in a variable or a file")
    func sources() throws {
        try withFile(Array("in a:file\n".utf8)) { path in
            let policy = try policy(["me:pw", "env:LOGIN", "@\(path)"], ["t", "env:TOKEN"])
            #expect(policy.login(with: try Credentials(user: "me", password: "pw").basicAuthorization) != nil)
            #expect(policy.login(with: try Credentials(user: "you", password: "a:b").basicAuthorization) != nil)
            #expect(policy.login(with: try Credentials(user: "in a", password: "file").basicAuthorization) != nil)
            #expect(policy.login(with: "Bearer t") != nil)
            #expect(policy.login(with: "Bearer of-the-environment") != nil)
            #expect(policy.login(with: "Bearer env:TOKEN") == nil)
        }
        #expect(try !policy([], []).isClosed)
    }

    @Test(
        "Unusable credentials are rejected without showing them",
        arguments: ["secret", "secret:", "env:EMPTY", ":", "secret:\u{7}", "sec\nret:x"])
    func badCredentials(text: String) {
        expectMessage(beginning: "--auth: ", without: "secret") { () throws(Failure) in
            _ = try policy([text], [])
        }
    }

    @Test("A token must not be empty or contain spaces", arguments: ["env:EMPTY", "a secret", "", "secret\u{1B}"])
    func badToken(text: String) {
        expectMessage(beginning: "--bearer: a token must be", without: "secret") { () throws(Failure) in
            _ = try policy([], [text])
        }
    }

    private func expectMessage(
        beginning: String, without secret: String, _ body: () throws(Failure) -> Void
    ) {
        do throws(Failure) {
            try body()
            #expect(Bool(false), "nothing was thrown")
        } catch {
            #expect(error.message?.hasPrefix(beginning) ?? false, "\(error.message ?? "")")
            #expect(error.message?.contains(secret) == false)
            #expect(error.status == .usage)
        }
    }

    private func policy(_ credentials: [String], _ tokens: [String]) throws(Failure) -> AccessPolicy {
        let environment = ["LOGIN": "you:a:b", "TOKEN": "of-the-environment", "EMPTY": ""]
        return try AccessComposition(
            option: "--auth", credentials: credentials, tokens: tokens,
            secrets: Secrets(environment: { environment[$0] })
        ).policy()
    }
}
