import CommandLine
import WSCore

/// The options for the upgrade request of a client.
package struct RequestArguments: Equatable, Sendable {
    /// As typed: `Name: value`, `@FILE`, or `exec:COMMAND`.
    package var headers: [String] = []
    package var subprotocols: [String] = []
    /// As typed: `USER[:PASSWORD]`, or a reference; see ``Secrets``.
    package var auth: String?
    /// As typed: the token, or a reference.
    package var bearer: String?
    /// How the user and password are sent.
    package var authentication = AuthenticationMethod.basic
    package var signatureScope: SignatureScope?
    /// Whether the .netrc file may provide the user and password.
    package var usesNetrc = false
    /// As typed: `name=value`, or a reference.
    package var cookies: [String] = []
    /// The cookie files to read.
    package var cookieFiles: [String] = []
    /// The cookie file to write, or `nil` if there is none. Only for `wsx connect`.
    package var cookieJar: String?
    package var origin: String?
    package var host: String?
    package var userAgent: String?
    package var redirects = RedirectChoice.none
    package var maximumRedirects = 20

    package static let cookieJar = OptionSpecification<RequestArguments>(
        "cookie-jar", value: OptionValue("FILE", .file), heading: .request,
        summary: "Save all cookies in FILE at the end",
        manual: """
            At the end of the run, however it ends, write all cookies to *FILE*: those of cookie files and those \
            that servers have set, but not those of `--cookie name=value`. The file has the format of curl, is \
            readable only by you, and replaces an existing file. If it cannot be written, the status is 1.
            """,
        """
        To keep cookies from one run to the next, name the same file for `--cookie`; at first, it may be missing. A \
        symbolic link is rejected.
        """,
        example: "--cookie jar.txt --cookie-jar jar.txt", seeAlso: ["cookie"]
    ) { arguments, value throws(ValueProblem) in
        guard !value.isEmpty else { throw .empty }
        arguments.cookieJar = value
    }

    package static let options: [OptionSpecification<RequestArguments>] = [
        .header(
            \.headers, startsProgram: HeaderValue.isProgram, heading: .request,
            summary: "Add 'Name: value', or the lines of @FILE",
            manual: """
                Add a header field to the request. *HEADER* is `Name: value`, `@`*FILE* to add every line of a file, or \
                `exec:`*COMMAND* to add every line of a program's output; see SECRETS.
                """),
        .subprotocol(
            \.subprotocols, heading: .request, summary: "Offer a subprotocol, or several: A,B",
            manual: """
                Offer the subprotocol *NAME* to the server. To offer several, separate them with commas or repeat the \
                option, in order of preference.
                """),
        OptionSpecification(
            "auth", "a", value: OptionValue("USER[:PASSWORD]"), conflicts: ["bearer", "aws-sigv4"],
            startsProgram: SecretReference.isProgram, heading: .request,
            summary: "Log in with HTTP Basic authentication",
            manual: """
                Log in with HTTP Basic authentication. If *PASSWORD* is missing, `wsx` prompts for it on the terminal. \
                This option overrides a user and password in the URL.
                """, .secrets, example: "--auth alice", seeAlso: ["bearer", "digest", "netrc"], aliases: ["u", "user"]
        ) { arguments, value throws(ValueProblem) in arguments.auth = try LoginValue.parse(value) },
        OptionSpecification(
            "bearer", value: OptionValue("TOKEN"), conflicts: ["auth", "digest", "anyauth", "aws-sigv4"],
            startsProgram: SecretReference.isProgram, heading: .request,
            summary: "Log in with a bearer token",
            manual: "Log in with a bearer token (RFC 6750). This option overrides a user and password in the URL.",
            .secrets, example: "--bearer env:API_TOKEN", seeAlso: ["auth"]
        ) { arguments, value in arguments.bearer = value },
        OptionSpecification(
            "digest", conflicts: ["bearer", "aws-sigv4"], heading: .request,
            summary: "Log in with HTTP Digest, never with Basic",
            manual: """
                Log in with HTTP Digest authentication (RFC 7616: MD5, SHA-256, or SHA-512-256, with `qop=auth` or \
                without `qop`) and the user and password of `--auth`, `--netrc`, or the URL. A server that asks for \
                Basic gets no password. An Authorization field of `--header` takes precedence. Of `--digest` and \
                `--anyauth`, the last one wins.
                """,
            """
            Each connection is first requested without a login, and once more, on a new connection, with the answer to \
            the server's challenge, so it takes the time of two. After a redirect to another origin, no login is sent.
            """,
            example: "--auth alice --digest", seeAlso: ["auth", "anyauth"]
        ) { arguments, _ in arguments.authentication = .digest },
        OptionSpecification(
            "anyauth", conflicts: ["bearer", "aws-sigv4"], heading: .request,
            summary: "Log in with the best scheme offered",
            manual: """
                Log in with the strongest scheme that the server offers: Digest, otherwise Basic. Like `--digest`, this \
                takes two connections for each.
                """,
            seeAlso: ["digest"]
        ) { arguments, _ in arguments.authentication = .strongest },
        OptionSpecification(
            "aws-sigv4", value: OptionValue("[REGION:]SERVICE"), conflicts: ["auth", "bearer", "digest", "anyauth"],
            heading: .request,
            summary: "Sign the request for AWS",
            manual: """
                Sign the request of each connection for AWS with Signature Version 4. For the WebSocket APIs of API \
                Gateway with IAM authorization, *SERVICE* is `execute-api`. Without *REGION*, the region is that of \
                the host name (`…us-east-1.amazonaws.com`), the environment, or the profile. curl's notation \
                `aws:amz:`*REGION*`:`*SERVICE* is accepted, too. This option overrides a user and password in the URL.
                """,
            """
            The credentials are those of the variables in ENVIRONMENT, otherwise those of the profile in \
            `~/.aws/credentials` and `~/.aws/config`. They are read once, at the start. For profiles with single \
            sign-on, a role, or a program, first run `eval "$(aws configure export-credentials --format env)"`.
            """,
            """
            The signature covers the method, the path, the query, Host, and header fields whose names begin with \
            `X-Amz-`. Servers accept it for about five minutes, so the clock must be right. Proxies do not receive it, \
            and neither do servers of other origins, even with `--location-trusted`.
            """,
            example: "--aws-sigv4 us-east-1:execute-api", seeAlso: ["auth", "location"]
        ) { arguments, value throws(ValueProblem) in arguments.signatureScope = try SignatureScope(parsing: value) },
        OptionSpecification(
            "netrc", heading: .request,
            summary: "Log in with the host's entry in ~/.netrc",
            manual: """
                Log in with the entry for the URL's host in `~/.netrc`, or in the file that `$NETRC` names: with HTTP \
                Basic authentication, or as `--digest` or `--anyauth` says. `--auth`, `--bearer`, `--aws-sigv4`, and a \
                password in the URL take precedence. For a user in the URL, only that user's password is taken. After \
                a redirect to another origin, no login is sent.
                """,
            """
            Without an entry for the host, or one that begins with `default`, no login is sent. Values with spaces \
            need double quotes. A missing file is an error, and so is an entry for the host without a user.
            """,
            seeAlso: ["auth"]
        ) { arguments, _ in arguments.usesNetrc = true },
        OptionSpecification(
            "cookie", "b", value: OptionValue("COOKIE", .file), repetition: .adds,
            startsProgram: SecretReference.isProgram, heading: .request,
            summary: "Send a cookie: name=value, or those of FILE",
            manual: """
                Send a cookie, `name=value`, or several, `a=1; b=2`. As in curl, a value without an equals sign is the \
                name of a cookie file: `--cookie jar.txt`. Cookies set by servers are sent as well.
                """,
            """
            A cookie file has the format of Netscape, which `curl -c` and browser extensions write; `-` is standard \
            input. Each request, also after a redirect, gets the cookies for its host and path that have not expired; \
            secure ones are sent to `wss` only. Lines that are no cookies are ignored; `wsx connect -v` counts them.
            """,
            .secrets, example: "--cookie 'session=a1b2c3'", seeAlso: ["location"]
        ) { arguments, value throws(ValueProblem) in
            switch try CookieValue.parse(value) {
            case .text(let text): arguments.cookies.append(text)
            case .file(let path): arguments.cookieFiles.append(path)
            }
        },
        OptionSpecification(
            "origin", "o", value: OptionValue("ORIGIN"), heading: .request,
            summary: "Send an Origin header, as browsers do",
            manual: """
                Send an Origin header field, as browsers do. *ORIGIN* is *scheme*`://`*host*[`:`*port*] or `null`. To \
                send any other text, use `--header 'Origin: `*TEXT*`'`.
                """,
            example: "--origin https://app.example", seeAlso: ["header"]
        ) { arguments, value throws(ValueProblem) in arguments.origin = try OriginValue.parse(value) },
        OptionSpecification(
            "host", value: OptionValue("HOST"), heading: .request,
            summary: "Send this Host header instead of the URL's",
            manual: """
                Send *HOST* in the Host header field instead of the URL's host and port. The connection still goes to \
                the URL's host, and TLS still verifies that name.
                """,
            example: "--host staging.example", seeAlso: ["resolve", "tls-server-name"]
        ) { arguments, value in arguments.host = value },
        OptionSpecification(
            "user-agent", value: OptionValue("TEXT"), heading: .request,
            summary: "Send this User-Agent header",
            manual: """
                Send *TEXT* in the User-Agent header field instead of `wsx/`*version*. If *TEXT* is empty, the field is \
                omitted.
                """,
            example: "--user-agent 'Mozilla/5.0'", seeAlso: ["header"]
        ) { arguments, value in arguments.userAgent = value },
        OptionSpecification(
            "location", "L", heading: .request,
            summary: "Follow redirects",
            manual: "Follow redirects (301, 302, 303, 307, and 308), except from `wss` to `ws`.",
            """
            On a redirect to another origin (scheme, host, or port), logins, cookies, `--host`, subprotocols, and \
            header fields stay behind, and a notice names them. A later redirect back does not restore them. Only \
            User-Agent, Origin, Cache-Control, Pragma, DNT, Accept, Accept-Charset, Accept-Encoding, Accept-Language, \
            and the subprotocols of `--protocol` are sent to every origin. From `ws` to `wss` on the same host, both \
            with their default port, everything is kept. Cookies that servers set are sent as a browser would send them.
            """,
            """
            Messages go to the server that accepts the connection. If one that wsx sends by itself contains a secret \
            (`env:`*NAME*, `@`*FILE*, `{{env:`*NAME*`}}`, a login in `--param`, or a column of `--data` with a name such \
            as `token`), a redirect to another origin is an error with status 4.
            """,
            seeAlso: ["location-trusted"]
        ) { arguments, _ in if arguments.redirects == .none { arguments.redirects = .untrusted } },
        OptionSpecification(
            "location-trusted", heading: .request,
            summary: "Follow redirects, and send secrets along",
            manual: """
                Follow redirects like `--location`, and send logins, cookies, header fields, subprotocols, client \
                certificates, and messages with secrets to every server, which you should trust. `--host` and \
                `--tls-server-name` still apply only to the first one.
                """,
            seeAlso: ["location"]
        ) { arguments, _ in
            arguments.redirects = .trusted
        },
        OptionSpecification(
            "max-redirects", value: OptionValue("N"), default: "20", heading: .request,
            summary: "Follow at most N redirects",
            manual: """
                With `--location`, follow at most *N* redirects in a row. 0 follows none. The limit also applies to the \
                redirects of SignalR's negotiation, which need no option.
                """,
            example: "--location --max-redirects 3", seeAlso: ["location"]
        ) { arguments, value throws(ValueProblem) in
            arguments.maximumRedirects = try CountValue.parse(value, zeroAllowed: true)
        },
    ]
}

