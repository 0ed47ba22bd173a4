import CommandLine
import UserInterface
import WSCore

/// An option of curl, and its meaning for a WebSocket connection.
package struct CurlOption: Sendable {
    /// What an option does.
    package enum Effect: Sendable {
        /// Nothing: it asks for what wsx always does.
        case none
        /// Nothing, and a notice says so.
        case ignored
        /// An error, because the command would do something else without the option.
        case rejected(remedy: String)
        /// The option of `wsx connect` with this long name, and the same value if there is one.
        case option(String)
        /// Anything else.
        case update(Update)
    }

    package typealias Update =
        @Sendable (inout CurlCommand, _ typed: String, _ value: String) throws(UsageError) -> Void

    /// The names as typed: `-H`, `--header`.
    package let names: [String]
    let takesValue: Bool
    package let effect: Effect

    private init(_ names: String..., takesValue: Bool = false, does effect: Effect) {
        self.names = names
        self.takesValue = takesValue
        self.effect = effect
    }

    private init(flag names: String..., update: @escaping @Sendable (inout CurlCommand) -> Void) {
        self.names = names
        takesValue = false
        effect = .update { command, _, _ in update(&command) }
    }

    private init(value names: String..., update: @escaping Update) {
        self.names = names
        takesValue = true
        effect = .update(update)
    }

    /// The option with a name as typed.
    /// - Throws: ``UsageError`` for one that is not in the table: whether it takes a value is unknown. Text after `=`
    ///   may be a secret and is not shown.
    package static func named(_ typed: String) throws(UsageError) -> CurlOption {
        if let option = all.first(where: { option in option.names.contains(typed) }) { return option }
        let name = String(Substring(typed.utf8.prefix { $0 != UInt8(ascii: "=") }))
        if name != typed, all.contains(where: { option in option.names.contains(name) }) {
            throw .foreignOption(name + "=", remedy: "curl has no '=' there; write \(name) VALUE")
        }
        let names = typed.hasPrefix("--") ? all.flatMap { option in option.names } : []
        let nearest = EditDistance.nearest(to: name, among: names)
        throw .foreignOption(
            name, remedy: nearest.map { "did you mean '\($0)'?" } ?? "omit it; options of wsx follow --")
    }

    /// The options. Each name is in it once.
    package static let all: [CurlOption] = request + logins + network + tls + output + rejected + ignored

    private static let request = [
        CurlOption(value: "--url") { command, _, value throws(UsageError) in try command.take(url: value) },
        CurlOption(value: "-H", "--header") { command, _, value in command.add(header: value) },
        CurlOption(value: "-b", "--cookie") { command, _, value in command.add(cookie: value) },
        CurlOption("-c", "--cookie-jar", takesValue: true, does: .option("cookie-jar")),
        CurlOption(value: "-A", "--user-agent") { command, _, value in command.fields.defaultUserAgent = value },
        CurlOption(value: "-e", "--referer") { command, _, value in
            // `URL;auto` also sets the field after redirects.
            let url = value.hasSuffix(";auto") ? String(value.dropLast(5)) : value
            if !url.isEmpty { command.fields.add(default: "Referer", url) }
        },
        CurlOption(value: "-X", "--request") { _, typed, value throws(UsageError) in
            guard value.uppercased() == "GET" else {
                throw .foreignOption("\(typed) \(value)", remedy: "a WebSocket handshake always uses GET; omit it")
            }
        },
        CurlOption(value: "-T", "--upload-file") { _, typed, value throws(UsageError) in
            // In curl, these send standard input as messages.
            guard value == "-" || value == "." else {
                throw .foreignOption(typed, remedy: "to send a file as a message, write -- --file FILE")
            }
        },
        CurlOption(flag: "-L", "--location") { command in command.follow("location") },
        CurlOption(flag: "--location-trusted") { command in command.follow("location-trusted") },
        CurlOption(value: "--max-redirs") { command, _, value in
            if value != "-1" { command.add("max-redirects", value) }
        },
        CurlOption(flag: "-g", "--globoff") { command in command.isGlobbing = false },
        CurlOption("--compressed", "--http1.1", "--path-as-is", "-G", "--get", "-q", "--disable", does: .none),
    ]

    private static let logins = [
        CurlOption(value: "-u", "--user") { command, typed, value throws(UsageError) in
            command.add("auth", try CurlCommand.literal(value, of: typed, for: "auth"))
        },
        CurlOption("--digest", does: .option("digest")), CurlOption("--anyauth", does: .option("anyauth")),
        CurlOption("--basic", "--proxy-basic", does: .none),
        CurlOption(value: "--oauth2-bearer") { command, _, value in
            command.fields.add(default: "Authorization", "Bearer \(value)")
        },
        CurlOption("--aws-sigv4", takesValue: true, does: .option("aws-sigv4")),
        CurlOption("-n", "--netrc", does: .option("netrc")),
        CurlOption(
            "--netrc-file", "--netrc-optional",
            does: .rejected(remedy: "use --netrc, which reads the file that $NETRC names or ~/.netrc")),
        CurlOption(
            "--ntlm", "--negotiate", "--ntlm-wb",
            does: .rejected(
                remedy: "wsx logs in with Basic or Digest authentication, a token, or -H 'Authorization: ...'")),
    ]

    private static let network = [
        CurlOption("-4", "--ipv4", does: .option("ipv4")), CurlOption("-6", "--ipv6", does: .option("ipv6")),
        CurlOption(value: "--resolve") { command, _, value in
            command.add("resolve", value.hasPrefix("+") ? String(value.dropFirst()) : value)
        },
        CurlOption("--connect-to", does: .rejected(remedy: "use --resolve HOST:PORT:IP")),
        CurlOption(value: "--interface") { command, typed, value throws(UsageError) in
            guard SocketAddress(numeric: value, port: 0) != nil else {
                throw .badValue(
                    name: typed, value: value,
                    problem: .unusable(words: "wsx needs an IP address of this machine, not a name"))
            }
            command.add("source-ip", value)
        },
        CurlOption(value: "--unix-socket") { command, _, value in
            command.add("unix-socket", value.hasPrefix("@") ? "./" + value : value)
        },
        CurlOption(value: "--abstract-unix-socket") { command, _, value in command.add("unix-socket", "@" + value) },
        CurlOption(value: "--connect-timeout") { command, typed, value throws(UsageError) in
            try command.add("connect-timeout", seconds: value, typed: typed)
        },
        CurlOption(value: "-m", "--max-time") { command, typed, value throws(UsageError) in
            try command.add("timeout", seconds: value, typed: typed)
        },
        CurlOption(value: "-x", "--proxy") { command, _, value in command.proxy = value },
        CurlOption(value: "--socks5") { command, _, value in command.proxy = "socks5://" + value },
        CurlOption(value: "--socks5-hostname") { command, _, value in command.proxy = "socks5h://" + value },
        CurlOption(value: "-U", "--proxy-user") { command, _, value in command.proxyUser = value },
        CurlOption("--proxy-digest", does: .option("proxy-digest")),
        CurlOption("--proxy-anyauth", does: .option("proxy-anyauth")),
        CurlOption("--noproxy", takesValue: true, does: .option("no-proxy")),
        CurlOption("-p", "--proxytunnel", does: .none),
        CurlOption(
            "--socks4", "--socks4a", "--preproxy", "--proxy1.0", "--proxy-ntlm", "--proxy-negotiate",
            "--haproxy-protocol",
            does: .rejected(remedy: "wsx speaks HTTP CONNECT and SOCKS 5, with Basic or Digest authentication")),
    ]

    private static let tls = [
        CurlOption(flag: "-k", "--insecure") { command in command.isInsecure = true },
        CurlOption("--cacert", "--capath", takesValue: true, does: .option("ca")),
        CurlOption(value: "-E", "--cert") { command, typed, value throws(UsageError) in
            let (file, passphrase) = CurlCommand.certificate(value)
            command.add("cert", file)
            guard let passphrase else { return }
            command.add("passphrase", try CurlCommand.literal(passphrase, of: typed, for: "passphrase"))
        },
        CurlOption("--key", takesValue: true, does: .option("key")),
        CurlOption(value: "--pass") { command, typed, value throws(UsageError) in
            command.add("passphrase", try CurlCommand.literal(value, of: typed, for: "passphrase"))
        },
        CurlOption(value: "--pinnedpubkey") { command, _, value in
            for pin in value.split(separator: ";") { command.add("pin", String(pin)) }
        },
        // The contents of the file decide.
        CurlOption("--cert-type", "--key-type", takesValue: true, does: .none),
        CurlOption("-1", "--tlsv1", "--tlsv1.0", "--tlsv1.1", does: .none),
        CurlOption(flag: "--tlsv1.2") { command in command.add("tls-min", "1.2") },
        CurlOption(flag: "--tlsv1.3") { command in command.add("tls-min", "1.3") },
    ]

    private static let output = [
        CurlOption("-v", "--verbose", does: .option("verbose")), CurlOption("-s", "--silent", does: .option("quiet")),
        CurlOption("-S", "--show-error", "-f", "--fail", "--fail-with-body", does: .none),
    ]

    private static let rejected = [
        CurlOption(
            "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form",
            "--form-string", "--url-query",
            does: .rejected(remedy: "a WebSocket handshake has no body; write messages after --")),
        CurlOption("-I", "--head", does: .rejected(remedy: "use -v, which shows the handshake")),
        CurlOption(
            "-o", "--output", "-O", "--remote-name", "--remote-name-all",
            does: .rejected(remedy: "use > FILE to save received messages, or -- --output FORMAT for a format")),
        CurlOption("-K", "--config", does: .rejected(remedy: "write the options of the file on the command line")),
        CurlOption("-:", "--next", does: .rejected(remedy: "wsx makes one connection; write the second command alone")),
        CurlOption("-h", "--help", "-V", "--version", "-M", "--manual", does: .rejected(remedy: "use 'wsx help curl'")),
    ]

    private static let ignored = [
        CurlOption(
            "-N", "--no-buffer", "-i", "--include", "-0", "--http1.0", "--http2", "--http2-prior-knowledge", "--http3",
            "--http3-only", "--http0.9", "-J", "--remote-header-name", "-R", "--remote-time", "-Z", "--parallel", "-#",
            "--progress-bar", "--no-progress-meter", "-j", "--junk-session-cookies", "-a", "--append", "--create-dirs",
            "--compressed-ssh", "--tr-encoding", "--raw", "--ignore-content-length", "--retry-connrefused",
            "--retry-all-errors", "--fail-early", "--styled-output", "--no-styled-output", "--trace-time",
            "--trace-ids", "--tcp-nodelay", "--tcp-fastopen", "--no-keepalive", "--no-sessionid", "--no-alpn",
            "--no-npn", "--no-clobber", "--remove-on-error", "--cert-status", "--ca-native", "--ssl", "--ssl-reqd",
            "--ssl-no-revoke", "--ssl-revoke-best-effort", "--ssl-allow-beast", "--ssl-auto-client-cert", "-2",
            "--sslv2", "-3", "--sslv3", "--false-start", "--post301", "--post302", "--post303", "--xattr",
            "--disallow-username-in-url", "--proxy-insecure", "--suppress-connect-headers", "--doh-insecure",
            "--proxy-tlsv1", "--metalink", does: .ignored),
        CurlOption(
            "-w", "--write-out", "-D", "--dump-header", "--stderr", "--trace", "--trace-ascii", "--trace-config",
            "--output-dir", "--max-filesize", "-y", "--speed-time", "-Y", "--speed-limit", "--limit-rate", "--rate",
            "-r", "--range", "-C", "--continue-at", "-z", "--time-cond", "--retry", "--retry-delay",
            "--retry-max-time", "--keepalive-time", "--keepalive-cnt", "--expect100-timeout",
            "--happy-eyeballs-timeout-ms", "--alt-svc", "--hsts", "--doh-url", "--dns-interface", "--dns-ipv4-addr",
            "--dns-ipv6-addr", "--dns-servers", "--local-port", "--proto", "--proto-default", "--proto-redir",
            "--ciphers", "--tls13-ciphers", "--curves", "--sigalgs", "--tls-max",
            "--engine", "--crlfile", "--proxy-header", "--proxy-cacert", "--proxy-capath", "--proxy-cert",
            "--proxy-key", "--proxy-pass", "--proxy-ciphers", "--parallel-max", "--etag-save", "--etag-compare",
            "--ip-tos", "--vlan-priority", "--ech", "--libcurl", takesValue: true, does: .ignored),
    ]
}

extension CurlCommand {
    fileprivate mutating func follow(_ long: String) {
        followsRedirects = true
        add(long)
    }

    /// Adds an option with a time in seconds; 0 is no limit.
    fileprivate mutating func add(_ long: String, seconds: String, typed: String) throws(UsageError) {
        let isNumber = !seconds.isEmpty && seconds.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        guard isNumber, let number = Double(seconds) else {
            throw .badValue(name: typed, value: seconds, problem: .unusable(words: "expected a number of seconds"))
        }
        if number > 0 { add(long, seconds + "s") }
    }

    /// The file and the passphrase in `FILE[:PASSPHRASE]`. A backslash precedes a colon or a backslash in FILE.
    fileprivate static func certificate(_ text: String) -> (file: String, passphrase: String?) {
        var file: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ":") { return (String(decoding: file, as: UTF8.self), String(Substring(rest))) }
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: ":") {
                file.append(rest.removeFirst())
            } else {
                file.append(byte)
            }
        }
        return (text.utf8.contains(UInt8(ascii: "\\")) ? String(decoding: file, as: UTF8.self) : text, nil)
    }
}
