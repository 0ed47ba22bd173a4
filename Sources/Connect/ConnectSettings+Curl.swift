import Conversation
import Formats
import UserInterface
import WSCore

/// A curl command as text.
package struct CurlText {
    /// The command for a POSIX shell, with one option per line, and a newline.
    package let text: String
    /// What the command lacks, each without a period.
    package let notices: [String]
}

extension ConnectSettings {
    /// The connection as a curl command.
    ///
    /// The fields of the request are those that are sent, including cookies. curl gets the fields that it would add by
    /// itself as empty ones, which removes them.
    /// - Parameter request: The request of the open connection; nil for that of the next one.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the server is inside this process.
    package func curlCommand(for request: ClientRequest? = nil, showsSecrets: Bool) throws(Failure) -> CurlText {
        let now = WallTime.now.seconds
        let isNext = request == nil
        let request = (request ?? connector.request)
            .withCookies(from: connectorResources.cookies, at: now).signed(at: now)
        guard let url = Self.curlURL(request.url, isMasked: false),
            let shownURL = Self.curlURL(request.url, isMasked: true)
        else {
            throw .badArgument(what: "a curl command", why: "the built-in echo server has no address; name another URL")
        }
        var command = CurlWriter(hiding: showsSecrets ? nil : secrets.record)
        // curl would remove the dot segments of a path.
        let hasDots = Array(request.url.requestTarget.utf8)[...].firstRange(of: Array("/.".utf8)) != nil
        command.add("curl -i -N --http1.1" + (hasDots ? " --path-as-is" : ""), url, shown: shownURL)
        addNetwork(to: &command, at: request.url)
        try addProxy(to: &command, at: request.url)
        try addTLS(to: &command)
        addFields(of: request, to: &command)
        var notices: [String] = []
        // SignalR gets a part of the URL from the server.
        if isNext, connector.negotiation != nil {
            notices.append("the URL is incomplete before the protocol's negotiation; /curl prints it afterwards")
        }
        if request.version == .http2 { notices.append("curl has no counterpart of --http2 for WebSockets") }
        if arguments.client.tls.serverName != nil { notices.append("curl has no counterpart of --tls-server-name") }
        if command.hasSecrets, !showsSecrets {
            notices.append("secrets are hidden; --print-curl --show-secrets or /curl secrets shows them")
        }
        return CurlText(text: command.text, notices: notices)
    }

    /// The URL with the scheme `http` or `https`; nil: the server has no address.
    private static func curlURL(_ url: WebSocketURL, isMasked: Bool) -> String? {
        switch url.endpoint {
        case .tcp: "http" + (isMasked ? url.description : url.text).dropFirst(2)
        case .unix: "http://localhost" + (isMasked ? url.shownTarget : url.requestTarget)
        case .embeddedEcho: nil
        }
    }

    private func addNetwork(to command: inout CurlWriter, at url: WebSocketURL) {
        let network = arguments.client.network
        switch network.addressFamily {
        case .any: break
        case .ipv4: command.add("-4")
        case .ipv6: command.add("-6")
        }
        for entry in network.resolve { command.add("--resolve", entry) }
        for address in network.sourceIPs { command.add("--interface", address) }
        var path = network.unixSocket
        if case .unix(let own) = url.endpoint { path = path ?? own }
        if let path, path.hasPrefix("@") {
            command.add("--abstract-unix-socket", String(path.dropFirst()))
        } else if let path {
            command.add("--unix-socket", path)
        }
        let request = arguments.client.request
        guard request.redirects != .none else { return }
        command.add(request.redirects == .trusted ? "--location-trusted" : "-L")
        command.add("--max-redirs", "\(request.maximumRedirects)")
    }

