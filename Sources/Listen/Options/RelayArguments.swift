import CommandLine
import Conversation
import UserInterface

/// What `wsx relay` does for its clients, besides the arguments of a server.
package struct RelayMode: Equatable, Sendable {
    /// How to reach the server, or those of an HTTP proxy, which has no URL.
    package var server = ClientArguments()
    package var proxy = HTTPProxyArguments()
    package var rewriting = RewriteArguments()
    /// The command to run behind the proxy, and its arguments; empty: none.
    package var command: [String] = []
    package var gateway = GatewayArguments()

    /// Whether the relay is an HTTP proxy: its clients choose the servers.
    var isProxy: Bool { server.url.isEmpty }
}

/// The arguments of `wsx relay` as typed: those of a server, and of a client.
package struct RelayArguments: Equatable, Sendable {
    private var listen = ListenArguments()
    private var relay = RelayMode()

    package init() {
        listen.limits.maximumMessageBytes = 64 << 20
    }

    /// The relay as a mode of the server.
    package var listenArguments: ListenArguments {
        var arguments = listen
        var relay = relay
        relay.server.compression = arguments.compression
        relay.server.limits = arguments.limits
        arguments.access.credentials = [relay.proxy.login].compactMap(\.self)
        arguments.mode = .relay(relay)
        if !relay.command.isEmpty {
            // The terminal is the command's.
            arguments.format.readsInput = false
            if arguments.transcript.verbosity == 0 { arguments.transcript.display.isQuiet = true }
        }
        return arguments
    }

    package static let operands: [OperandSpecification<RelayArguments>] = [
        OperandSpecification(
            "[ADDRESS:]PORT", required: false, profileKey: "address", example: "8080",
            summary: "Port to listen on, or unix:PATH",
            manual: """
                The address and port that clients connect to, as for `wsx listen`. The default address is `127.0.0.1`, \
                which only this machine can reach.
                """
        ) { arguments, values throws(ValueProblem) in
            arguments.listen.address = try ListenAddressValue.parse(values.joined(), precedesURL: true)
        },
        ClientArguments.url(
            required: false, summary: "ws://HOST/PATH, HOST:PORT, or @PROFILE", prefixes: ["ws://", "wss://"],
            mayMeanLoad: false,
            manual: """
                The server. See URLS. A client that asks for `/` gets the path of *URL*; other paths and queries are \
                passed on unchanged. `@`*NAME* is a profile; see CONFIGURATION. Without *URL*, the relay is an HTTP proxy.
                """
        ).checked { (arguments: ClientArguments) throws(ValueProblem) in
            // More likely an unset variable than an intention.
            if arguments.url.isEmpty {
                throw .unusable(words: "it is empty; write a URL, or omit it for an HTTP proxy")
            }
        }.lifted(\.relay.server),
        OperandSpecification(
            "COMMAND [ARG...]", required: false, followsEnd: true, completion: .program,
            summary: "Command to run behind the HTTP proxy",
            manual: """
                Run the command with the relay as its HTTP proxy, whose authority it trusts; end with its status. See \
                COMMANDS.
                """
        ) { arguments, values in arguments.relay.command = values },
    ]

    package static let options = (table + [HTTPProxyArguments.printingOption(besides: table).lifted(\.relay.proxy)])
        .adapted(
            examples: [
                "param": "--param name=demo --answer '^who => {{name}}'",
                "max-connections": "--max-connections 1000", "max-memory": "--max-memory 1G",
                "tls-self-signed": "--tls-self-signed", "delay": "--delay 200ms", "drop-rate": "--drop-rate 1%",
                "seed": "--drop-rate 1% --seed 7", "close-after": "--close-after 100", "reject": "--reject 503x2",
                "throttle": "--throttle 64k",
            ])

    @OptionTable<RelayArguments> private static var table: [OptionSpecification<RelayArguments>] {
        (ServerArguments.upgradeOptions + ServerArguments.servingOptions).only([
            "handshake-timeout", "once", "http2",
        ])
        .lifted(\.listen.server)
        HTTPProxyArguments.options.lifted(\.relay.proxy)
        [HTTPProxyArguments.authorityOption].lifted(\.relay.proxy)
        GatewayArguments.options.lifted(\.relay.gateway)
        AccessArguments.options.only(["origin", "max-connections", "max-memory"]).lifted(\.listen.access)
        ExchangeArguments.options(
            firstMessage: "", ready: nil,
            answer: """
                Messages of clients are answered, and after `from:server ` those of the server. They are not forwarded.
                """
        ).only(["answer"]).lifted(\.listen.exchange)
        [ExchangeArguments.set].lifted(\.listen.exchange)
        [ListenArguments.variable].lifted(\.listen.protocols)
        RewriteArguments.options.lifted(\.relay.rewriting)
        FaultArguments.options.only(["delay", "drop-rate", "seed", "close-after", "reject", "throttle"])
            .lifted(\.listen.faults)
        [FaultArguments.sideOption].lifted(\.listen.faults)
        FormatArguments.options(manual: "Do not read standard input: there is no prompt.")
            .only(["no-stdin", "output"]).lifted(\.listen.format)
        CodecArguments.options(
            takesPrograms: false, takesSides: true,
            decode: """
                Decode the messages of both sides with *CODEC*; after `from:client` or `from:server` and a blank, only \
                those of this side. What is forwarded and recorded stays as it is, except with `--rewrite` and `--drop`.
                """,
            encode: """
                Encode lines of the prompt and answers, which must be JSON, with *CODEC*; after `from:client` or \
                `from:server` and a blank, only those that are sent in place of this side.
                """
        ).only(["decode", "encode"]).lifted(\.listen.codecs)
        RequestArguments.options.only([
            "header", "auth", "bearer", "digest", "anyauth", "aws-sigv4", "netrc", "host", "user-agent",
        ]).lifted(\.relay.server.request)
        NetworkArguments.options.lifted(\.relay.server.network)
        TLSArguments.options.lifted(\.relay.server.tls)
        ServerTLSArguments.options.only(["tls-cert", "tls-key", "tls-self-signed", "client-ca"]).lifted(\.listen.tls)
        CompressionArguments.options().lifted(\.listen.compression)
        LimitArguments.options().lifted(\.listen.limits)
        TranscriptArguments.options(conditionPrefixes: [.path, .side]).lifted(\.listen.transcript)
        PageArguments.options(conditionPrefixes: [.path, .side]).lifted(\.listen.page)
    }
}
