import TestSupport
import Testing

@testable import WSCore

@Suite struct AWSProfilesTests {
    private func profiles(_ text: String) -> AWSProfiles { AWSProfiles(parsing: Array(text.utf8)) }

    static let formsCases: [String] = [
        "[p]\nk=v\n", "[p]\r\nk = v\r\n", "# c\n ; c\n[p] # c\nK\t=v ; c\n", "[ p ]\n  k = v", "[q]\nk=x\n[p]\nk=v",
        "[p]\nk=x\n[q]\n[p]\nk=v", "k=x\n[p]\nk=v\nsome words\n", "[p]\n\ns3 =\n  k = x\nk = v\n",
    ]

    @Test("Spaces, comments, the case of keys, and line ends do not matter", arguments: Self.formsCases)
    func forms(text: String) {
        expectEqual(profiles(text)["p"]?["k"], "v")
    }

    @Test("A value may contain signs, and a section may be empty or missing")
    func values() {
        let profiles = profiles("[default]\nkey = a=b#c;d\n[profile  one]\n[broken\n")
        expectEqual(profiles["default"], ["key": "a=b#c;d"])
        expectEqual(profiles["profile one"], [:])
        expectNil(profiles["one"])
        expectNil(AWSProfiles(parsing: [0xFF, 0x5B, 0x0A, 0x5D])["p"])
    }

    @Test(
        "Credentials that no header field can carry are rejected",
        arguments: [
            ("", "s", nil, .invalidAccessKeyID), ("a b", "s", nil, .invalidAccessKeyID),
            ("a", "", nil, .emptySecretKey),
            ("a", "s", "", .invalidSessionToken), ("a", "s", "t\r\nX: y", .invalidSessionToken),
        ] as [(String, String, String?, AWSCredentialsError)])
    func invalid(id: String, key: String, token: String?, error: AWSCredentialsError) {
        #expect(throws: error) {
            try AWSCredentials(accessKeyID: id, secretKey: key, sessionToken: token)
        }
    }
}
