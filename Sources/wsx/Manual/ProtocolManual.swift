import CommandLine
import Conversation
import UserInterface
import WSCore

/// The help about application protocols, from their descriptors.
enum ProtocolManual {
    /// `wsx help protocol auto`.
    private static let automatic = ManualSubtopic(
        name: ProtocolChoice.automaticName, summary: "Detect the protocol",
        blocks: [
            .paragraph(
                """
                `--protocol auto` detects a protocol by the subprotocol that the server selects, by the URL, or by \
                the first message of the server. A notice names it. Before that, messages are sent and shown \
                unchanged. If no protocol is detected, a notice says so at the end.
                """),
            .paragraph(
                """
                `auto` sends an Origin header, which Action Cable requires. It does not complete the URL, offers no subprotocols by itself, and takes no `--param`. To detect \
                GraphQL, STOMP, or MQTT, offer the subprotocol with `-s`. SignalR is not detected. `--one`, `--request`, \
                and `wsx bench` need the name of a protocol.
                """),
            .paragraph("Example:"), .listing(["wsx --protocol auto ':3000/socket.io/?EIO=4&transport=websocket'"]),
        ])

    /// `wsx help protocol @FILE`.
    private static let file = ManualSubtopic(
        name: "@FILE", prefix: "@", summary: "A protocol that a JSON file defines",
        blocks: [
            .paragraph(
                """
                `--protocol @`*FILE* reads a protocol from a JSON file: its login, keepalive, and typed lines, how \
                replies are matched, and the parameters for `--param`. docs/protocols/README.md in the source explains \
                the members, and docs/protocols has files for Discord, OBS, Home Assistant, and others.
                """),
            .paragraph("Example:"), .listing(["wsx --protocol @chat.json --param token=env:TOKEN :3000"]),
        ])

    /// `wsx help protocol`, and, as subtopics, `wsx help protocol NAME`.
    static let section = ManualSection(
        "PROTOCOLS", aliases: ["protocol"],
        blocks: [
            .paragraph(
                """
                With `--protocol` *NAME*, `wsx connect` and `wsx bench` speak an application protocol on top of WebSocket. \
                `wsx` sends the opening and keepalives of the protocol and turns each typed line into messages. Events and \
                replies are shown in the notation of typed lines. `wsx help protocol` *NAME* describes a protocol: what \
                to type, what wsx sends by itself, what it hides, and the parameters for `--param`.
                """),
            .definitions(
                ApplicationProtocol.all.map { (MarkedText("`\($0.name)`"), MarkedText($0.summary + ".")) } + [
                    (
                        "`auto`",
                        """
                        The protocol is detected from the URL, the subprotocol, or the first message, and a notice names \
                        it. Before that, messages are sent and shown unchanged. Not for `wsx bench`.
                        """
                    ),
                    (
                        "`@`*FILE*",
                        """
                        A protocol that a JSON file defines. docs/protocols in the source explains its members and has \
                        examples: Discord, OBS, Home Assistant, and others.
                        """
                    ),
                ]),
            .paragraph(
                """
                The protocol completes the request. It adds a missing path and missing query parameters to the URL, and \
                offers its subprotocols unless `-s` names others: `--protocol socket.io http://localhost:3000` requests \
                `/socket.io/?EIO=4&transport=websocket`. `-v` shows the request.
                """),
            .paragraph(
                """
                Recordings contain the messages of the protocol itself. Those of socket.io are not JSON, so `--ignore` \
                finds nothing in them. For a scenario, write the lines and events instead, and play it with `--protocol`.
                """),
            .paragraph(
                """
                `--json-rpc` and `--protocol json-rpc` make the same calls. `--json-rpc` writes whole messages; \
                `--protocol json-rpc` writes results and notifications without the members around them. The same is true \
                for `--json-rpc=devtools` and `--protocol devtools`.
                """),
            .heading("wsx connect"),
        ] + ManualSection.clientProtocols,
        subtopics: ApplicationProtocol.all.map { one in
            ManualSubtopic(name: one.name, summary: one.summary, blocks: blocks(of: one))
        } + [automatic, file])

    /// The description of a protocol.
    private static func blocks(of one: ApplicationProtocol) -> [ManualBlock] {
        var definitions: [(term: MarkedText, text: MarkedText)] = [
            ("Type", MarkedText(one.manual.input)), ("Sent automatically", MarkedText(one.manual.automatic)),
            ("Hidden", MarkedText(one.manual.hidden)),
        ]
        if let request = request(of: one) { definitions.append(("Request", MarkedText(request))) }
        var blocks: [ManualBlock] = [.definitions(definitions)]
        if !one.parameters.isEmpty {
            blocks.append(.paragraph("Parameters, each as `--param` *NAME*`=`*VALUE*:"))
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
            sentences.append("Offered subprotocols, unless -s names others: \(names).")
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
        return sentence + (isJSON ? ", in JSON" : "")
            + (isSecret ? "; @FILE and env:NAME keep it off the command line" : "") + "."
    }
}
