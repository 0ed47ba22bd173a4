import WSCore

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

/// Builds the request that the arguments of a client command describe.
struct RequestComposition {
    /// The arguments of the client command.
    let arguments: ClientArguments
    /// Resolves references to files and environment variables.
    let secrets: Secrets

    /// Returns the request for a URL.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    func request(for url: WebSocketURL) throws(Failure) -> ClientRequest {
        var fields = try HeaderFiles.fields(arguments.request.headers)
        let auth = try arguments.request.auth.map { (auth) throws(Failure) in try secrets.value(of: auth, for: "--auth")
        }
        var credentials = try auth.map { (auth) throws(Failure) in try self.credentials(auth, for: url) }
        if credentials == nil { credentials = try netrcCredentials(for: url) }
        if let bearer = arguments.request.bearer {
            fields.append(try Self.bearerField(try secrets.value(of: bearer, for: "--bearer")))
        }
        for cookie in arguments.request.cookies {
            try Self.add(cookie: try secrets.value(of: cookie, for: "--cookie"), to: &fields)
        }
        do throws(ClientRequestError) {
            return try ClientRequest(
                url: url, subprotocols: arguments.request.subprotocols, origin: arguments.request.origin,
                host: arguments.request.host,
                userAgent: arguments.request.userAgent ?? "wsx/\(version)", credentials: credentials,
                extensionOffers: arguments.compression.deflate.map { [$0.offer] } ?? [], extraFields: fields)
        } catch {
            throw .badArgument(what: error.option, why: "\(error)")
        }
    }

    /// Parses `USER:PASSWORD`. Without a colon, asks the user for the password.
    private func credentials(_ auth: String, for url: WebSocketURL) throws(Failure) -> Credentials {
        let colon = auth.firstIndex(of: ":")
        let user = String(auth[..<(colon ?? auth.endIndex)])
        let password: String
        if let colon {
            password = String(auth[auth.index(after: colon)...])
        } else {
            let question = "Password for \(escapingControls(user)) at \(url): "
            password = try secrets.asked(question, for: "--auth", noun: "password", remedy: "USER:PASSWORD")
        }
        do throws(CredentialsError) {
            return try Credentials(user: user, password: password)
        } catch {
            throw .badArgument(what: "--auth", why: "\(error)")
        }
    }

    /// The credentials of the .netrc file, unless the user gave others.
    private func netrcCredentials(for url: WebSocketURL) throws(Failure) -> Credentials? {
        guard arguments.request.usesNetrc, arguments.request.bearer == nil, url.userInfo == nil else { return nil }
        let credentials = try NetrcFile(environment: secrets.environment).credentials(for: url)
        secrets.record.add(credentials)
        return credentials
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
