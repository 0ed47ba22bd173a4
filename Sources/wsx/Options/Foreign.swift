import CommandLine

/// The commands, by their names.
enum Command: String, CaseIterable {
    case connect
    case listen
    case relay
    case bench
    case merge = "bench merge"
    case curl
    case convert
    case help
    case completions
}

/// An option of another tool, and its counterpart in wsx.
///
/// The table holds well-known names, and names that resemble one of our options with another meaning. The parser
/// consults it for an unknown option before it looks for a similar name. Options that mean exactly the same as one of
/// ours are not here: they are aliases of that option.
struct ForeignOption: Sendable {
    /// The names as typed: `--capath`, `-A`.
    let names: [String]
    /// The commands to which the remedy applies.
    let commands: [Command]
    /// What to do instead, to follow `unknown option '--capath';`.
    let remedy: String

    private init(_ commands: [Command], _ names: String..., remedy: String) {
        self.names = names
        self.commands = commands
        self.remedy = remedy
    }

    /// What to do instead of an option that `command` does not have; nil: the table does not contain the option.
    static func remedy(for typed: String, of command: Command?) -> String? {
        if command == .connect, typed.utf8.dropFirst().first.map({ ".0123456789".utf8.contains($0) }) == true {
            return "write a message that begins with a hyphen after --"
        }
        return all.first { $0.names.contains(typed) && $0.commands.contains { $0 == command } }?.remedy
    }

    private static let client: [Command] = [.connect, .bench]
    private static let duplex: [Command] = [.connect, .listen]

    /// The whole table. It has at most one entry for each name and command.
    static let all: [ForeignOption] = request + tls + messages + load + server

    // curl, wscat, websocat, oha: the request and the way to the server.
    private static let request = [
        ForeignOption(client, "--basic-auth", remedy: "use --auth USER:PASSWORD"),
        ForeignOption(client, "--oauth2-bearer", "--token", "--bearer-token", remedy: "use --bearer TOKEN"),
        ForeignOption(client, "-A", remedy: "use --user-agent TEXT"),
        ForeignOption([.connect], "-e", remedy: "use -H 'Referer: URL'"),
        ForeignOption(client, "--referer", remedy: "use -H 'Referer: URL'"),
        ForeignOption(client, "-X", "--method", remedy: "omit it: a WebSocket handshake always uses GET"),
        ForeignOption(
            client, "--http1.1", "--http3", remedy: "omit it: wsx uses HTTP/1.1"),
        ForeignOption(client, "--http2-prior-knowledge", remedy: "use --http2 with a ws:// URL"),
        ForeignOption([.listen], "--http2-prior-knowledge", remedy: "use --http2 without TLS"),
        ForeignOption(client, "-G", "--get", "--ws", remedy: "omit it: a WebSocket handshake always uses GET"),
        ForeignOption(
            client, "--ntlm", "--negotiate",
            remedy: "use --auth for Basic or Digest authentication, or -H 'Authorization: ...'"),
        ForeignOption(client, "--basic", "--proxy-basic", remedy: "omit it: passwords are sent with Basic by default"),
        ForeignOption([.bench], "--cookie-jar", remedy: "omit it: a load test does not save cookies"),
        ForeignOption(
            [.connect], "-K", "--config", remedy: "write options to ~/.config/wsx/config (see 'wsx help')"),
        ForeignOption(client, "--write-out", remedy: "use --output json for the status and the timings"),
        ForeignOption([.bench], "-w", remedy: "use --output json for the status and the timings"),
        ForeignOption(
            client, "-#", "--progress-bar", "--no-progress-meter", remedy: "use --quiet to hide the progress"),
        ForeignOption([.connect, .listen, .bench], "-?", "--usage", remedy: "use --help"),
        ForeignOption(client, "--max-redirs", remedy: "use --max-redirects N"),
        ForeignOption(client, "--interface", remedy: "use --source-ip IP"),
        ForeignOption(client, "--connect-to", remedy: "use --resolve HOST:PORT:IP"),
        ForeignOption(client, "--socks5", remedy: "use --proxy socks5://HOST:PORT"),
        ForeignOption(client, "--socks5-hostname", remedy: "use --proxy socks5h://HOST:PORT"),
        ForeignOption(client, "--proxy-user", remedy: "use --proxy http://USER:PASSWORD@HOST:PORT"),
        ForeignOption(
            [.bench], "-x", "--execute", remedy: "use --message TEXT for a message, or --proxy URL for a proxy"),
        ForeignOption([.connect], "--connect", remedy: "write just the URL"),
        ForeignOption([.connect], "-c", remedy: "write just the URL, or use --cookie-jar FILE to save cookies"),
        ForeignOption(client, "--url", remedy: "write just the URL"),
        ForeignOption(client, "--silent", remedy: "use --quiet"),
        ForeignOption(client, "-S", "--show-error", remedy: "omit it: errors are always shown"),
        ForeignOption([.bench], "--fail", remedy: "omit it: failures always set the exit status"),
        ForeignOption(
            client, "--disable-compression", "--no-compression", "--no-compress", remedy: "use --compress=off"),
        ForeignOption([.connect, .listen, .bench], "--disable-color", remedy: "use --color never"),
        ForeignOption([.connect], "-O", "--remote-name", remedy: "use '> FILE' to save received messages"),
        ForeignOption([.connect], "-I", "--head", remedy: "use --verbose to show the handshake"),
        ForeignOption(
            [.connect], "-j", "--junk-session-cookies",
            remedy: "remove the lines with the expiry 0 from the cookie file"),
    ]

