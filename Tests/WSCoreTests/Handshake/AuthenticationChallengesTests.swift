import Testing

@testable import WSCore

@Suite struct AuthenticationChallengesTests {
    @Test(
        "the schemes are told from the parameters between the same commas (RFC 9110 §11.6.1)",
        arguments: [
            (["Basic realm=\"x\""], ["Basic"]), (["Basic"], ["Basic"]), (["Negotiate, NTLM"], ["Negotiate", "NTLM"]),
            (["Digest realm=\"a, Basic b=c\", nonce=\"\\\", X y\", algorithm=MD5, basic"], ["Digest", "basic"]),
            (["Newauth realm=\"apps\", type=1, title = \"Log in\", Basic realm=\"simple\""], ["Newauth", "Basic"]),
            (["Negotiate YWJj==", "Basic", "BASIC realm=x"], ["Negotiate", "Basic"]), ([" ,, ", ""], []),
            (["Basic\trealm=x"], ["Basic"]), (["\u{1B}[2J x"], []), (["\"Basic\""], []), (["a@b c"], []), ([], []),
            (["Basic realm=\"open, NTLM"], ["Basic"]),
        ])
    func schemes(values: [String], schemes: [String]) {
        #expect(AuthenticationChallenges.schemes(in: values) == schemes)
    }
}
