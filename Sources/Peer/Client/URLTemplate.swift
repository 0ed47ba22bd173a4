import Conversation
import UserInterface
import WSCore

/// A URL with placeholders in its path and query. Values are percent-encoded, so they cannot add segments or parameters.
package struct URLTemplate: Sendable {
    /// The URL without secrets, with placeholders instead of their values.
    package let shown: String
    /// The URL without its path and query, if these are a template; otherwise, the whole URL.
    let base: WebSocketURL
    /// The text before the path and query.
    private let beginning: String
    /// The path and query, or `nil` if they are not a template.
    private let target: Template?
    /// The path and query of an evaluated URL where it is shown: a template may insert secrets.
    private let shownTarget: String
    /// What completes the path and query of the URL, or `nil` if they are complete.
    private let endpoint: ApplicationProtocol.Endpoint?

    /// Parses a URL.
    /// - Parameters:
    ///   - text: The URL as typed.
    ///   - variables: The variables that it may insert, or `nil` if the text is not a template.
    ///   - endpoint: The path and query that the application protocol expects, or `nil` if there is none.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    init(
        _ text: String, variables: VariableNames?, endpoint: ApplicationProtocol.Endpoint? = nil, secrets: Secrets
    ) throws(Failure) {
        self.endpoint = endpoint
        guard let variables, text.utf8.indices.contains(where: { text.utf8[$0...].starts(with: "{{".utf8) }) else {
            let url = try ConnectorComposition.url(parsing: text)
            try Self.check(url, for: endpoint)
            base = url.completed(for: endpoint)
            (shown, beginning, target, shownTarget) = ("\(base)", "", nil, base.requestTarget)
            return
        }
        let what = "URL '\(escapingControls(WebSocketURL.shown(text)))'"
        let start = Self.targetStart(of: text)
        let head = try Self.head(String(text[..<start]), of: what, variables: variables, secrets: secrets)
        var values = RequestValues(connection: 1, ChosenRow())
        beginning = try values.text(of: head, for: what)
        base = try ConnectorComposition.url(parsing: beginning)
        let rest = String(text[start...])
        target = try Template.make(
            rest, of: what, variables: variables, role: .request, percentEncodesValues: true, secrets: secrets)
        let typedTarget = (rest.hasPrefix("/") ? "" : "/") + escapingControls(rest)
        shown = "\(base.showing(target: endpoint?.requestTarget(completing: typedTarget) ?? typedTarget))"
        shownTarget = typedTarget.replacingPlaceholders(with: SecretText.mask)
    }

    /// Parses the text before the path and query.
    private static func head(
        _ text: String, of what: String, variables: VariableNames, secrets: Secrets
    ) throws(Failure) -> Template {
        do throws(TemplateError) {
            let head = try Template(text, variables: variables, environment: secrets.environment)
            if head.isConstant { return head }
        } catch {
            // No name would be possible there.
            guard error.unknownName != nil else { throw .badArgument(what: what, why: error.suggestion) }
        }
        throw .badArgument(
            what: what,
            why: "placeholders can be in the path and the query; before them, only {{env:NAME}} is possible")
    }

    /// Whether the URL is the same for all connections.
    var isConstant: Bool { target?.isConstant ?? true }

    /// Evaluates the URL for a connection.
    /// - Throws: ``Failure/badArgument(what:why:)``, which does not contain the values.
    func url(_ values: inout RequestValues) throws(Failure) -> WebSocketURL {
        guard let target else { return base }
        let url: WebSocketURL
        let evaluated = try values.text(of: target, for: "URL '\(shown)'")
        do throws(URLError) {
            url = try WebSocketURL(parsing: beginning + evaluated).showing(target: shownTarget)
        } catch {
            throw .badArgument(what: "URL '\(shown)'", why: "\(error)")
        }
        try Self.check(url, for: endpoint)
        return url.completed(for: endpoint)
    }

    /// Rejects a URL that asks for a version which sessions of the protocol do not speak.
    private static func check(_ url: WebSocketURL, for endpoint: ApplicationProtocol.Endpoint?) throws(Failure) {
        guard let (asked, spoken) = endpoint?.unspokenParameter(in: url.requestTarget) else { return }
        throw .badArgument(
            what: "URL '\(url)'",
            why: "it asks for \(escapingControls(asked)), but --protocol speaks \(spoken); write that, or omit it")
    }

    /// The start of the path and query: the first `/` or `?` after the host or, for `ws+unix:`, after a colon.
    private static func targetStart(of text: String) -> String.Index {
        if text.hasPrefix("ws+unix:") {
            let scheme = text.index(text.startIndex, offsetBy: "ws+unix:".utf8.count)
            let colon = text.indexOutsidePlaceholders(from: scheme) { rest in
                rest.starts(with: ":/".utf8) || rest.starts(with: ":?".utf8)
            }
            return colon.map { text.index(after: $0) } ?? text.endIndex
        }
        func isStart(_ rest: Substring.UTF8View) -> Bool {
            rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
        }
        guard let first = text.indexOutsidePlaceholders(where: isStart) else { return text.endIndex }
        // The slashes after the scheme.
        guard text[..<first].utf8.last == UInt8(ascii: ":"), text[first...].hasPrefix("//") else { return first }
        return text.indexOutsidePlaceholders(from: text.index(first, offsetBy: 2), where: isStart) ?? text.endIndex
    }
}

extension WebSocketURL {
    /// The URL with the path and query that an application protocol expects.
    func completed(for endpoint: ApplicationProtocol.Endpoint?) -> WebSocketURL {
        guard let endpoint, self.endpoint != .embeddedEcho else { return self }
        // A valid target remains valid: what is added needs no escapes.
        return (try? changingTarget(endpoint.requestTarget)) ?? self
    }
}

extension String {
    /// The text after replacing each placeholder.
    fileprivate func replacingPlaceholders(with replacement: String) -> String {
        var text = ""
        var start = startIndex
        while let brace = self[start...].utf8.firstIndex(of: UInt8(ascii: "{")) {
            text += self[start..<brace]
            let rest = self[brace...].utf8
            let isPlaceholder = rest.starts(with: "{{".utf8) && !rest.starts(with: "{{{{".utf8)
            // A literal `{{` is typed as `{{{{`.
            let (inserted, count) =
                isPlaceholder
                ? (replacement, TemplateParser.placeholderByteCount(rest))
                : rest.starts(with: "{{{{".utf8) ? ("{{", 4) : ("{", 1)
            text += inserted
            start = utf8.index(brace, offsetBy: count)
        }
        return text + self[start...]
    }

    /// The first index outside of placeholders at which the rest of the text meets a condition.
    func indexOutsidePlaceholders(
        from start: Index? = nil, where isMatch: (Substring.UTF8View) -> Bool
    ) -> Index? {
        var rest = self[(start ?? startIndex)...].utf8
        while !rest.isEmpty {
            if rest.starts(with: "{{{{".utf8) {
                rest = rest.dropFirst(4)
            } else if rest.starts(with: "{{".utf8) {
                rest = rest.dropFirst(TemplateParser.placeholderByteCount(rest))
            } else if isMatch(rest) {
                return rest.startIndex
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }
}
