import CPages
import CommandLine
import Connect
import Conversation
import Listen
import LoadTest
import UserInterface
import WSCore

/// The manual: the files of `Sources/CPages/Manual`, completed by what the program computes.
enum ManualPages {
    static let program = file("wsx").manual
    static let connect = file("wsx-connect").manual
    static let listen = file("wsx-listen").manual
    static let relay = file("wsx-relay").manual
    static let bench = file("wsx-bench").manual
    static let merge = file("wsx-bench-merge").manual
    static let curl = file("wsx-curl").manual
    static let check = file("wsx-check").manual
    static let convert = file("wsx-convert").manual
    static let completions = file("wsx-completions").manual

    /// A section of a page.
    static func section(_ title: String, of page: String) -> ManualSection {
        guard let section = file(page).section(title) else { preconditionFailure("\(page) has no section \(title)") }
        return section
    }

    /// The sections of a page about a topic.
    static func sections(of topic: String) -> [ManualSection] { file("wsx-\(topic)").sections }

    /// The commands of the prompts, each as a topic of the help.
    static let promptCommands = commandsOfPrompts.map { command, prompts in
        ManualSubtopic(
            name: "/" + command.name, summary: command.summary,
            blocks: [.definitions([(command.markedUsage, MarkedText(command.explanation.source + prompts))])])
    }

    /// The commands of the prompts, in the order of help, each with a sentence about the prompts that have it.
    private static let commandsOfPrompts: [(PromptCommandDescription, prompts: String)] = {
        let lists: [([PromptCommandDescription], prompts: String)] = [
            (SharedCommands.all.map(\.description), ""),
            (ListenCommands.descriptions, " Only in `wsx listen` and `wsx relay`."),
            (ListenCommands.descriptionsOfRelays, " Only in `wsx relay`."),
            (ConnectCommands.descriptions, " Only in `wsx connect`."),
        ]
        let all = lists.flatMap { list in list.0.map { ($0, prompts: list.prompts) } }
        return PromptCommandDescription.Group.allCases.flatMap { group in all.filter { $0.0.group == group } }
    }()

    private static func file(_ page: String) -> ManualFile {
        guard let text = wsx_page("\(page).md") else { preconditionFailure("there is no page \(page)") }
        return ManualFile(String(cString: text), part: part)
    }

    /// What a line `{{name}}` stands for.
    private static func part(_ name: String) -> [ManualBlock] {
        switch name {
        case "modes": [.definitions(BenchMode.all.map { (MarkedText("`\($0.rawValue)`"), MarkedText($0.manual)) })]
        case "protocols":
            [.definitions(ApplicationProtocol.all.map { (MarkedText("`\($0.name)`"), MarkedText($0.summary + ".")) })]
        case "prompt-commands":
            [
                .definitions(
                    commandsOfPrompts.map { ($0.markedUsage, MarkedText($0.explanation.source + $1)) })
            ]
        case "secret-names": [.listing([(SecretName.allWords + ["cookie"]).joined(separator: " ")])]
        case "protocol-errors": [.definitions(protocolErrors)]
        case "tls-errors": [.definitions(tlsErrors)]
        case "curl-options": [.definitions(curlOptions)]
        default: shared(name)
        }
    }

    /// The contents of a section of another page: `wsx: EXIT STATUS`.
    private static func shared(_ name: String) -> [ManualBlock] {
        let words = name.split(separator: ":", maxSplits: 1)
        guard words.count == 2 else { preconditionFailure("nothing is called \(name)") }
        return section(String(words[1].drop { $0 == " " }), of: String(words[0])).blocks
    }

    private static var protocolErrors: [(MarkedText, MarkedText)] {
        ProtocolError.catalogue.map { error in
            (MarkedText("`\(error.identifier)`"), MarkedText("\(error.closeCode.rawValue): \(error.description)."))
        }
    }

    private static var tlsErrors: [(MarkedText, MarkedText)] {
        TLSError.clientCatalogue.map { error in
            // A remedy follows the semicolon. A literal protects the asterisk of a wildcard from being read as markup.
            let words = error.description.prefix { $0 != ";" }.split(separator: " ")
                .map { $0.contains("*") ? "`\($0)`" : String($0) }
            return (MarkedText("`\(error.identifier)`"), MarkedText(words.joined(separator: " ") + "."))
        }
    }

    private static var curlOptions: [(MarkedText, MarkedText)] {
        [
            ("With an effect", curlOptions(effective: true)),
            ("Without an effect, because wsx does the same", curlOptions(effective: false)),
        ]
    }

    /// The names of the options of curl that wsx obeys, or of those that ask for what it always does.
    private static func curlOptions(effective isEffective: Bool) -> MarkedText {
        let options = CurlOption.all.filter { option in
            switch option.effect {
            case .option, .update: isEffective
            case .none: !isEffective
            case .ignored, .rejected: false
            }
        }
        return MarkedText(options.flatMap(\.names).map { "`\($0)`" }.joined(separator: ", ") + ".")
    }
}
