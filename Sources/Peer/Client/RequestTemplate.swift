import Conversation
import UserInterface
import WSCore

/// The URL and the request of a client command. Their parts may be templates, which are evaluated for each connection.
package struct RequestTemplate: Sendable {
    /// A header field.
    struct Field: Sendable {
        let name: String
        let value: Template

        /// Whether the field has a name, ignoring case.
        func isNamed(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
    }

    package private(set) var url: URLTemplate
    /// The URL of connections after the first one, or `nil` for the same.
    package var reconnectURL: ReconnectURL?
    /// The fields of `--header`.
    var fields: [Field] = []
    /// The fields of `--header` that programs have written.
    var secretFields: [HeaderField] = []
    /// The user and the password of `--auth`.
    var login: (user: Template, password: Template)?
    /// The logins of the .netrc file.
    var storedLogins: NetrcFile?
    var bearer: Template?
    var signer: AWSSigner?
    var cookies: [Template] = []
    var subprotocols: [Template] = []
    /// Whether the subprotocols are those of the application protocol, and not tokens of the user.
    private var hasPublicSubprotocols = false
    /// Whether the request has the origin of the server's own pages, unless the user gave one.
    private var needsOrigin = false
    private let arguments: RequestArguments
    private let extensionOffers: [ExtensionOffer]
    private let httpVersion: HTTPVersion

    /// Creates a request with the parts of the arguments that cannot be templates.
    init(_ url: URLTemplate, _ arguments: ClientArguments) {
        self.url = url
        self.arguments = arguments.request
        httpVersion = arguments.network.httpVersion
        extensionOffers = arguments.compression.deflate.map { [$0.offer] } ?? []
    }

    /// Adds what an application protocol expects of the request, unless the user gave something else.
    mutating func complete(for endpoint: ApplicationProtocol.Endpoint) {
        if subprotocols.isEmpty, !hasField("Sec-WebSocket-Protocol") {
            subprotocols = endpoint.subprotocols.map { Template(literal: Array($0.utf8)) }
            hasPublicSubprotocols = true
        }
        needsOrigin = endpoint.needsOrigin && arguments.origin == nil
    }

    /// Whether `--header` has a field with this name, ignoring case.
    func hasField(_ name: String) -> Bool {
        fields.contains { $0.isNamed(name) } || secretFields.contains { $0.isNamed(name) }
    }

    /// Whether the request logs in, apart from the URL.
    package var hasLogin: Bool {
        login != nil || (try? storedLogins?.credentials(for: url.base)) != nil || bearer != nil || signer != nil
            || !cookies.isEmpty || !secretFields.isEmpty
            || fields.contains { HeaderField.isSecret(name: $0.name) }
    }

    /// Whether all connections send the same request.
    package var isConstant: Bool {
        url.isConstant && reconnectURL == nil && fields.allSatisfy(\.value.isConstant)
            && cookies.allSatisfy(\.isConstant)
            && subprotocols.allSatisfy(\.isConstant) && bearer?.isConstant ?? true
            && login.map { $0.user.isConstant && $0.password.isConstant } ?? true
    }

    /// Whether connections may have different origins.
    package var leadsElsewhere: Bool { url.varies || reconnectURL != nil }

    /// Evaluates the request for a connection after the first one.
    /// - Returns: The request, and the location that messages name in place of its URL, or `nil` if none has.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package func laterRequest(
        _ values: inout RequestValues
    ) throws(Failure) -> (request: ClientRequest, location: String?) {
        switch try reconnectURL?.destination(&values) {
        case nil: return (try request(&values), nil)
        case .url(let url)?: return (try request(&values, to: url), nil)
        case .location(let location)?: return (try request(&values), location)
        }
    }

    /// The request of a client, which a relay makes of the server.
    package struct Forwarded {
        /// The path and query, or `*`; `nil` for those of the URL.
        package var target: String?
        /// The Host field; `nil` for that of the URL, or of `--host`.
        let host: String?
        let subprotocols: [String]
        let fields: [HeaderField]
        /// Whether the relay may offer compression to the server.
        package var offersCompression = false

        /// Takes over a request whose fields a gateway has mapped.
        package init(_ request: RequestHead, by gateway: Gateway) {
            target = request.concernsServer ? "*" : request.originForm ?? request.target
            host = gateway.host(of: request)
            subprotocols = request.fields.elements(named: "Sec-WebSocket-Protocol")
            fields = gateway.fields(of: request)
        }
    }

    /// Evaluates the request for a connection.
    /// - Parameters:
    ///   - url: The URL, or `nil` for that of the template.
    ///   - forwarded: The request of a client. The fields and logins of the template replace its own.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package func request(
        _ values: inout RequestValues, to url: WebSocketURL? = nil, for forwarded: Forwarded? = nil
    ) throws(Failure) -> ClientRequest {
        var url = if let url { url } else { try self.url.url(&values) }
        var fields: [HeaderField] = []
        for field in self.fields {
            fields.append(try Self.field(field.name, values.text(of: field.value, for: "--header"), for: "--header"))
        }
        fields += secretFields
        var credentials = login == nil ? try storedLogins?.credentials(for: url) : nil
        if let login {
            credentials = try Self.credentials(
                values.text(of: login.user, for: "--auth"), values.text(of: login.password, for: "--auth"))
        }
        if let bearer { fields.append(try Self.bearerField(values.text(of: bearer, for: "--bearer"))) }
        for cookie in cookies { try Self.add(cookie: values.text(of: cookie, for: "--cookie"), to: &fields) }
        var subprotocols: [String] = []
        for subprotocol in self.subprotocols {
            subprotocols.append(try values.text(of: subprotocol, for: "--subprotocol"))
        }
        if let forwarded {
            if let target = forwarded.target { url = url.passing(target) }
            subprotocols += forwarded.subprotocols
            let hasLogin = credentials != nil || signer != nil || url.userInfo != nil
            let own = fields
            fields += forwarded.fields.filter { field in
                if field.isNamed("Authorization"), hasLogin { return false }
                if field.isNamed("User-Agent"), arguments.userAgent != nil { return false }
                return !own.contains { $0.isNamed(field.name) }
            }
        }
        var userAgent = arguments.userAgent ?? (forwarded == nil ? "wsx/\(version)" : nil)
        if userAgent == "" { userAgent = nil }
        do throws(ClientRequestError) {
            return try ClientRequest(
                url: url, subprotocols: subprotocols, hasPublicSubprotocols: hasPublicSubprotocols,
                origin: needsOrigin ? origin(of: url) : arguments.origin,
                host: forwarded?.host ?? arguments.host,
                userAgent: userAgent, credentials: credentials, authentication: arguments.authentication,
                signer: signer, extensionOffers: forwarded?.offersCompression ?? true ? extensionOffers : [],
                extraFields: fields, version: httpVersion)
        } catch {
            throw .badArgument(what: error.option, why: "\(error)")
        }
    }

    // MARK: Parts

    /// The origin of the server's own pages. Servers compare it with the Host field. An Origin field of the user
    /// replaces it.
    private func origin(of url: WebSocketURL) -> String { url.origin(host: arguments.host ?? url.hostField) }

    private static func credentials(_ user: String, _ password: String) throws(Failure) -> Credentials {
        do throws(CredentialsError) {
            return try Credentials(user: user, password: password)
        } catch {
            throw .badArgument(what: "--auth", why: "\(error)")
        }
    }

    private static func bearerField(_ token: String) throws(Failure) -> HeaderField {
        let authorization: String
        do throws(BearerTokenError) {
            authorization = try BearerToken(token).authorization
        } catch {
            throw .badArgument(what: "--bearer", why: "\(error)")
        }
        return try field("Authorization", authorization, for: "--bearer")
    }

    /// Adds a cookie. RFC 6265 §5.4: a request has at most one Cookie field.
    private static func add(cookie: String, to fields: inout [HeaderField]) throws(Failure) {
        guard let sign = cookie.utf8.firstIndex(of: UInt8(ascii: "=")), sign > cookie.startIndex else {
            throw .badArgument(what: "--cookie", why: "the name or the '=' is missing; write name=value")
        }
        let earlier = fields.filter { $0.isNamed("Cookie") }.map(\.value)
        fields.removeAll { $0.isNamed("Cookie") }
        fields.append(try field("Cookie", (earlier + [cookie]).joined(separator: "; "), for: "--cookie"))
    }

    private static func field(_ name: String, _ value: String, for option: String) throws(Failure) -> HeaderField {
        do throws(HeaderFieldError) {
            return try HeaderField(name: name, value: value)
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
    }
}

