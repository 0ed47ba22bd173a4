import CommandLine
import Connect
import UserInterface

/// The manual of `wsx curl`.
enum CurlManual {
    /// The manual without operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Connects as `wsx connect` with the arguments of a curl command: put `wsx` in front of a command line, such as \
                one that the developer tools of a browser copied with "Copy as cURL". Choose the form for bash. Options and \
                messages of `wsx connect` follow `--`. See CURL COMMANDS.
                """)
        ],
        examples: [
            CommandExample(
                purpose: "Paste a request that a browser copied",
                line: "wsx curl 'wss://api.example/live' -H 'Origin: https://app.example'"),
            CommandExample(
                purpose: "Send a message, and print the first reply as JSON",
                line: "wsx curl https://api.example/live -u me:secret -- -1 hello --output json"),
        ])
}

extension ManualSection {
    /// The section CURL COMMANDS.
    static let curlCommands = ManualSection(
        "CURL COMMANDS",
        blocks: [
            .paragraph(
                """
                `wsx curl` understands the command lines of curl: separate values (`-H` *VALUE*), short options in groups \
                (`-sSkL`), and long names in full. The URL may begin with `https://`, `http://`, `wss://`, or `ws://`, which \
                is the default. Defaults of the configuration file apply as to `wsx connect`; profiles and `echo:` have no \
                meaning.
                """),
            .definitions([
                (
                    "Headers",
                    """
                    Fields of the handshake are set by `wsx`: Connection, Upgrade, Sec-WebSocket-Key, and \
                    Sec-WebSocket-Version. Sec-WebSocket-Protocol is `--subprotocol`. Sec-WebSocket-Extensions decides about \
                    `--compress`; a command with Sec-WebSocket-Version but without that field offers no compression. `-H \
                    'Name;'` sends an empty field. `-H @`*FILE* reads a file, as in curl.
                    """
                ),
                (
                    "Values",
                    """
                    Values are literal: `env:`, `exec:`, and `{{` have no meaning in them, so that a copied command cannot \
                    read variables or run programs. A login or passphrase that begins with `@`, `env:`, or `exec:` is an \
                    error, and so is `{{` together with `--template`. Words after `--` are yours and are read as usual, but \
                    cannot run programs either.
                    """
                ),
            ]),
            .definitions([
                (term: MarkedText("With an effect"), text: names(effective: true)),
                (term: MarkedText("Without an effect, because wsx does the same"), text: names(effective: false)),
                (
                    term: MarkedText("Ignored"),
                    text: MarkedText(
                        "Other options of curl, such as `-N`, `-i`, `--http2`, and `--retry`. A notice names them.")
                ),
                (
                    term: MarkedText("Errors"),
                    text: MarkedText(
                        """
                        Options without which the command would do something else, such as `--data`, `--output`, and \
                        `--next`, and unknown options.
                        """)
                ),
            ]),
        ])

    /// The names of the options that wsx obeys, or of those that ask for what it always does.
    private static func names(effective isEffective: Bool) -> MarkedText {
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