    /// The proxy of a variable is named, too: curl reads other variables.
    private func addProxy(to command: inout CurlWriter, at url: WebSocketURL) throws(Failure) {
        let network = arguments.client.network
        guard network.unixSocket == nil, case .tcp(let host, let port) = url.endpoint else { return }
        var proxy = try network.proxy.map { (proxy) throws(Failure) in try secrets.value(of: proxy, for: "--proxy") }
        if proxy == nil, let chosen = try? connector.proxies?.proxy(isSecure: url.isSecure, host: host, port: port) {
            proxy = chosen.variable.flatMap(secrets.environment)
        }
        if let proxy {
            command.add("-x", proxy, shown: WebSocketURL.shown(proxy))
            // Otherwise, curl would ask an HTTP proxy for a resource.
            command.add("--proxytunnel")
        }
        switch network.proxyAuthentication {
        case .basic: break
        case .digest: command.add("--proxy-digest")
        case .strongest: command.add("--proxy-anyauth")
        }
        if let hosts = network.noProxy { command.add("--noproxy", hosts) }
    }

    private func addTLS(to command: inout CurlWriter) throws(Failure) {
        let tls = arguments.client.tls
        if tls.isInsecure { command.add("-k") }
        if let path = tls.authorities { command.add(File.isDirectory(path) ? "--capath" : "--cacert", path) }
        if let path = tls.certificate {
            command.add("--cert", CurlWriter.escapingColons(path))
            if path.hasSuffix(".p12") || path.hasSuffix(".pfx") { command.add("--cert-type", "P12") }
        }
        if let path = tls.key { command.add("--key", path) }
        if let passphrase = tls.passphrase {
            command.add("--pass", try secrets.value(of: passphrase, for: "--passphrase"), shown: SecretText.mask)
        }
        if !tls.pins.isEmpty { command.add("--pinnedpubkey", tls.pins.map(\.description).joined(separator: ";")) }
        if tls.minimumVersion == .tls13 { command.add("--tlsv1.3") }
    }

    private func addFields(of request: ClientRequest, to command: inout CurlWriter) {
        let method = arguments.client.request.authentication
        // The answer to a challenge is for one request.
        let login = method == .basic ? nil : request.login?.credentials
        if let login {
            command.add(method == .digest ? "--digest" : "--anyauth")
            command.add("-u", "\(login.user):\(login.password)", shown: "\(login.user):\(SecretText.mask)")
        }
        for field in request.fields where !(login != nil && field.isNamed("Authorization")) {
            if field.isNamed("Host"), field.value == request.url.hostField { continue }
            command.add(field)
        }
        for name in ["User-Agent", "Accept"] where !request.fields.contains(named: name) {
            command.add("-H", name + ":")
        }
        // RFC 6455 §4.1: the key is 16 random bytes in Base64.
        let nonce = (0..<16).map { _ in UInt8.random(in: 0...255) }
        command.add("-H", "Sec-WebSocket-Key: " + Base64.text(of: nonce.span.bytes))
    }
}

/// Writes a command with one option per line.
private struct CurlWriter {
    /// The secrets to hide; nil: they are shown.
    private let hidden: SecretRecord?
    private(set) var hasSecrets = false
    private var lines: [String] = []

    init(hiding secrets: SecretRecord?) { hidden = secrets }

    var text: String { lines.joined(separator: " \\\n  ") + "\n" }

    /// Adds a line with an option and its value.
    /// - Parameter option: Words of the shell.
    mutating func add(_ option: String, _ value: String? = nil) {
        if let value { add(option, value, shown: value) } else { lines.append(option) }
    }

    /// Adds a line with an option whose value may be a secret.
    /// - Parameter shown: The value without secrets.
    mutating func add(_ option: String, _ value: String, shown: String) {
        lines.append(option + " " + ShellWord.quoted(masked(value, as: shown)))
    }

    /// Adds a header field. An empty one needs a semicolon.
    mutating func add(_ field: HeaderField) {
        let value = ReportedHead.value(of: field)
        field.value.isEmpty
            ? add("-H", field.name + ";")
            : add("-H", "\(field.name): \(field.value)", shown: "\(field.name): \(value)")
    }

    private mutating func masked(_ value: String, as shown: String) -> String {
        guard let hidden else { return value }
        let shown = hidden.masking(shown)
        if shown != value { hasSecrets = true }
        return shown
    }

    /// A file name before a colon and a passphrase.
    static func escapingColons(_ path: String) -> String {
        String(
            decoding: path.utf8.flatMap { ":\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
    }
}
