import TestSupport
import Testing
import WSCore

/// How a client evaluates a server's answers.
@Suite struct DeflateAnswerTests {
    private static let everything =
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
        + "server_max_window_bits=10; client_max_window_bits=10"

    @Test(
        "RFC 7692 §7.1: an answer that matches the offer determines the parameters",
        arguments: [
            ("permessage-deflate; client_max_window_bits", "permessage-deflate", DeflateParameters()),
            (
                "permessage-deflate; client_max_window_bits",
                "permessage-deflate; client_max_window_bits=12; server_max_window_bits=8",
                DeflateParameters(serverMaxWindowBits: 8, clientMaxWindowBits: 12)
            ),
            (
                "permessage-deflate",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                DeflateParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
            ),
            (
                everything, everything,
                DeflateParameters(
                    serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 10,
                    clientMaxWindowBits: 10)
            ),
            // A client applies its hints even if the server ignores them.
            (
                everything, "permessage-deflate; server_no_context_takeover; server_max_window_bits=9",
                DeflateParameters(
                    serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 9,
                    clientMaxWindowBits: 10)
            ),
            // The server accepted the second offer.
            (
                "permessage-deflate; server_max_window_bits=9, permessage-deflate", "permessage-deflate",
                DeflateParameters()
            ),
        ])
    func agreement(offers: String, answer: String, parameters: DeflateParameters) throws {
        try expectEqual(agreed(answer, to: offers), parameters)
    }

    @Test("a server may accept nothing or another extension")
    func nothing() throws {
        try expectNil(agreed("", to: "permessage-deflate"))
        try expectNil(agreed("x-other", to: "permessage-deflate, x-other"))
    }

    @Test(
        "RFC 7692 §7.1: an answer with an unknown, repeated, or invalid parameter fails the connection",
        arguments: [
            "mode=fast", "server_max_window_bits", "client_max_window_bits", "client_max_window_bits=7",
            "server_max_window_bits=016", "server_no_context_takeover=1",
            "server_max_window_bits=9; server_max_window_bits=9",
        ])
    func invalid(parameters: String) throws {
        let answer = "permessage-deflate; \(parameters)"
        #expect(throws: DeflateNegotiationError.invalid(try ExtensionHeader.parse([answer])[0])) {
            try agreed(answer, to: "permessage-deflate; client_max_window_bits")
        }
    }

    @Test(
        "RFC 7692 §5.1: an answer that matches no offer fails the connection",
        arguments: [
            // RFC 7692 §7.1.2.2: allowed only if offered, with at most the offered value.
            ("permessage-deflate", "client_max_window_bits=10"),
            ("permessage-deflate; client_max_window_bits=9", "client_max_window_bits=10"),
            // RFC 7692 §7.1.2.1: required if offered, with at most the offered value.
            ("permessage-deflate; server_max_window_bits=9", "server_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=9", "client_no_context_takeover"),
            // RFC 7692 §7.1.1.1: the answer must include the parameter if offered.
            ("permessage-deflate; server_no_context_takeover", "client_no_context_takeover"),
            ("x-other", "server_no_context_takeover"),
        ])
    func mismatch(offers: String, parameters: String) throws {
        let answer = "permessage-deflate; \(parameters)"
        #expect(throws: DeflateNegotiationError.doesNotMatch(try ExtensionHeader.parse([answer])[0])) {
            try agreed(answer, to: offers)
        }
    }

    @Test("RFC 7692 §5: an answer that accepts compression twice fails the connection")
    func repeated() throws {
        let answer = "permessage-deflate, permessage-deflate"
        #expect(throws: DeflateNegotiationError.repeated(try ExtensionHeader.parse([answer]))) {
            try agreed(answer, to: "permessage-deflate")
        }
    }

    @Test("an error message is one line with the answer and a remedy")
    func words() throws {
        let answers = try ExtensionHeader.parse(["permessage-deflate; a=b"])
        for error in [
            DeflateNegotiationError.repeated(answers), .invalid(answers[0]), .doesNotMatch(answers[0]),
        ] {
            #expect("\(error)".contains("permessage-deflate; a=b"))
            #expect("\(error)".hasSuffix("try --compress=off"))
        }
    }

    private func agreed(_ answer: String, to offers: String) throws -> DeflateParameters? {
        try DeflateAnswer.parameters(
            in: try ExtensionHeader.parse(answer.isEmpty ? [] : [answer]), to: try ExtensionHeader.parse([offers]))
    }
}
