import Conversation
import UserInterface
import WSCore

/// Builds the request that the arguments of a client command describe: reads files, asks for a password, and parses
/// templates.
package struct RequestComposition {
    /// The arguments of the client command.
    package let arguments: ClientArguments
    /// What the application protocol expects of the request, or `nil` if there is none.
    var endpoint: ApplicationProtocol.Endpoint?
    /// Resolves references to files and environment variables.
    package let secrets: Secrets
    /// The variables of templates, or `nil` if all texts are sent unchanged.
    package let variables: VariableNames?

    package init(
        arguments: ClientArguments, endpoint: ApplicationProtocol.Endpoint? = nil, secrets: Secrets,
        variables: VariableNames?
    ) {
        self.arguments = arguments
        self.endpoint = endpoint
        self.secrets = secrets
        self.variables = variables
    }

    /// Returns the request for a URL.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    func template(for url: URLTemplate) throws(Failure) -> RequestTemplate {
        var template = RequestTemplate(url, arguments)
        let typedHeaders = arguments.request.headers.filter { SecretCommand(ofHeader: $0) == nil }
        for header in typedHeaders {
            let isTyped = !header.hasPrefix("@")
            for field in try HeaderFiles.fields([header]) {
                try Self.checkLogin(field)
                template.fields.append(
                    RequestTemplate.Field(
                        name: field.name, value: try parse(field.value, of: "--header", isTyped: isTyped)))
            }
        }
        template.secretFields = try secretFields()
        if let auth = arguments.request.auth {
            template.login = try login(auth, at: url)
        } else {
            template.storedLogins = try storedLogins()
        }
        template.bearer = try arguments.request.bearer.map { (bearer) throws(Failure) in
            try secret(bearer, of: "--bearer")
        }
        template.signer = try arguments.request.signatureScope.map { (scope) throws(Failure) in
            try signer(scope, for: template, at: url.base)
        }
        for cookie in arguments.request.cookies {
            template.cookies.append(try secret(cookie, of: "--cookie"))
        }
        for subprotocol in arguments.request.subprotocols {
            template.subprotocols.append(try parse(subprotocol, of: "--subprotocol"))
        }
        if let endpoint { template.complete(for: endpoint) }
        return template
    }

    /// Replaces the outputs of programs by their latest ones.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package func renew(_ template: inout RequestTemplate) throws(Failure) {
        template.secretFields = try secretFields()
        if let auth = arguments.request.auth, SecretCommand(auth, of: "--auth") != nil {
            template.login = try login(auth, at: template.url)
        }
        if let bearer = arguments.request.bearer, SecretCommand(bearer, of: "--bearer") != nil {
            template.bearer = try secret(bearer, of: "--bearer")
        }
        for (index, cookie) in arguments.request.cookies.enumerated() where SecretCommand(cookie, of: "--cookie") != nil
        {
            template.cookies[index] = try secret(cookie, of: "--cookie")
        }
    }

    /// The header fields in the outputs of programs, one per line.
    private func secretFields() throws(Failure) -> [HeaderField] {
        var fields: [HeaderField] = []
        for header in arguments.request.headers {
            guard let command = SecretCommand(ofHeader: header) else { continue }
            let output = try secrets.value(of: header, for: command.option)
            let lines = try HeaderFiles.fields(
                inLines: Array(output.utf8), from: "\(command.option): the output of '\(command.name)'")
            for field in lines {
                try Self.checkLogin(field)
                secrets.record.add(inserted: field.value)
            }
            fields += lines
        }
        return fields
    }

    /// Rejects a login without its value, which an unset variable of a shell leaves.
    private static func checkLogin(_ field: HeaderField) throws(Failure) {
        let isAuthorization = field.isNamed("Authorization")
        // RFC 6750 §2.1 and RFC 7617 §2: a token, or a user and password, follows the scheme.
        let isEmpty = field.value.isEmpty || isAuthorization && ["basic", "bearer"].contains(field.value.lowercased())
        guard isEmpty, isAuthorization || field.isNamed("Cookie") else { return }
        throw .badArgument(
            what: "--header", why: "'\(field.name)' has no value; write one, or omit the header (is a variable unset?)")
    }

    // MARK: Templates

    private func parse(_ text: String, of option: String, isTyped: Bool = true) throws(Failure) -> Template {
        guard let variables else { return Template(literal: Array(text.utf8)) }
        return try Template.make(
            text, of: option, variables: variables, role: .request, isTyped: isTyped, secrets: secrets)
    }

    /// Parses a value that may be a reference. What it refers to is not a template: a password may contain braces.
    private func secret(_ argument: String, of option: String) throws(Failure) -> Template {
        let text = try secrets.value(of: argument, for: option)
        return Secrets.isReference(argument) ? Template(literal: Array(text.utf8)) : try parse(text, of: option)
    }

    // MARK: Logins

    /// Parses `USER:PASSWORD`. Without a colon, asks the user for the password.
    private func login(
        _ argument: String, at url: URLTemplate
    ) throws(Failure) -> (user: Template, password: Template) {
        let auth = try secrets.value(of: argument, for: "--auth")
        let isLiteral = variables == nil || Secrets.isReference(argument)
        let colon =
            isLiteral
            ? auth.firstIndex(of: ":") : auth.indexOutsidePlaceholders { $0.first == UInt8(ascii: ":") }
        let user = String(auth[..<(colon ?? auth.endIndex)])
        if let colon {
            let password = String(auth[auth.index(after: colon)...])
            guard isLiteral else { return (try parse(user, of: "--auth"), try parse(password, of: "--auth")) }
            return (Template(literal: Array(user.utf8)), Template(literal: Array(password.utf8)))
        }
        if let command = SecretCommand(argument, of: "--auth") {
            throw command.failure("its output is not USER:PASSWORD")
        }
        let question = "Password for \(escapingControls(user)) at \(url.shown): "
        let password = try secrets.asked(question, for: "--auth", noun: "password", remedy: "USER:PASSWORD")
        return (
            isLiteral ? Template(literal: Array(user.utf8)) : try parse(user, of: "--auth"),
            Template(literal: Array(password.utf8))
        )
    }

    /// Signs the request for AWS.
    private func signer(
        _ scope: SignatureScope, for template: RequestTemplate, at url: WebSocketURL
    ) throws(Failure) -> AWSSigner {
        if let name = AWSSigner.fieldNames.first(where: template.hasField) {
            throw .badArgument(what: "--header", why: "--aws-sigv4 sets the header '\(name)'; omit it")
        }
        let source = AWSEnvironment(environment: secrets.environment)
        let credentials = try source.credentials()
        secrets.record.add(inserted: credentials.secretKey)
        if let token = credentials.sessionToken { secrets.record.add(inserted: token) }
        let region = if let region = scope.region { region } else { try source.region(of: url) }
        return AWSSigner(credentials: credentials, region: region, service: scope.service)
    }

    /// The logins of the .netrc file, unless the user gave another one.
    private func storedLogins() throws(Failure) -> NetrcFile? {
        guard arguments.request.usesNetrc, arguments.request.bearer == nil, arguments.request.signatureScope == nil
        else { return nil }
        return try NetrcFile(environment: secrets.environment)
    }
}
