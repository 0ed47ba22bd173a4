import CommandLine

/// The commands, by their names.
enum Command: String, CaseIterable {
    case connect
    case listen
    case bench
    case merge = "bench merge"
    case help
    case completions
}

/// An option of another tool, and what wsx has for it.
///
/// The table holds names that are common, and names that resemble an option of ours with another meaning. The parser
/// looks here when a command has no such option, before it searches for a near miss.
struct ForeignOption: Sendable {
    /// The names as they are typed: `--cacert`, `-A`.
    let names: [String]
    /// The commands for which the remedy holds.
    let commands: [Command]
    /// What to do instead, to follow `unknown option '--cacert';`.
    let remedy: String

    private init(_ commands: [Command], _ names: String..., remedy: String) {
        self.names = names
        self.commands = commands
        self.remedy = remedy
    }

    /// What to do instead of an option that `command` does not have; nil: the table does not know it.
    static func remedy(for typed: String, of command: Command?) -> String? {
        all.first { $0.names.contains(typed) && $0.commands.contains { $0 == command } }?.remedy
    }

    private static let client: [Command] = [.connect, .bench]
    private static let duplex: [Command] = [.connect, .listen]

    /// All of them. A name is there once for each command.
    static let all: [ForeignOption] = request + tls + messages + load + server

    // curl, wscat, websocat: the request and the way to the server.
    private static let request = [
        ForeignOption(client, "--user", "--basic-auth", remedy: "use -a USER:PASSWORD"),
        ForeignOption([.connect], "-u", remedy: "use -a USER:PASSWORD"),
        ForeignOption([.bench], "-u", remedy: "use -c N for connections, or -a USER:PASSWORD to log in"),
        ForeignOption(client, "--oauth2-bearer", remedy: "use --bearer TOKEN"),
        ForeignOption(client, "-A", remedy: "use --user-agent TEXT"),
        ForeignOption(client, "-e", "--referer", remedy: "use -H 'Referer: URL'"),
        ForeignOption(client, "-X", "--method", remedy: "leave it out, as a WebSocket always begins with GET"),
        ForeignOption(client, "--max-redirs", remedy: "use --max-redirects N"),
        ForeignOption(client, "--protocol", remedy: "use -s NAME for a subprotocol"),
        ForeignOption(client, "--interface", remedy: "use --source-ip IP"),
        ForeignOption(client, "--socks5", remedy: "use --proxy socks5://HOST:PORT"),
        ForeignOption(client, "--socks5-hostname", remedy: "use --proxy socks5h://HOST:PORT"),
        ForeignOption([.bench], "-x", "--execute", remedy: "use -m TEXT for a message, or --proxy URL for a proxy"),
        ForeignOption([.connect], "-c", "--connect", remedy: "write the URL without it"),
        ForeignOption(client, "--silent", remedy: "use -q"),
        ForeignOption([.bench], "--fail", remedy: "leave it out, as failures always set the exit status"),
        ForeignOption([.connect, .listen, .bench], "--no-color", remedy: "use --color never"),
    ]

    private static let tls = [
        ForeignOption(client, "--cacert", "--capath", remedy: "use --ca PATH"),
        ForeignOption(client, "--no-check", "--insecure-skip-tls-verify", remedy: "use -k"),
        ForeignOption(client, "--pinnedpubkey", remedy: "use --pin PIN"),
        ForeignOption(client, "--tlsv1.2", remedy: "use --tls-min 1.2"),
        ForeignOption(client, "--tlsv1.3", remedy: "use --tls-min 1.3"),
        ForeignOption(client, "--tls-max", remedy: "leave it out, as there is only a lower limit (--tls-min)"),
        ForeignOption([.bench], "-E", remedy: "use --cert FILE"),
        ForeignOption([.listen], "--cert", "--ssl-cert", remedy: "use --tls-cert FILE"),
        ForeignOption([.listen], "--key", "--ssl-key", remedy: "use --tls-key FILE"),
        ForeignOption([.listen], "--ca", "--cacert", remedy: "use --client-ca PATH"),
        ForeignOption([.listen], "--tls", "--ssl", remedy: "use --tls-self-signed or --tls-cert FILE"),
    ]

