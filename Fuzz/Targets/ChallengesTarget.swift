import WSCore

extension FuzzTarget {
    /// The values of WWW-Authenticate, one per line.
    ///
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
        let head = ResponseHead(
            status: 401, reason: "",
            fields: HTTPFields(values.compactMap { try? HeaderField(name: "WWW-Authenticate", value: $0) }))
        let error = HandshakeError.refused(head, body: [], bodyIsTruncated: false)
        for words in [error.description, error.description(hasSentCredentials: true)] {
            expectOneSafeLine(words)
            expect(words.unicodeScalars.count < 6000, "\(words.unicodeScalars.count) characters")
        }
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
