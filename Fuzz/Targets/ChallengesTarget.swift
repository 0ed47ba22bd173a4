import WSCore

extension FuzzTarget {
    /// The values of WWW-Authenticate, one per line.
    ///
    /// - The answer is one valid header field, and Basic only if that is allowed. There are at most two answers.
    /// - Schemes and parameter names are tokens, and the number of challenges is limited.
    /// - Their description is one line of limited length that is safe to show.
    /// - Challenges survive serialization according to the RFC and parsing.
    static let challenges = FuzzTarget(name: "challenges") { input in
        let values = input.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let challenges = AuthenticationChallenge.parse(values)
        expect(challenges.count <= AuthenticationChallenge.maximumCount, "\(challenges.count) challenges")
        for challenge in challenges {
            for word in [challenge.scheme] + challenge.parameters.map(\.name) {
                expect(!word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(word) is not a token")
            }
        }
        expectEqual(AuthenticationChallenge.parse([written(challenges)]), challenges, "written and parsed again")
        let fieldValues = values.compactMap { try? HeaderField(name: "WWW-Authenticate", value: $0).value }
        for method in [AuthenticationMethod.digest, .strongest] { checkAnswers(fieldValues, by: method) }
        let head = ResponseHead(
            status: 401, reason: "",
            fields: HTTPFields(values.compactMap { try? HeaderField(name: "WWW-Authenticate", value: $0) }))
        let error = HandshakeError.refused(head, body: [], bodyIsTruncated: false)
        let uses: [ClientLogin.Use] = [
            .none, .sent(scheme: "Basic"), .sent(scheme: "Digest"), .withheld(.digest), .withheld(.strongest),
        ]
        for words in uses.map({ error.description(login: $0) }) {
            expectOneSafeLine(words)
            expect(words.unicodeScalars.count < 6000, "\(words.unicodeScalars.count) characters")
        }
    }

    private static func checkAnswers(_ values: [String], by method: AuthenticationMethod) {
        guard let credentials = try? Credentials(user: "Jäsøn \"Doe\\", password: "pass word 7") else { return }
        var login = ClientLogin(credentials, by: method)
        var count = 0
        let random = [UInt8](repeating: 0xA5, count: 16)
        while count < 3, login.answer(values, method: "GET", target: "/\"?a,b", random: random) {
            count += 1
            let answer = login.authorization ?? ""
            expect(
                (try? HeaderField(name: "Authorization", value: answer))?.value == answer, "\(answer) is not a value")
            expect(!answer.contains("pass word 7"), "the password is in \(answer)")
            guard !answer.hasPrefix("Digest ") else {
                let parsed = AuthenticationChallenge.parse([answer])
                expect(parsed.count == 1 && parsed[0]["response"] != nil, "\(answer) is not one answer")
                continue
            }
            expect(method == .strongest && answer.hasPrefix("Basic "), "\(answer) to \(values)")
        }
        expect(count < 3, "there is a third answer")
    }

    private static func written(_ challenges: [AuthenticationChallenge]) -> String {
        challenges.map { challenge in
            let parameters = challenge.parameters.map { parameter in
                let value = parameter.value.unicodeScalars.map {
                    "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)"
                }
                return "\(parameter.name)=\"\(value.joined())\""
            }
            let rest = challenge.token.map { [$0] } ?? []
            return ([challenge.scheme] + rest).joined(separator: " ")
                + (parameters.isEmpty ? "" : (rest.isEmpty ? " " : ", ") + parameters.joined(separator: ", "))
        }.joined(separator: ", ")
    }
}
