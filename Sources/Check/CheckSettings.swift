import CommandLine
import Conformance
import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// What a run of `wsx check` does, from its arguments.
package struct CheckSettings {
    let arguments: CheckArguments
    /// The way to the server, or `nil` for `--listen`.
    let connector: Connector.Settings?
    let tls: TLSClientSettings?
    /// The TLS of `--listen`, or `nil` without it.
    let serverTLS: TLSServerSettings?
    let url: WebSocketURL?
    /// The URL without credentials; empty without a server.
    let shownURL: String
    /// The cases of the program, or of `--case-file`.
    let cases: CaseSet
    /// The ids and globs of `--expect`.
    let expectedFailures: [Glob]
    /// The results of `--results`.
    let earlierResults: [EarlierResults]
    /// What is sent after the handshake of each connection, and what ends the login.
    let login: AutoReply.Plan
    let readiness: MessageCondition?

    /// The settings of each run: one, or one for each server of `--spec`.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func all(_ arguments: CheckArguments, secrets: Secrets) throws(Failure) -> [CheckSettings] {
        guard let path = arguments.specificationPath else { return [try CheckSettings(arguments, secrets: secrets)] }
        return try AutobahnSpecification(path).runs(arguments).map { (run) throws(Failure) in
            try CheckSettings(run, secrets: secrets)
        }
    }

    /// Reads files, and parses the URL.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ arguments: CheckArguments, secrets: Secrets) throws(Failure) {
        self.arguments = arguments
        cases = try Self.cases(arguments)
        expectedFailures =
            try arguments.expectedPath.map { (path) throws(Failure) in
                try Self.lines(of: path, for: "--expect").map { Glob($0) }
            } ?? []
        earlierResults = try arguments.resultPaths.map(EarlierResults.read).flatMap(\.self)
        if let limit = arguments.caseTimeout, limit <= .zero {
            throw .badArgument(what: "--case-timeout", why: "it must be more than 0")
        }
        if arguments.isForClients || !arguments.needsPeer {
            if arguments.isForClients, !arguments.client.url.isEmpty {
                throw .badArgument(what: "--listen", why: "it checks clients; leave out the URL, or the option")
            }
            (connector, tls, url, shownURL) = (nil, nil, nil, "")
            serverTLS = try ServerTLSComposition(
                arguments: arguments.serverTLS, acceptsHTTP2: arguments.client.network.httpVersion == .http2,
                address: nil, secrets: secrets
            ).settings()
            login = AutoReply.Plan()
            readiness = nil
            return
        }
        if arguments.serverTLS.isUsed {
            throw .badArgument(what: "--tls-cert and --tls-self-signed", why: "they are for --listen")
        }
        serverTLS = nil
        guard !arguments.client.url.isEmpty else {
            throw .badArgument(what: "URL", why: "name the server to check, or use --listen PORT to check a client")
        }
        let composition = try ConnectorComposition(arguments.client, secrets: secrets)
        connector = composition.connector
        tls = composition.tls
        url = composition.url
        shownURL = composition.requests.url.shown
        login = try AutoReply.Plan.make(arguments.exchange, takesData: false, secrets: secrets) ?? AutoReply.Plan()
        var values = RequestValues(connection: 1, ChosenRow())
        for template in login.firstMessages { _ = try values.text(of: template, for: "--first-message") }
        readiness = login.ready.map { MessageCondition(valid: $0) }
    }

    private static func cases(_ arguments: CheckArguments) throws(Failure) -> CaseSet {
        guard let path = arguments.selection.caseFile else { return CaseSet() }
        let bytes = try HeaderFiles.contents(of: path, for: "--case-file")
        do throws(CaseError) {
            return CaseSet(try CaseFile(bytes))
        } catch {
            throw .badArgument(what: "--case-file \(escapingControls(path))", why: "\(error)")
        }
    }

    /// Whether clients are checked, with ``ClientRun``.
    package var isForClients: Bool { arguments.isForClients }

    /// Whether a peer is checked, and not only a report of earlier results written.
    package var needsPeer: Bool { arguments.needsPeer }

    /// Writes the report of earlier results. Returns a failure to do so.
    /// - Throws: ``Failure/badArgument(what:why:)`` if a file cannot be created.
    package func writeReport(on diagnostics: Diagnostics) throws(Failure) -> Failure? {
        CheckReport.write([], self, try CheckFiles(arguments), diagnostics: diagnostics)
    }

    /// What `--list` and `--explain` print, or `nil` without them.
    /// - Throws: ``Failure/badArgument(what:why:)`` for an unknown case.
    package var text: String? {
        get throws(Failure) {
            if let id = arguments.selection.explainedCase {
                guard let item = cases.cases.first(where: { $0.id == id }) else {
                    throw .badArgument(
                        what: "--explain \(escapingControls(id))",
                        why: "no case has this id; 'wsx check --list' shows all")
                }
                return item.explanation
            }
            guard arguments.selection.isListing else { return nil }
            return try selection(for: nil).map { "\($0.id)\t\($0.title)\n" }.joined()
        }
    }

    /// Whether servers are asked for HTTP/2, and clients may ask for it.
    var isHTTP2: Bool { arguments.client.network.httpVersion == .http2 }

    /// Why a server cannot be checked, from its first result; `nil` if it can be.
    func refusal(_ result: CaseResult) -> String? {
        if let status = result.refusalStatus {
            return
                "the server refused the handshake with status \(status); is the path right, and does it need a login?"
        }
        // An error in the handshake of HTTP/1.1 is a result. Without extended CONNECT, there is nothing to check.
        return !result.hasOpened && (isHTTP2 || result.reference == nil) ? result.reason : nil
    }

    /// The messages of `--first-message` for a connection.
    func firstMessages() -> [[UInt8]] {
        var values = RequestValues(connection: 1, ChosenRow())
        // The initializer has evaluated them.
        return login.firstMessages.compactMap { try? Array(values.text(of: $0, for: "--first-message").utf8) }
    }

    /// The lines of a file, without comments and blank ones.
    private static func lines(of path: String, for option: String) throws(Failure) -> [String] {
        let text = String(decoding: try HeaderFiles.contents(of: path, for: option), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map { line in
            String(line.prefix { $0 != "#" }.filter { !$0.isWhitespace })
        }.filter { !$0.isEmpty }
    }

    /// The cases to play with peers in a role.
    /// - Throws: ``Failure/badArgument(what:why:)`` if there is none.
    func selection(for role: PeerRole?) throws(Failure) -> [Case] {
        let (wanted, unwanted) = (arguments.selection.cases.map(Glob.init), arguments.selection.excluded.map(Glob.init))
        if let glob = zip(arguments.selection.cases, wanted).first(where: { _, glob in
            !cases.cases.contains { glob.matches($0.id) }
        }) {
            throw .badArgument(
                what: "--case '\(escapingControls(glob.0))'",
                why: "no case has such an id; 'wsx check --list' shows all")
        }
        let selected = cases.cases.filter { item in
            if unwanted.contains(where: { $0.matches(item.id) }) { return false }
            guard wanted.isEmpty else { return wanted.contains { $0.matches(item.id) } }
            switch role {
            case .client: return !["H", "S"].contains(item.section)
            case .server: return item.section != "S" || connector?.isLocal == true
            case nil: return true
            }
        }.filter { role == nil || $0.role == nil || $0.role == role }
        guard !selected.isEmpty else {
            throw .badArgument(what: "--case", why: "no case has such an id; 'wsx check --list' shows all")
        }
        if role == nil { return selected }
        let playable = selected.filter { isHTTP2 ? !$0.isForHTTP1 : !$0.isForHTTP2 }
        guard !playable.isEmpty else {
            throw .badArgument(
                what: "--case",
                why: isHTTP2
                    ? "these cases are for HTTP/1.1; leave out --http2" : "these cases are for HTTP/2; add --http2")
        }
        return playable
    }
}

/// A pattern of ids in which `*` stands for any text.
struct Glob {
    private let parts: [Substring]

    init(_ text: String) { parts = text.split(separator: "*", omittingEmptySubsequences: false) }

    func matches(_ id: String) -> Bool {
        guard parts.count > 1 else { return id == parts.first ?? "" }
        var rest = id[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let start = rest.indices.first(where: { rest[$0...].hasPrefix(part) }) else { return false }
                rest = rest[start...].dropFirst(part.count)
            }
        }
        return true
    }
}
