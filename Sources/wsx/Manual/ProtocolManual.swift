import CommandLine
import Conversation
import UserInterface
import WSCore

/// The help about application protocols, from their descriptors.
enum ProtocolManual {
    /// `wsx help protocol`, and, as subtopics, `wsx help protocol NAME`.
    static let section: ManualSection = {
        let text = ManualPages.section("PROTOCOLS", of: "wsx-protocols")
        let protocols = ApplicationProtocol.all.map { one in
            ManualSubtopic(name: one.name, summary: one.summary, blocks: blocks(of: one))
        }
        return ManualSection(
            text.title, aliases: text.aliases, blocks: text.blocks, subtopics: protocols + text.subtopics)
    }()

    /// The description of a protocol.
    private static func blocks(of one: ApplicationProtocol) -> [ManualBlock] {
        var definitions: [(term: MarkedText, text: MarkedText)] = [
            ("Type", MarkedText(one.manual.input)), ("Sent automatically", MarkedText(one.manual.automatic)),
            ("Hidden", MarkedText(one.manual.hidden)),
        ]
        if let request = request(of: one) { definitions.append(("Request", MarkedText(request))) }
        var blocks: [ManualBlock] = [.definitions(definitions)]
        if !one.parameters.isEmpty {
            blocks.append(.paragraph("Parameters (`--param`):"))
            blocks.append(.definitions(one.parameters.map { (MarkedText("`\($0.name)`"), MarkedText($0.details)) }))
        }
        let codes = closeCodes(of: one)
        if !codes.isEmpty {
            blocks.append(.paragraph("Close codes:"))
            blocks.append(.table(headings: ["Code", "Meaning"], rows: codes))
        }
        return blocks + [.paragraph("Example:"), .listing([one.manual.example])]
    }

    /// What the protocol adds to the URL and the request.
    private static func request(of one: ApplicationProtocol) -> String? {
        let endpoint = one.endpoint
        var sentences: [String] = []
        if endpoint.path != nil || !endpoint.query.isEmpty {
            sentences.append("A URL without a path becomes \(endpoint.requestTarget(completing: "/")).")
        }
        if let suffix = endpoint.pathSuffix { sentences.append("A path gets the suffix \(suffix).") }
        if !endpoint.subprotocols.isEmpty {
            let names = endpoint.subprotocols.joined(separator: ", ")
            sentences.append("Offered subprotocols: \(names).")
        }
        if endpoint.needsOrigin { sentences.append("The origin is that of the server, unless --origin names another.") }
        if let negotiation = endpoint.negotiation {
            sentences.append(
                "A POST request to \(negotiation.requestTarget(for: "/hub")) precedes the connection to /hub.")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// The close codes that the protocol names. RFC 6455 §7.4.2: applications define those from 4000 on.
    private static func closeCodes(of one: ApplicationProtocol) -> [[String]] {
        guard let session = try? one.session(ProtocolParameters()) else { return [] }
        return (4000...4999).compactMap { code in
            session.meaning(of: CloseCode(rawValue: code)).map { ["\(code)", $0] }
        }
    }
}

extension ApplicationProtocol.Parameter {
    /// The meaning, and the form of the value.
    var details: String {
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst()
        return sentence + (isJSON ? ", in JSON" : "") + "."
    }
}
