import TestSupport
import Testing
import WSCore

/// A client's offers, and a server's answers to offers.
@Suite struct DeflatePreferencesTests {
    @Test(
        "RFC 7692 §7.1: an offer reflects the client's preferences",
        arguments: [
            (DeflatePreferences(), "permessage-deflate; client_max_window_bits"),
            (
                DeflatePreferences(windowBits: 9),
                "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9"
            ),
            // Many peers do not support 8.
            (
                DeflatePreferences(windowBits: 8),
                "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9"
            ),
            (
                DeflatePreferences(keepsContext: false),
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits"
            ),
        ])
    func offers(preferences: DeflatePreferences, header: String) {
        expectEqual("\(preferences.offer)", header)
    }

    static let acceptanceCases: [(String, String)] = [
        ("permessage-deflate", "permessage-deflate"),
        ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
        ("permessage-deflate; client_max_window_bits=15", "permessage-deflate"),
        ("permessage-deflate; client_max_window_bits=10", "permessage-deflate; client_max_window_bits=10"),
        ("permessage-deflate; client_max_window_bits=\"8\"", "permessage-deflate; client_max_window_bits=8"),
        ("permessage-deflate; server_max_window_bits=15", "permessage-deflate; server_max_window_bits=15"),
        ("permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=8"),
        ("permessage-deflate; server_no_context_takeover", "permessage-deflate; server_no_context_takeover"),
        ("permessage-deflate; client_no_context_takeover", "permessage-deflate; client_no_context_takeover"),
        (
            "permessage-deflate; client_max_window_bits; client_no_context_takeover; "
                + "server_no_context_takeover; server_max_window_bits=12",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=12"
        ),
        ("x-webkit-deflate-frame, permessage-deflate", "permessage-deflate"),
        (
            "permessage-deflate; server_max_window_bits=10, permessage-deflate",
            "permessage-deflate; server_max_window_bits=10"
        ),
    ]

    @Test("RFC 7692 §7.1: a server handles each parameter as defined", arguments: Self.acceptanceCases)
    func acceptance(offer: String, answer: String) throws {
        try expectEqual(accept(offer, DeflatePreferences())?.answer, answer)
    }

    static let decliningCases: [String] = [
        "mode=fast", "client_max_window_bits=7", "client_max_window_bits=16", "client_max_window_bits=08",
        "client_max_window_bits=+9", "client_max_window_bits=a", "server_max_window_bits",
        "server_max_window_bits=7", "server_max_window_bits=16", "server_max_window_bits=010",
        "server_no_context_takeover=1", "client_no_context_takeover=true",
        "client_max_window_bits; client_max_window_bits",
        "server_no_context_takeover; server_no_context_takeover", "Server_no_context_takeover",
    ]

    @Test(
        "RFC 7692 §7.1: an offer with an unknown, repeated, or invalid parameter is declined in favor of the next",
        arguments: Self.decliningCases)
    func declining(parameters: String) throws {
        try expectNil(accept("permessage-deflate; \(parameters)", DeflatePreferences()))
        let second = try accept(
            "permessage-deflate; \(parameters), permessage-deflate; server_no_context_takeover", DeflatePreferences())
        expectEqual(second?.answer, "permessage-deflate; server_no_context_takeover")
    }

    @Test("other extensions are ignored")
    func others() throws {
        try expectNil(accept("permessage-bzip2; client_max_compress_level=1", DeflatePreferences()))
        expectNil(DeflatePreferences().accept([]))
    }

    @Test("RFC 7692 §7.1.2.2: a server that prefers a smaller window requests it only from clients that support it")
    func serverWindow() throws {
        let small = DeflatePreferences(windowBits: 10)
        let plain = try accept("permessage-deflate", small)
        expectEqual(plain?.answer, "permessage-deflate; server_max_window_bits=10")
        expectEqual(plain?.parameters, DeflateParameters(serverMaxWindowBits: 10))
        let able = try accept("permessage-deflate; client_max_window_bits", small)
        expectEqual(able?.answer, "permessage-deflate; server_max_window_bits=10; client_max_window_bits=10")
        expectEqual(able?.parameters, DeflateParameters(serverMaxWindowBits: 10, clientMaxWindowBits: 10))
        let smallest = try accept("permessage-deflate; client_max_window_bits", DeflatePreferences(windowBits: 8))
        expectEqual(smallest?.answer, "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9")
        let smaller = try accept("permessage-deflate; client_max_window_bits=9; server_max_window_bits=8", small)
        expectEqual(smaller?.answer, "permessage-deflate; server_max_window_bits=8; client_max_window_bits=9")
    }

    @Test("RFC 7692 §7.1.1: a server without context takeover declares it unasked for both directions")
    func serverContext() throws {
        let answer = try accept("permessage-deflate", DeflatePreferences(keepsContext: false))
        expectEqual(answer?.answer, "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
        expectEqual(answer?.parameters, DeflateParameters(serverNoContextTakeover: true, clientNoContextTakeover: true))
    }

    private func accept(
        _ offers: String, _ preferences: DeflatePreferences
    ) throws -> (parameters: DeflateParameters, answer: String)? {
        let accepted = preferences.accept(try ExtensionHeader.parse([offers]))
        return accepted.map { ($0.parameters, "\($0.answer)") }
    }
}