extension ClientRequestError {
    /// The option to correct.
    fileprivate var option: String {
        switch self {
        case .invalidSubprotocol, .repeatedSubprotocol: "--subprotocol"
        case .invalidField(.controlCharacterInValue("Host")): "--host"
        case .invalidField(.controlCharacterInValue("Origin")): "--origin"
        case .invalidField(.controlCharacterInValue("User-Agent")): "--user-agent"
        case .reservedField, .repeatedField, .invalidField: "--header"
        }
    }
}

/// The URL of `--reconnect-url`.
package struct ReconnectURL: Sendable {
    private let template: URLTemplate
    /// The variables that messages of the server set.
    private let received: [Int]

    /// Parses a URL.
    /// - Parameters:
    ///   - first: The URL of the first connection.
    ///   - data: The variables that it may insert.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    package init(
        _ text: String, after first: WebSocketURL, data: ChosenRow, endpoint: ApplicationProtocol.Endpoint?,
        secrets: Secrets
    ) throws(Failure) {
        template = try URLTemplate(
            text, of: "--reconnect-url", variables: data.columns, endpoint: endpoint, base: first, secrets: secrets)
        received = data.extractions.map(\.slot)
    }

    /// The options that would send secrets along with a location.
    package var secretSources: [String] { template.insertsSecret ? ["--reconnect-url"] : [] }

    fileprivate func destination(_ values: inout RequestValues) throws(Failure) -> URLTemplate.Destination? {
        try template.destination(&values, received: received)
    }
}

