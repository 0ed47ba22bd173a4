import CommandLine
import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct AWSEnvironmentTests {
    private static func region(_ url: String, _ variables: [String: String] = [:]) throws -> String {
        try AWSEnvironment(environment: { variables[$0] }).region(of: try WebSocketURL(parsing: url))
    }

    @Test("The region comes from the host name, or else from a variable")
    func regions() throws {
        let variables = ["AWS_REGION": "r-1", "AWS_DEFAULT_REGION": "r-2"]
        #expect(try Self.region("wss://a1.execute-api.eu-west-1.amazonaws.com/prod", variables) == "eu-west-1")
        #expect(try Self.region("wss://a1.execute-api.cn-north-1.amazonaws.com.cn/prod") == "cn-north-1")
        #expect(try Self.region("wss://c.us-east-1.neptune.amazonaws.com/", variables) == "r-1")
        #expect(try Self.region("wss://ws.example/", ["AWS_REGION": "", "AWS_DEFAULT_REGION": "r-2"]) == "r-2")
        #expect(throws: Failure.self) { try Self.region("wss://ws.example/") }
        #expect(throws: Failure.self) { try Self.region("wss://amazonaws.com/") }
    }

    @Test(
        "A scope is a service, with or without a region, and with or without curl's prefix",
        arguments: [
            ("r-1:s", "r-1", "s"), ("s", nil, "s"), ("aws:amz:r-1:s", "r-1", "s"), ("aws:amz:s", nil, "s"),
        ] as [(String, String?, String)])
    func scopes(text: String, region: String?, service: String) throws {
        let scope = try SignatureScope(parsing: text)
        #expect(scope.region == region)
        #expect(scope.service == service)
    }

    @Test("Other scopes are rejected", arguments: ["", ":", "r:", ":s", "a:b:c", "aws:amz", "r-1:s/x", "r 1:s", "é"])
    func invalidScopes(text: String) {
        #expect(throws: ValueProblem.self) { try SignatureScope(parsing: text) }
    }
}