    private static let tls = [
        ForeignOption(client, "--capath", remedy: "use --ca PATH"),
        ForeignOption(client, "--insecure-skip-tls-verify", remedy: "use --insecure"),
        ForeignOption(
            client, "--ciphers", "--tls13-ciphers", "--curves",
            remedy: "omit it: OpenSSL's defaults apply, which OPENSSL_CONF can change"),
        ForeignOption(client, "--pinnedpubkey", remedy: "use --pin PIN"),
        ForeignOption(client, "--tlsv1.2", remedy: "use --tls-min 1.2"),
        ForeignOption(client, "--tlsv1.3", remedy: "use --tls-min 1.3"),
        ForeignOption(client, "--tls-max", remedy: "omit it: only the oldest version can be set (--tls-min)"),
        ForeignOption(client, "--tls-domain", remedy: "use --tls-server-name NAME"),
        ForeignOption([.bench], "-E", remedy: "use --cert FILE"),
        ForeignOption(
            client, "--cert-type", "--client-pkcs12-der", remedy: "use --cert FILE with a PEM or PKCS #12 file"),
        ForeignOption([.listen], "--cert", "--ssl-cert", "--sslcert", remedy: "use --tls-cert FILE"),
        ForeignOption([.listen], "--key", "--ssl-key", "--sslkey", remedy: "use --tls-key FILE"),
        ForeignOption([.listen], "--pkcs12-der", remedy: "use --tls-cert FILE"),
        ForeignOption([.listen], "--ca", "--cacert", remedy: "use --client-ca PATH"),
        ForeignOption([.listen], "--tls", "--ssl", remedy: "use --tls-self-signed or --tls-cert FILE"),
    ]