/// The values that the templates of a request insert for one connection.
package struct RequestValues: ~Copyable {
    private var variables: TemplateVariables
    private var stamp: Template.Stamp
    private var random: SeededRandom
    private var buffer = ByteBuffer()

    /// Prepares the values of a connection.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - data: The row of the connection.
    ///   - seed: Determines random values.
    package init(connection number: UInt64, _ data: ChosenRow, seed: UInt64 = .random(in: .min ... .max)) {
        variables = TemplateVariables(data.columns)
        data.set(&variables)
        stamp = Template.Stamp(
            sequence: 0, connection: number, time: WallTime.now.millisecondsSinceEpoch, seed: 0)
        random = SeededRandom(seed: seed)
    }

    /// Evaluates a template.
    /// - Parameter option: The option of the template, for errors.
    /// - Throws: ``Failure/badArgument(what:why:)`` if a value is missing, or a filter fails.
    package mutating func text(of template: Template, for option: String) throws(Failure) -> String {
        do throws(TemplateValueError) {
            try write(template)
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
        return buffer.withReadableBytes { span in
            span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Whether the variables of a template have values, or defaults.
    mutating func exist(for template: Template) -> Bool {
        do throws(TemplateValueError) {
            try write(template)
            return true
        } catch {
            if case .unset = error { return false }
            // Other errors are reported.
            return true
        }
    }

    private mutating func write(_ template: Template) throws(TemplateValueError) {
        stamp.seed = random.next()
        buffer.removeAll()
        try template.write(to: &buffer, stamp: stamp, variables: variables)
    }
}