/// Which redirects are followed.
package enum RedirectChoice: Equatable {
    case none
    /// All, but those to other origins get nothing that the user gave.
    case untrusted
    /// All, with everything that the user gave.
    case trusted
}

extension OptionSpecification {
    /// The option that adds header fields to a request or to responses.
    package static func header(
        _ path: WritableKeyPath<Arguments, [String]> & Sendable,
        startsProgram: @escaping OptionDescription.ProgramRule = { _ in false }, heading: OptionHeading,
        summary: String, manual: MarkedText
    ) -> OptionSpecification {
        OptionSpecification(
            "header", "H", value: OptionValue("HEADER"), repetition: .adds, startsProgram: startsProgram,
            heading: heading, summary: summary, manual: manual, example: "--header 'X-Request-Id: 42'"
        ) { arguments, value throws(ValueProblem) in arguments[keyPath: path].append(try HeaderValue.parse(value)) }
    }

    /// The option that names subprotocols.
    package static func subprotocol(
        _ path: WritableKeyPath<Arguments, [String]> & Sendable, heading: OptionHeading, summary: String,
        manual: MarkedText
    ) -> OptionSpecification {
        OptionSpecification(
            "subprotocol", "s", value: OptionValue("NAME"), repetition: .adds, heading: heading, summary: summary,
            manual: manual, example: "--subprotocol graphql-transport-ws"
        ) { arguments, value throws(ValueProblem) in
            arguments[keyPath: path] += try SubprotocolValue.parse(value)
        }
    }
}

extension MarkedText {
    /// The manual's paragraph about options with secret values.
    package static let secrets: MarkedText = """
        `@`*FILE*, `env:`*NAME*, and `exec:`*COMMAND* hide the value; see SECRETS.
        """
}