    // Messages, and the end of the run.
    private static let messages = [
        ForeignOption(
            [.connect], "-d", "--data-raw", "--data-binary", "--data-urlencode", "--post", "--message", "-F", "--form",
            remedy: "put the message after the URL, or use --file FILE"),
        ForeignOption(
            [.connect], "-T", "--upload-file",
            remedy: "use --file FILE to send one message, or standard input to send lines"),
        ForeignOption([.connect], "-N", "--no-buffer", remedy: "omit it: messages are written as they arrive"),
        ForeignOption(
            [.bench], "--data-raw", "--data-binary", "--post", remedy: "use --message TEXT or --file FILE"),
        ForeignOption([.connect], "-m", remedy: "use --timeout DURATION"),
        ForeignOption(
            [.connect], "-E", remedy: "use --linger 0 to exit at the end of the input, or --cert FILE for a certificate"
        ),
        ForeignOption([.connect], "--exit-on-eof", remedy: "use --linger 0"),
        ForeignOption([.connect], "--one-message", remedy: "use --one"),
        ForeignOption([.connect], "--oneshot", remedy: "use 'wsx listen --once PORT'"),
        ForeignOption([.connect], "--max-messages", remedy: "use --count N"),
        ForeignOption(
            [.connect], "--print-ping-rtts", "--include", "-D", "--dump-header", remedy: "use --verbose"),
        ForeignOption([.connect], "-B", "--buffer-size", remedy: "use --max-message-size SIZE"),
        ForeignOption(duplex, "--debug", "--log-level", remedy: "use --verbose"),
        ForeignOption([.connect], "--trace", "--trace-ascii", "--trace-time", remedy: "use --verbose twice"),
        ForeignOption([.connect], "--slash", remedy: "omit it: the prompt always has commands such as /ping"),
        ForeignOption([.connect], "--retry", remedy: "use --reconnect=N"),
        ForeignOption(
            [.connect], "--retry-delay", "--autoreconnect-delay-millis",
            remedy: "use --reconnect-delay DURATION with --reconnect"),
        ForeignOption([.connect], "--close-status-code", remedy: "use --close-code CODE"),
        ForeignOption(duplex, "--ping", "--ping-interval", "--keepalive-time", remedy: "use --heartbeat DURATION"),
        ForeignOption(duplex, "--ping-timeout", remedy: "use --heartbeat-misses N"),
        ForeignOption([.bench], "--ping-interval", remedy: "use --mode idle with --heartbeat DURATION"),
        ForeignOption([.connect], "-t", remedy: "use --text, or 'wsx bench -t N URL' for a load test on N threads"),
        ForeignOption([.listen], "-t", remedy: "use --text"),
        ForeignOption([.listen], "-b", remedy: "use --binary"),
        ForeignOption(duplex, "-0", "--null-terminated", remedy: "use --input nul"),
        ForeignOption(duplex, "--base64", remedy: "use --input base64 and --output base64"),
        ForeignOption([.connect], "--unidirectional-reverse", remedy: "use --no-stdin"),
        ForeignOption([.connect], "--unidirectional", remedy: "use --linger 0 to exit at the end of the input"),
        ForeignOption(
            [.connect], "-U",
            remedy: "use --no-stdin to only receive, or --proxy http://USER:PASSWORD@HOST:PORT to log in to a proxy"),
    ]

    // wrk, oha, k6: the load.
    private static let load = [
        ForeignOption([.connect], "--vus", "-z", remedy: "use 'wsx bench' for a load test"),
        ForeignOption([.bench], "--vus", "--concurrency", "--clients", "--users", remedy: "use --connections N"),
        ForeignOption(
            [.bench], "--think-time", "--sleep", "--pause", "--interval", "--delay", remedy: "use --think DURATION"),
        ForeignOption([.bench], "-z", remedy: "use --duration DURATION"),
        ForeignOption([.bench], "-R", "--rps", "--qps", remedy: "use --rate N"),
        ForeignOption(
            [.bench], "-i", "--iterations", "--requests", "--count", "--max-messages", remedy: "use --messages N"),
        ForeignOption([.bench], "--stage", remedy: "use --stages TARGET@DURATION,..."),
        ForeignOption([.bench], "--ramp-up", remedy: "use --ramp DURATION"),
        ForeignOption([.bench], "--latency", remedy: "omit it: latencies are always shown"),
        ForeignOption(
            [.bench], "--latency-correction", remedy: "omit it: with --rate, latencies always count from the due time"),
        ForeignOption([.bench], "--script", remedy: "use --message TEXT or --file FILE"),
        ForeignOption([.bench], "-e", "--env", remedy: "use {{env:NAME}} in the URL, a header, or a message"),
        ForeignOption([.bench], "--no-tui", remedy: "use --quiet"),
        ForeignOption([.bench], "-j", "--summary-export", remedy: "use --output json"),
    ]

