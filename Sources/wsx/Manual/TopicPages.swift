import CommandLine
import UserInterface

/// The manual pages in section 7: what several commands share, and what would make the page of a command too long.
///
/// No page is longer than 800 lines of its source in `man/`, which a test checks.
enum TopicPages {
    static let all = [
        TopicPage(
            "options", summary: "options of the request, network, TLS, compression, and limits",
            options: [
                (.request, clients), (.network, clients), (.tls, networked), (.compression, peers), (.limits, peers),
            ],
            sections: ManualPages.sections(of: "options")),
        TopicPage(
            "prompt", summary: "the prompts of wsx connect, wsx listen, and wsx relay", options: [(.display, commands)],
            sections: ManualPages.sections(of: "prompt")),
        TopicPage(
            "formats", summary: "formats of input and output, paths, JSON events, and recordings",
            options: [(.format, peers)],
            sections: ManualPages.sections(of: "formats")),
        TopicPage(
            "records", summary: "records and codecs: what is inside a message",
            sections: ManualPages.sections(of: "records")),
        TopicPage(
            "protocols", summary: "application protocols", options: [(.protocols, speakers)],
            sections: [ProtocolManual.section]),
        TopicPage(
            "scenarios", summary: "scenarios, automatic answers, and faults for tests",
            options: [(.scenario, players), (.exchange, networked), (.faults, servers)],
            sections: ManualPages.sections(of: "scenarios")),
        TopicPage(
            "conditions", summary: "the messages that options are about",
            sections: ManualPages.sections(of: "conditions")),
        TopicPage(
            "scripting", summary: "requests, reconnecting, and programs",
            sections: ManualPages.sections(of: "scripting")),
        TopicPage(
            "templates", summary: "placeholders: values in messages, URLs, and requests, and filters that compute them",
            options: [(.templates, speakers)],
            sections: ManualPages.sections(of: "templates")),
        TopicPage(
            "results", summary: "results, thresholds, and metrics of load tests",
            options: [(.results, measurements)],
            sections: ManualPages.sections(of: "results")),
        TopicPage(
            "errors", summary: "protocol errors, TLS errors, and limits",
            sections: ManualPages.sections(of: "errors")),
    ]

    private static let clients = names(.connect, .relay, .bench, .check)
    private static let servers = names(.listen, .relay)
    private static let peers = names(.connect, .listen, .relay, .bench)
    private static let networked = names(.connect, .listen, .relay, .bench, .check)
    private static let commands = names(.connect, .listen, .relay, .bench, .merge, .check, .convert)
    private static let speakers = names(.connect, .bench)
    private static let players = names(.connect, .listen, .bench)
    private static let measurements = names(.bench, .merge)

    private static func names(_ commands: Command...) -> [String] { commands.map(\.rawValue) }
}
