import CommandLine
import UserInterface

/// The manual pages in section 7: what several commands share, and what would make the page of a command too long.
///
/// No page is longer than 800 lines of its source in `man/`, which a test checks.
enum TopicPages {
    static let all = [
        TopicPage(
            "options", summary: "options of the request, network, TLS, compression, and limits of a client",
            options: [
                (.request, clients), (.network, clients), (.tls, clients), (.compression, peers), (.limits, clients),
            ],
            sections: ManualPages.sections(of: "options")),
        TopicPage(
            "prompt", summary: "the prompts of wsx connect, wsx listen, and wsx relay", options: [(.display, peers)],
            sections: ManualPages.sections(of: "prompt")),
        TopicPage(
            "formats", summary: "formats of input and output, codecs, paths, JSON events, and recordings",
            options: [(.format, servers)],
            sections: ManualPages.sections(of: "formats")),
        TopicPage(
            "protocols", summary: "application protocols", options: [(.protocols, clients)],
            sections: [ProtocolManual.section]),
        TopicPage(
            "scenarios", summary: "scenarios, placeholders, automatic answers, and faults for tests",
            options: [(.scenario, peers), (.templates, clients), (.exchange, peers)],
            sections: ManualPages.sections(of: "scenarios")),
        TopicPage(
            "scripting", summary: "requests, reconnecting, and programs",
            sections: ManualPages.sections(of: "scripting")),
        TopicPage(
            "results", summary: "results, thresholds, and metrics of load tests",
            options: [(.results, [Command.bench.rawValue])],
            sections: ManualPages.sections(of: "results")),
        TopicPage(
            "errors", summary: "protocol errors, TLS errors, and limits",
            sections: ManualPages.sections(of: "errors")),
    ]

    private static let clients = [Command.connect, .relay, .bench].map(\.rawValue)
    private static let servers = [Command.connect, .listen, .relay].map(\.rawValue)
    private static let peers = [Command.connect, .listen, .relay, .bench].map(\.rawValue)
}