    // wscat, websocat, websocketd, and web servers.
    private static let server = [
        ForeignOption([.listen], "-l", "--listen", remedy: "write just the port"),
        ForeignOption(
            [.listen], "-p", "--port", "--address", "--bind", "--host", remedy: "write just [ADDRESS:]PORT"),
        ForeignOption([.listen], "-u", "--user", "--basic-auth", remedy: "use --auth USER:PASSWORD"),
        ForeignOption([.listen], "--protocol", "--server-protocol", remedy: "use --subprotocol NAME"),
        ForeignOption([.listen], "--server-header", remedy: "use --header 'NAME: VALUE'"),
        ForeignOption(
            [.listen], "--dir", "--directory", "--static", "--staticdir", "-F", "--static-file",
            remedy: "use --serve DIR"),
        ForeignOption([.listen], "--devconsole", remedy: "use --console"),
        ForeignOption([.listen], "--cors", remedy: "use --origin ORIGIN"),
        ForeignOption([.listen], "--restrict-uri", remedy: "use --path PATH"),
        ForeignOption([.listen], "--oneshot", remedy: "use --once"),
        ForeignOption([.listen], "--max-clients", "--conncap", remedy: "use --max-connections N"),
        ForeignOption([.listen], "--maxforks", remedy: "use --max-processes N"),
    ]
}

/// A command of another tool, or another word that takes the place of a command, and its counterpart in wsx.
enum ForeignCommand {
    private static let all = [
        "serve": "wsx listen PORT", "server": "wsx listen PORT", "client": "wsx connect URL", "run": "wsx bench URL",
        "load": "wsx bench URL", "echo": "wsx connect echo:", "-": "wsx connect URL", "version": "wsx --version",
        "man": "man wsx", "ws": "wsx connect ws://HOST", "wss": "wsx connect wss://HOST", "open": "wsx connect URL",
        "send": "wsx connect URL MESSAGE", "echo-server": "wsx listen --echo PORT",
    ]

    private static let httpMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"]

    /// The command line to use instead; nil: there is none.
    static func line(for word: String) -> String? {
        if let line = all[word] { return line }
        // As in HTTPie. A WebSocket handshake always uses GET.
        if httpMethods.contains(word.uppercased()) { return "wsx connect URL" }
        if JSONMessage.isBeginning(word) { return "wsx connect URL MESSAGE" }
        let isPort = word.utf8.count <= 5 && word.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isPort ? "wsx connect :\(word)" : nil
    }
}

/// Command lines in wscat's form: instead of a command they have `-c URL` or `-l PORT`, anywhere among the options.
/// `--slash` has no effect: the prompt always has slash commands.
enum WscatForm {
    private static let forms: [(command: Command, short: String, long: String, placeholder: String)] = [
        (.connect, "-c", "--connect", "URL"), (.listen, "-l", "--listen", "PORT"),
    ]

    /// The equivalent line with a command; nil: the line does not have wscat's form.
    /// - Throws: ``UsageError/missingValue(option:placeholder:)``.
    static func line(for words: [String]) throws(UsageError) -> [String]? {
        // After a URL, it is another option, such as curl's -c FILE.
        guard words.first?.hasPrefix("-") ?? false else { return nil }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let words = words[..<end].filter { $0 != "--slash" } + words[end...]
        for (index, word) in words.enumerated() {
            if word == "--" { return nil }
            for form in forms {
                var rest = words
                if word == form.short || word == form.long {
                    guard index + 1 < words.count else {
                        throw .missingValue(option: word, placeholder: form.placeholder)
                    }
                    // curl's -c FILE. A number is meant for bench.
                    let value = words[index + 1]
                    if form.command == .connect, !MisplacedValue.isURL(value), Int(value) == nil,
                        words.contains(where: { $0.hasPrefix("ws://") || $0.hasPrefix("wss://") })
                    {
                        return nil
                    }
                    rest.removeSubrange(index...index + 1)
                    return [form.command.rawValue, value] + rest
                }
                guard word.hasPrefix(form.long + "=") else { continue }
                rest.remove(at: index)
                return [form.command.rawValue, String(word.dropFirst(form.long.count + 1))] + rest
            }
        }
        return nil
    }
}
