import Conversation
import UserInterface
import WSCore

/// A URL with placeholders in its path and query, whose values are percent-encoded, so they cannot add segments or
/// parameters; or a URL that a program writes.
package struct URLTemplate: Sendable {
    /// What precedes the path and query.
    private enum Beginning: Sendable {
        case text(String)
        /// A placeholder, whose value is inserted unchanged: an origin, or a whole URL.
        case placeholder(Template)
        /// The first line of the latest output of a program: a whole URL.
        case program(ProgramOutputs, SecretCommand)

        /// Whether it gives the origin, which is not known before its evaluation.
        var varies: Bool { if case .text = self { false } else { true } }
    }

    /// Where a connection leads.
    enum Destination {
        case url(WebSocketURL)
        /// A location whose origin is in the hands of the server, because its messages name it. It may be relative.
        case location(String)
    }

    /// The URL without secrets, with placeholders instead of their values.
    package let shown: String
    /// The option with the URL, or `URL`.
    private let option: String
    /// The URL without its path and query, if these are a template; otherwise, the whole URL. If the origin varies, that of
    /// the first connection.
    let base: WebSocketURL
    /// `nil` if the URL is ``base``.
    private let beginning: Beginning?
    /// The path and query, or `nil` if they are no template.
    private let target: Template?
    /// The path and query of an evaluated URL where it is shown: a template may insert secrets.
    private let shownTarget: String
    /// What completes the path and query of the URL, or `nil` if they are complete.
    private let endpoint: ApplicationProtocol.Endpoint?

    /// Whether the URL is the same for all connections.
    var isConstant: Bool { !varies && target?.isConstant ?? true }

    /// Whether connections may have different origins.
    var varies: Bool { beginning?.varies ?? false }

    /// Whether a placeholder inserts a secret.
    var insertsSecret: Bool { first?.insertsSecret ?? false || target?.insertsSecret ?? false }

    /// The placeholder at the beginning, or `nil` if there is none.
    private var first: Template? { if case .placeholder(let template)? = beginning { template } else { nil } }

    /// Evaluates the URL for a connection.
    /// - Throws: ``Failure/badArgument(what:why:)``, which does not contain the values.
    func url(_ values: inout RequestValues) throws(Failure) -> WebSocketURL {
        guard let beginning else { return base }
        return try url(text(after: start(beginning, &values), &values), after: beginning)
    }

    /// Evaluates the URL for a connection.
    /// - Parameter received: The variables that messages of the server set.
    /// - Returns: Where the connection leads, or `nil` if a variable has no value, or no text that can be an address.
    /// - Throws: ``Failure/badArgument(what:why:)``, which does not contain the values.
    func destination(_ values: inout RequestValues, received: [Int]) throws(Failure) -> Destination? {
        guard let beginning else { return .url(base) }
        for template in [first, target] {
            if let template, !values.exist(for: template) { return nil }
        }
        let start = try start(beginning, &values)
        let text = try text(after: start, &values)
        let startIsReceived = first?.uses(variables: received) ?? false
        let restIsReceived = target?.uses(variables: received) ?? false
        guard startIsReceived || restIsReceived && !Self.hasOrigin(of: start, text) else {
            return .url(try url(text, after: beginning))
        }
        // A service may clear the address. An object or array is none.
        guard let first = text.utf8.first, !"{[".utf8.contains(first) else { return nil }
        return .location(text)
    }

    /// Whether the beginning of a URL is one by itself, of the same origin.
    private static func hasOrigin(of start: String, _ text: String) -> Bool {
        guard let start = try? WebSocketURL(parsing: start), let url = try? WebSocketURL(parsing: text) else {
            return false
        }
        return url.isSameOrigin(as: start)
    }

    private func start(_ beginning: Beginning, _ values: inout RequestValues) throws(Failure) -> String {
        switch beginning {
        case .text(let text): return text
        case .placeholder(let template): return try values.text(of: template, for: what)
        case .program(let outputs, let command): return command.url(in: outputs)
        }
    }

    /// The largest evaluated URL, in bytes. Servers accept far less.
    private static let maximumBytes = 64 << 10

    /// The whole URL.
    private func text(after start: String, _ values: inout RequestValues) throws(Failure) -> String {
        var text = start
        if let target { text += try values.text(of: target, for: what) }
        guard text.utf8.count <= Self.maximumBytes else {
            throw .badArgument(what: what, why: "with its values, it is longer than \(Self.maximumBytes >> 10) KiB")
        }
        return text
    }

    /// How errors name the URL.
    private var what: String { "\(option) '\(shown)'" }

    private func url(_ text: String, after beginning: Beginning) throws(Failure) -> WebSocketURL {
        let url = try Self.url(text, after: beginning, shownTarget: shownTarget, of: what)
        try Self.check(url, for: endpoint)
        return url.completed(for: endpoint)
    }

    private static func url(
        _ text: String, after beginning: Beginning, shownTarget: String, of what: String
    ) throws(Failure) -> WebSocketURL {
        let url: WebSocketURL
        do throws(URLError) {
            url = try WebSocketURL(parsing: text)
        } catch {
            throw .badArgument(what: what, why: "\(error)")
        }
        guard beginning.varies else { return url.showing(target: shownTarget) }
        guard url.endpoint != .embeddedEcho else {
            throw .badArgument(what: what, why: "'echo:' is possible only on the command line")
        }
        return url.requestTarget == "/" ? url : url.showing(target: "/\(SecretText.mask)")
    }
}

