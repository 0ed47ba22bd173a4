import CommandLine

/// The options for the upgrade request.
struct RequestArguments: Equatable, Sendable {
    /// As typed: `Name: value` or `@FILE`.
    var headers: [String] = []
    var subprotocols: [String] = []
    /// `USER:PASSWORD`, `@FILE` or `env:NAME`, as the two that follow.
    var auth: String?
    var bearer: String?
    var cookies: [String] = []
    var origin: String?
    var host: String?
    var userAgent: String?
    var followsRedirects = false
    var maximumRedirects = 20

    static let options: [OptionSpecification<RequestArguments>] = [
        .header(
            \.headers, heading: .request, summary: "Add 'Name: value' or @FILE",
            manual: """
                Add a field to the request. *HEADER* is `Name: value`, \
                or `@` and the path of a file that has one such field a line.
                """),
        .subprotocol(
            \.subprotocols, heading: .request, summary: "Offer this subprotocol (also A,B)",
            manual: """
                Offer the subprotocol *NAME*. Repeat the option or separate names by commas for several, \
                the preferred one first.
                """),
        OptionSpecification(
            "auth", "a", value: OptionValue("USER[:PASSWORD]"), conflicts: ["bearer"], heading: .request,
            summary: "Log in with basic authentication",
            manual: """
                Log in with HTTP basic authentication. Without a password, it is asked for on the terminal. \
                A user and password in the URL do the same; this option goes before them.
                """, .secrets
        ) { arguments, value in arguments.auth = value },
        OptionSpecification(
            "bearer", value: OptionValue("TOKEN"), conflicts: ["auth"], heading: .request,
            summary: "Log in with a bearer token",
            manual: "Log in with a bearer token (RFC 6750), which goes before a user and password in the URL.", .secrets
        ) { arguments, value in arguments.bearer = value },
        OptionSpecification(
            "cookie", "b", value: OptionValue("COOKIE"), repeatable: true, heading: .request,
            summary: "Send a cookie: 'name=value'",
            manual: "Send the cookie *COOKIE*, which is `name=value`, or several with `; ` between them.", .secrets
        ) { arguments, value throws(ValueProblem) in
            arguments.cookies.append(try CookieValue.parse(value))
        },
        OptionSpecification(
            "origin", "o", value: OptionValue("ORIGIN"), heading: .request,
            summary: "Send this Origin, as a browser does",
            manual: """
                Send the Origin field, as a browser does. *ORIGIN* is *scheme*`://`*host*, with `:`*port* if the page has \
                one, for instance `https://app.example`, or `null`. `-H 'Origin: `*TEXT*`'` sends any other text.
                """
        ) { arguments, value throws(ValueProblem) in arguments.origin = try OriginValue.parse(value) },
        OptionSpecification(
            "host", value: OptionValue("HOST"), heading: .request,
            summary: "Send this Host in place of the URL's",
            manual: "Send *HOST* in the Host field in place of the URL's host and port."
        ) { arguments, value in arguments.host = value },
        OptionSpecification(
            "user-agent", value: OptionValue("TEXT"), heading: .request,
            summary: "Send this User-Agent",
            manual: "Send *TEXT* in the User-Agent field in place of `wsx/`*version*."
        ) { arguments, value in arguments.userAgent = value },
        OptionSpecification(
            "location", "L", heading: .request,
            summary: "Follow redirects",
            manual: """
                Follow redirects (301, 302, 303, 307 and 308), except from `wss` to `ws`. `--host` and header \
                fields that may give access to something, however they were given, stay with the scheme, host and port \
                that they were given for: nothing of them goes to another, nor comes back from there. These fields are \
                Authorization, Proxy-Authorization, Cookie, and all whose names tell of a login, a token, a key for \
                access, a password, a session, a signature or another secret. Cookies that servers \
                set on the way are sent as a browser would.
                """
        ) { arguments, _ in arguments.followsRedirects = true },
        OptionSpecification(
            "max-redirects", value: OptionValue("N"), default: "20", heading: .request,
            summary: "Most redirects to follow",
            manual: "Follow at most *N* redirects with `--location`. 0 follows none."
        ) { arguments, value throws(ValueProblem) in
            arguments.maximumRedirects = try CountValue.parse(value, zeroAllowed: true)
        },
    ]
}

extension OptionSpecification {
    /// The option that adds fields to a request or to responses.
    static func header(
        _ path: WritableKeyPath<Arguments, [String]> & Sendable, heading: OptionHeading, summary: String,
        manual: MarkedText
    ) -> OptionSpecification {
        OptionSpecification(
            "header", "H", value: OptionValue("HEADER"), repeatable: true, heading: heading, summary: summary,
            manual: manual
        ) { arguments, value in arguments[keyPath: path].append(value) }
    }

    /// The option that names subprotocols.
    static func subprotocol(
        _ path: WritableKeyPath<Arguments, [String]> & Sendable, heading: OptionHeading, summary: String,
        manual: MarkedText
    ) -> OptionSpecification {
        OptionSpecification(
            "subprotocol", "s", value: OptionValue("NAME"), repeatable: true, heading: heading, summary: summary,
            manual: manual
        ) { arguments, value throws(ValueProblem) in
            arguments[keyPath: path] += try SubprotocolValue.parse(value)
        }
    }
}

extension MarkedText {
    /// The manual's note on options with secret values.
    static let secrets: MarkedText = """
        In place of the value, `@`*FILE* reads it from a file and `env:`*NAME* from an environment variable: other users \
        of the machine can see command lines.
        """
}
