import Testing
import WSCore

@Suite struct CompressionParametersConformanceTests {
    @Test(
        "RFC 7692 §7.1, Autobahn 13: a server answers the suite's offers as they demand", arguments: negotiations)
    func answer(to negotiation: Negotiation) throws {
        let accepted = try #require(DeflatePreferences().accept(try ExtensionHeader.parse([negotiation.offers])))
        #expect(accepted.answer.description == negotiation.answer)
        #expect(accepted.parameters == negotiation.parametersAsServer)
    }

    @Test(
        "RFC 7692 §7.1, Autobahn 13: a client takes what the suite makes of its offer", arguments: negotiations)
    func acceptance(of negotiation: Negotiation) throws {
        let offer = DeflatePreferences().offer
        #expect(offer.description == "permessage-deflate; client_max_window_bits")
        let answer = try ExtensionHeader.parse([negotiation.suitesAnswer])
        #expect(try DeflateAnswer.parameters(in: answer, to: [offer]) == negotiation.parametersAsClient)
    }

    @Test("RFC 7692 §7.2, Autobahn 13: messages of all sizes are echoed", arguments: cases, Role.allCases)
    func echoed(_ testCase: Case, role: Role) throws {
        try expectCompressedEcho(
            of: .json, testCase.size, with: testCase.negotiation.parameters(for: role), role: role, peer: .session)
    }

    @Test(
        "RFC 7692 §7.2, Autobahn 13: messages are exchanged with an end that is not ours",
        arguments: cases.filter { $0.size.byteCount <= 8192 }, Role.allCases)
    func exchangedWithReference(_ testCase: Case, role: Role) throws {
        try expectCompressedEcho(
            of: .json, testCase.size, with: testCase.negotiation.parameters(for: role), role: role, peer: .reference)
    }

    /// What the suite offers as the client and answers as the server, and what then holds.
    struct Negotiation: Sendable, CustomTestStringConvertible {
        let number: String
        let offers: String
        /// Ours to the suite's offers.
        let answer: String
        let parametersAsServer: DeflateParameters
        /// The suite's to our offer.
        let suitesAnswer: String
        let parametersAsClient: DeflateParameters

        var testDescription: String { number }

        func parameters(for role: Role) -> DeflateParameters {
            role == .server ? parametersAsServer : parametersAsClient
        }

        /// - Parameters:
        ///   - demands: What the suite demands of the server, in each of its offers.
        ///   - limits: What it demands of the client: whether to forget each message, and the window.
        init(_ number: String, _ demands: [Demand], ofClient limits: Demand? = nil) {
            let first = demands[0]
            let limits = limits ?? first
            self.number = number
            // As a client, the suite always says that it can do without context and with any window.
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

    /// What one end demands of the other.
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

    /// A negotiation, and messages of one size after it.
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