extension URLTemplate {
    /// Parses a URL.
    /// - Parameters:
    ///   - text: The URL as typed.
    ///   - option: The option with the URL, for errors, or `nil` for the operand.
    ///   - variables: The variables that it may insert, or `nil` if the text is not a template.
    ///   - endpoint: The path and query that the application protocol expects, or `nil` if there is none.
    ///   - base: The URL of the first connection for a template that may begin with a placeholder, or `nil` for others.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    init(
        _ text: String, of option: String? = nil, variables: VariableNames?,
        endpoint: ApplicationProtocol.Endpoint? = nil, base: WebSocketURL? = nil, secrets: Secrets
    ) throws(Failure) {
        if let command = SecretCommand(text, of: option ?? "URL", isURL: true) {
            try self.init(of: command, endpoint: endpoint, secrets: secrets)
        } else if let variables, text.mayHavePlaceholders {
            try self.init(
                template: text, of: option, variables, endpoint: endpoint, base: base, secrets: secrets)
        } else {
            let url = try ConnectorComposition.url(parsing: text, of: option)
            try Self.check(url, for: endpoint)
            let base = url.completed(for: endpoint)
            self.init(
                shown: "\(base)", option: option ?? "URL", base: base, beginning: nil, target: nil,
                shownTarget: base.requestTarget, endpoint: endpoint)
        }
    }

    /// Uses the output of a program, which runs for the first time if it has not.
    private init(
        of command: SecretCommand, endpoint: ApplicationProtocol.Endpoint?, secrets: Secrets
    ) throws(Failure) {
        _ = try secrets.output(of: command)
        secrets.outputs.add(command)
        let beginning = Beginning.program(secrets.outputs.programs, command)
        let base = try Self.url(
            command.url(in: secrets.outputs.programs), after: beginning, shownTarget: "",
            of: "\(command.option) '\(command.shown)'")
        self.init(
            shown: command.shown, option: command.option, base: base, beginning: beginning, target: nil,
            shownTarget: "", endpoint: endpoint)
    }

    /// Parses a URL with placeholders.
    private init(
        template text: String, of option: String?, _ variables: VariableNames,
        endpoint: ApplicationProtocol.Endpoint?, base: WebSocketURL?, secrets: Secrets
    ) throws(Failure) {
        let what = option ?? "URL '\(escapingControls(WebSocketURL.shown(text)))'"
        func target(_ text: String) throws(Failure) -> Template {
            try Template.make(
                text, of: what, variables: variables, role: .request, percentEncodesValues: true,
                takesData: base == nil, secrets: secrets)
        }
        if let base, let first = try Self.firstPlaceholder(of: text, of: what, variables, secrets) {
            self.init(
                shown: escapingControls(text), option: option ?? "URL", base: base,
                beginning: .placeholder(first.template), target: try target(first.rest), shownTarget: "",
                endpoint: endpoint)
            return
        }
        let start = Self.targetStart(of: text)
        let head = try Self.head(String(text[..<start]), of: what, variables: variables, secrets: secrets)
        var values = RequestValues(connection: 1, ChosenRow())
        let beginning = try values.text(of: head, for: what)
        let base = try ConnectorComposition.url(parsing: beginning, of: option)
        let rest = String(text[start...])
        let typedTarget = (rest.hasPrefix("/") ? "" : "/") + escapingControls(rest)
        let shown = base.showing(target: endpoint?.requestTarget(completing: typedTarget) ?? typedTarget)
        self.init(
            shown: "\(shown)", option: option ?? "URL", base: base, beginning: .text(beginning),
            target: try target(rest), shownTarget: typedTarget.replacingPlaceholders(with: SecretText.mask),
            endpoint: endpoint)
    }

    /// The placeholder with which a text begins, and the rest, or `nil` if there is none that varies.
    private static func firstPlaceholder(
        of text: String, of what: String, _ variables: VariableNames, _ secrets: Secrets
    ) throws(Failure) -> (template: Template, rest: String)? {
        guard text.hasPrefix("{{"), !text.hasPrefix("{{{{") else { return nil }
        let end = text.utf8.index(text.startIndex, offsetBy: TemplateParser.placeholderByteCount(text.utf8))
        let template = try Template.make(
            String(text[..<end]), of: what, variables: variables, role: .request, takesData: false, secrets: secrets)
        return template.isConstant ? nil : (template, String(text[end...]))
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
    /// Whether the text contains `{{`.
    var mayHavePlaceholders: Bool { utf8.indices.contains { utf8[$0...].starts(with: "{{".utf8) } }

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