    // What is sent and received, and when the run ends.
    private static let messages = [
        ForeignOption(
            [.connect], "-d", "--data", "--data-raw", "--data-binary", "--post", "--message",
            remedy: "write the message after the URL, or use -f FILE"),
        ForeignOption([.bench], "--data", "--data-raw", "--data-binary", "--post", remedy: "use -m TEXT or -f FILE"),
        ForeignOption(
            [.connect], "--json", remedy: "use --output json for events, or write the message after the URL"),
        ForeignOption([.listen, .bench, .merge], "--json", remedy: "use --output json"),
        ForeignOption([.connect], "-m", "--max-time", remedy: "use --timeout DURATION"),
        ForeignOption([.bench], "--max-time", remedy: "use --timeout DURATION"),
        ForeignOption([.connect], "-w", "--wait", remedy: "use --linger DURATION"),
        ForeignOption([.connect], "-E", remedy: "use --linger 0 to leave after the input, or --cert FILE"),
        ForeignOption([.connect], "--exit-on-eof", remedy: "use --linger 0"),
        ForeignOption([.connect], "-1", "--one-message", remedy: "use -n 1"),
        ForeignOption([.connect], "--max-messages", remedy: "use -n N"),
        ForeignOption([.connect], "-P", "--show-ping-pong", remedy: "use -v"),
        ForeignOption([.connect], "--slash", remedy: "leave it out, as the prompt always has commands such as /ping"),
        ForeignOption([.connect], "--retry", remedy: "use --reconnect=N"),
        ForeignOption(duplex, "--ping-interval", remedy: "use --heartbeat DURATION"),
        ForeignOption(duplex, "--ping-timeout", remedy: "use --heartbeat-misses N"),
        ForeignOption([.bench], "--ping-interval", remedy: "use --mode idle with --heartbeat DURATION"),
        ForeignOption(duplex, "-t", remedy: "use --text"),
        ForeignOption([.listen], "-b", remedy: "use --binary"),
        ForeignOption(duplex, "-0", "--null-terminated", remedy: "use --input nul"),
        ForeignOption(duplex, "--base64", remedy: "use --input base64 and --output base64"),
        ForeignOption([.connect], "-U", "--unidirectional-reverse", remedy: "use --no-stdin"),
    ]

    // wrk, oha, k6: how much load.
    private static let load = [
        ForeignOption([.connect], "--vus", remedy: "use 'wsx bench -c N'"),
        ForeignOption([.bench], "--vus", "--concurrency", "--clients", "--users", remedy: "use -c N"),
        ForeignOption([.bench], "-z", remedy: "use -d DURATION"),
        ForeignOption([.bench], "-R", "--rps", "--qps", remedy: "use -r N"),
        ForeignOption(
            [.bench], "-i", "--iterations", "--requests", "--count", "--max-messages", remedy: "use -n N"),
        ForeignOption([.bench], "--stage", "--ramp-up", remedy: "use --ramp DURATION"),
        ForeignOption([.bench], "--latency", remedy: "leave it out, as latencies are always shown"),
        ForeignOption([.bench], "--script", remedy: "use -m TEXT or -f FILE"),
    ]

    // wscat, websocat, websocketd and web servers.
    private static let server = [
        ForeignOption([.listen], "-l", "--listen", remedy: "write the port without it"),
        ForeignOption(
            [.listen], "-p", "--port", "--address", "--bind", "--host", remedy: "write [ADDRESS:]PORT without it"),
        ForeignOption([.listen], "-u", "--user", "--basic-auth", remedy: "use -a USER:PASSWORD"),
        ForeignOption([.listen], "--protocol", remedy: "use -s NAME for a subprotocol"),
        ForeignOption([.listen], "--dir", "--directory", "--static", "--staticdir", remedy: "use --serve DIR"),
        ForeignOption([.listen], "--devconsole", remedy: "use --console"),
        ForeignOption([.listen], "--restrict-uri", remedy: "use --path PATH"),
        ForeignOption([.listen], "--max-clients", remedy: "use --max-connections N"),
        ForeignOption([.listen], "--maxforks", remedy: "use --max-processes N"),
    ]
}

/// A command of another tool, and what wsx has for it.
enum ForeignCommand {
    private static let all = [
        "serve": "wsx listen PORT", "server": "wsx listen PORT", "client": "wsx connect URL", "run": "wsx bench URL",
        "load": "wsx bench URL",
    ]

    /// The command line to write instead; nil: the table does not know the word.
    static func line(for word: String) -> String? { all[word] }
}

/// Command lines as wscat has them: an option says what to do, `-c URL` or `-l PORT`, anywhere among the others.
enum WscatForm {
    private static let forms: [(command: Command, short: String, long: String, placeholder: String)] = [
        (.connect, "-c", "--connect", "URL"), (.listen, "-l", "--listen", "PORT"),
    ]

    /// The line with a command that such a line means; nil: it is no such line.
    /// - Throws: ``UsageError/missingValue(option:placeholder:)``.
    static func line(for words: [String]) throws(UsageError) -> [String]? {
        for (index, word) in words.enumerated() {
            if word == "--" { return nil }
            for form in forms {
                var rest = words
                if word == form.short || word == form.long {
                    guard index + 1 < words.count else {
                        throw .missingValue(option: word, placeholder: form.placeholder)
                    }
                    rest.removeSubrange(index...index + 1)
                    return [form.command.rawValue, words[index + 1]] + rest
                }
                guard word.hasPrefix(form.long + "=") else { continue }
                rest.remove(at: index)
                return [form.command.rawValue, String(word.dropFirst(form.long.count + 1))] + rest
            }
        }
        return nil
    }
}
