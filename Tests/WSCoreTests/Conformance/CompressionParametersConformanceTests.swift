import TestSupport
import Testing
import WSCore

@Suite struct CompressionParametersConformanceTests {
    @Test(
        "RFC 7692 §7.1, Autobahn 13: a server answers the suite's offers as required", arguments: negotiations)
    func answer(to negotiation: Negotiation) throws {
        let accepted = try #require(DeflatePreferences().accept(try ExtensionHeader.parse([negotiation.offers])))
        expectEqual(accepted.answer.description, negotiation.answer)
        expectEqual(accepted.parameters, negotiation.parametersAsServer)
    }

    @Test(
        "RFC 7692 §7.1, Autobahn 13: a client accepts the suite's answers to its offer", arguments: negotiations)
    func acceptance(of negotiation: Negotiation) throws {
        let offer = DeflatePreferences().offer
        expectEqual(offer.description, "permessage-deflate; client_max_window_bits")
        let answer = try ExtensionHeader.parse([negotiation.suitesAnswer])
        try expectEqual(DeflateAnswer.parameters(in: answer, to: [offer]), negotiation.parametersAsClient)
    }

    @Test("RFC 7692 §7.2, Autobahn 13: messages of all sizes are echoed", arguments: cases, Role.allCases)
    func echoed(_ testCase: Case, role: Role) throws {
        try expectCompressedEcho(
            of: .json, testCase.size, with: testCase.negotiation.parameters(for: role), role: role, peer: .session)
    }

    @Test(
        "RFC 7692 §7.2, Autobahn 13: messages are exchanged with the reference implementation",
        arguments: cases.filter { $0.size.byteCount <= 8192 }, Role.allCases)
    func exchangedWithReference(_ testCase: Case, role: Role) throws {
        try expectCompressedEcho(
            of: .json, testCase.size, with: testCase.negotiation.parameters(for: role), role: role, peer: .reference)
    }

    /// The suite's offers as a client and its answer as a server, with the resulting parameters.
    struct Negotiation: Sendable, CustomTestStringConvertible {
        let number: String
        let offers: String
        /// Our answer to the suite's offers.
        let answer: String
        let parametersAsServer: DeflateParameters
        /// The suite's answer to our offer.
        let suitesAnswer: String
        let parametersAsClient: DeflateParameters

        var testDescription: String { number }

        func parameters(for role: Role) -> DeflateParameters {
            role == .server ? parametersAsServer : parametersAsClient
        }

        /// - Parameters:
        ///   - demands: The suite's requirements for the server, one per offer.
        ///   - limits: The suite's requirements for the client. Defaults to nil: the first of `demands`.
        init(_ number: String, _ demands: [Demand], ofClient limits: Demand? = nil) {
            let first = demands[0]
            let limits = limits ?? first
            self.number = number
            // As a client, the suite always offers to work without context takeover and with any window.
            offers = demands.map { demand in
                "permessage-deflate; client_no_context_takeover; client_max_window_bits"
                    + demand.parameters(of: "server")
            }.joined(separator: ", ")
            answer =
                "permessage-deflate" + (first.isWithoutContext ? "; server_no_context_takeover" : "")
                + "; client_no_context_takeover" + (first.windowBits.map { "; server_max_window_bits=\($0)" } ?? "")
            parametersAsServer = DeflateParameters(
                serverNoContextTakeover: first.isWithoutContext, clientNoContextTakeover: true,
                serverMaxWindowBits: first.windowBits ?? 15)
            suitesAnswer = "permessage-deflate" + limits.parameters(of: "client")
            parametersAsClient = DeflateParameters(
                clientNoContextTakeover: limits.isWithoutContext, clientMaxWindowBits: limits.windowBits ?? 15)
        }
    }

    /// The requirements of one endpoint for the other.
    struct Demand: Sendable {
        let isWithoutContext: Bool
        let windowBits: Int?

        init(isWithoutContext: Bool, windowBits: Int? = nil) {
            self.isWithoutContext = isWithoutContext
            self.windowBits = windowBits
        }

        func parameters(of end: String) -> String {
            (isWithoutContext ? "; \(end)_no_context_takeover" : "")
                + (windowBits.map { "; \(end)_max_window_bits=\($0)" } ?? "")
        }
    }

    private static let negotiations = [
        Negotiation("13.1", [Demand(isWithoutContext: false)]),
        Negotiation("13.2", [Demand(isWithoutContext: true)]),
        Negotiation("13.3", [Demand(isWithoutContext: false, windowBits: 9)]),
        Negotiation("13.4", [Demand(isWithoutContext: false, windowBits: 15)]),
        Negotiation("13.5", [Demand(isWithoutContext: true, windowBits: 9)]),
        Negotiation("13.6", [Demand(isWithoutContext: true, windowBits: 15)]),
        Negotiation(
            "13.7",
            [
                Demand(isWithoutContext: true, windowBits: 9), Demand(isWithoutContext: true),
                Demand(isWithoutContext: false),
            ]),
    ]

    /// A negotiation followed by messages of one size.
    struct Case: Sendable, CustomTestStringConvertible {
        let number: String
        let negotiation: Negotiation
        let size: CompressedSize

        var testDescription: String { number }
    }

    static let cases = negotiations.flatMap { negotiation in
        CompressedSize.all.map {
            Case(number: "\(negotiation.number).\($0.index)", negotiation: negotiation, size: $0)
        }
    }
}
