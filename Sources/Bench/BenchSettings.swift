import CommandLine
import Conversation
import Formats
import LoadTest
import Peer
import UserInterface
import WSCore

/// The settings derived from the arguments of `wsx bench`: the URL is parsed, files are read, the request is built, and
/// passphrases have been entered.
package struct BenchSettings: Sendable {
    /// The arguments, for everything that needs no interpretation.
    let arguments: BenchArguments
    /// The URL to connect to, of the first connection.
    let url: WebSocketURL
    /// The request for each connection.
    let requests: RequestTemplate
    /// The way to the server, with the request of the first connection.
    var connector: Connector.Settings
    /// The TLS settings, or `nil` if TLS cannot be needed.
    private(set) var tls: TLSClientSettings?
    /// The cookies of files, with which each thread begins.
    let cookies: CookieStore
    /// Whether the progress is shown.
    let showsProgress: Bool
    /// The load: connections, messages, and pace.
    var plan: LoadPlan
    /// The application protocol, or `nil` if there is none.
    let protocolSelection: ProtocolSelection?
    /// The rows of the connections, or `nil` without a data file.
    let data: DataFile?
    /// The secrets of the run, which servers may repeat.
    let secrets: SecretRecord
    /// The file for single latencies, or `nil` if there is none.
    var sampleFile: SampleFile?

    private static let defaultDuration = Duration.seconds(10)
    /// The descriptors reserved for purposes other than connections: standard streams, the loop, certificates, and the
    /// echo server.
    private static let reservedDescriptors = 64
    /// The descriptors per thread: its loop, timers, and wakers.
    private static let descriptorsOfThread = 8

    /// Derives the settings from the arguments.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ arguments: BenchArguments, secrets: Secrets) throws(Failure) {
        self.arguments = arguments
        self.secrets = secrets.record
        try arguments.checkUser()
        try InputPlace.check(arguments.readFiles)
        let data = try DataFile(arguments.data.path, arguments.protocols, secrets: secrets)
        self.data = data
        guard arguments.protocols.choice != .automatic else {
            throw .badArgument(what: "--protocol auto", why: "a load test cannot detect the protocol; name it")
        }
        let templates = data?.firstChoice ?? ChosenRow()
        let protocolSelection = try ProtocolSelection.make(
            arguments.protocols, for: arguments.client.url, templates: templates, secrets: secrets)
        self.protocolSelection = protocolSelection
        var codecs: MessageCodecs?
        if !arguments.codecs.isEmpty {
            codecs = MessageCodecs(
                decoders: arguments.codecs.decoders, encoders: arguments.codecs.encoders,
                limitBytes: arguments.client.limits.maximumMessageBytes)
        }
        let scenarios = try WeightedScenarios.make(
            arguments.scenario, columns: data?.columns, codecs: codecs, protocolSelection: protocolSelection,
            secrets: secrets)
        let composition = try ConnectorComposition(
            arguments.client, secrets: secrets, templates: templates, protocolSelection: protocolSelection,
            recordedSubprotocol: try scenarios?.subprotocol(
                isGiven: protocolSelection != nil || !arguments.client.request.subprotocols.isEmpty))
        showsProgress = BenchProgress.isWanted(by: arguments)
        url = composition.url
        let requests = composition.requests
        self.requests = requests
        connector = composition.connector
        cookies = try CookieFiles.read(arguments.client.request.cookieFiles).cookies
        // A failure may repeat them.
        secrets.record.add(connector.request.withCookies(from: cookies, at: WallTime.now.seconds))
        tls = composition.tls
        tls?.resumesSessions = arguments.load.connections.resumesTLS
        var plan = Self.plan(arguments)
        if !arguments.goals.isEmpty { try plan.search(arguments.load) }
        if connector.request.version == .http2 { plan.connections.streams = arguments.load.streams }
        if let data {
            plan.data = LoadData(columns: data.columns, firstRow: data.firstRow) { data.takeRow($0) }
            if plan.mode.load.needsConnections {
                try data.load(plan.connections.count) { (number, row) throws(Failure) in
                    let row = ChosenRow(columns: data.columns, row: row)
                    try protocolSelection?.check(connection: number + 1, row)
                    guard !requests.isConstant else { return }
                    var values = RequestValues(connection: number + 1, row)
                    _ = try requests.request(&values)
                }
            }
        } else if let protocolSelection, !protocolSelection.isConstant {
            for number in 1...UInt64(plan.connections.count) {
                try protocolSelection.check(connection: number, ChosenRow())
            }
        }
        let variables = data?.columns ?? VariableNames()
        try variables.checkPatterns(plan.replies.expectations, of: "--expect")
        try variables.checkPatterns([plan.replies.end].compactMap(\.self), of: "--reply-end")
        if plan.mode == .broadcast { plan.messages.variables = try Self.broadcastVariables(variables) }
        plan.messages.templates = try arguments.loadMessages.messages.map { (message) throws(Failure) in
            try message.template(
                as: plan.messages.kind, variables: plan.messages.variables ?? variables, secrets: secrets,
                readsFiles: protocolSelection?.descriptor.readsFiles ?? false,
                mayBeBinary: arguments.protocols.choice == nil)
        }
        try Self.check(plan.messages.templates, connection: 1, data?.firstChoice ?? ChosenRow())
        plan.conversation.exchange = try AutoReply.Plan.make(
            arguments.exchange, variables: variables, secrets: secrets)
        try plan.addHeartbeat(arguments.load, variables: variables, secrets: secrets)
        plan.conversation.applicationProtocol = protocolSelection.map { selection in
            // The messages of a protocol in a file may depend on its login.
            LoadProtocol(name: selection.descriptor.name, checksLines: selection.isBuiltIn) {
                number, row, clockOffset in
                selection.makeSession(
                    connection: number, ChosenRow(columns: variables, row: row), clockOffset: clockOffset)
            }
        }
        plan.conversation.codecs = codecs
        plan.conversation.readinessTimeout = arguments.client.network.connectTimeouts.whole
        plan.conversation.scenarios = try scenarios?.mix(
            connectionCount: plan.connections.count, limitedBy: Self.connectionLimit(plan, arguments.load))
        let stepNames = plan.conversation.scenarios?.names
        try Threshold.check(
            arguments.result.thresholds, for: "--threshold", steps: stepNames,
            stages: plan.stageNames)
        try Threshold.check(
            arguments.abortConditions, for: "--abort", steps: stepNames, stages: [])
        self.plan = plan
        connector.redirects.secretMessages = secrets.record.messageSources
        try Self.checkRateStages(arguments.load)
        if plan.publishedTime == nil { try Self.check(arguments.abortConditions, of: "--abort", in: plan.mode) }
        try Self.checkSamples(arguments, in: plan)
        try checkSearch()
        guard plan.connections.threadCount <= plan.connections.count else {
            throw .badArgument(
                what: "--threads \(plan.connections.threadCount)",
                why: "there are only \(Phrase.count(plan.connections.count, "connection")); raise "
                    + Self.connectionLimit(plan, arguments.load))
        }
        if let problem = plan.problem { throw .badArgument(what: problem.option, why: problem.reason) }
        if case .moment(let moment) = arguments.load.start, moment - WallTime.now.sinceEpoch > DurationValue.longest {
            throw .badArgument(what: "--start-at", why: "the time is more than 30 years from now; check the year")
        }
        try checkDescriptors()
        try checkPorts()
    }

    /// Checks that no filter of a message fails on a connection.
    static func check(_ messages: [Template], connection: UInt64, _ row: ChosenRow) throws(Failure) {
        var values = RequestValues(connection: connection, row)
        for template in messages where template.mayFail { _ = try values.text(of: template, for: "--message") }
    }

    /// The variables of messages in a broadcast: the columns of the data file, and the marker.
    private static func broadcastVariables(_ columns: VariableNames) throws(Failure) -> VariableNames {
        var variables = columns
        guard columns.slot(of: MarkedMessage.variable) == nil else {
            throw .badArgument(
                what: "--data",
                why: "the column 'marker' has the name of the placeholder of --mode broadcast; rename it")
        }
        do throws(VariableNameError) {
            try variables.add(MarkedMessage.variable)
        } catch {
            preconditionFailure("the name of the marker is valid: \(error)")
        }
        return variables
    }

    private static func plan(_ arguments: BenchArguments) -> LoadPlan {
        let load = arguments.load
        var plan = LoadPlan(arguments.mode)
        plan.connections = load.connections
        if let stages = load.connections.stages { plan.connections.count = stages.maximum }
        if arguments.mode == .scenario, let iterationCount = load.messageCount {
            // Without an iteration, a connection would leave its server in the middle of the scenario.
            plan.connections.count = min(plan.connections.count, iterationCount)
        }
        plan.pace = load.pace
        plan.messageCount = load.messageCount
        plan.warmup = load.warmup
        plan.duration =
            plan.allStages?.duration ?? load.duration ?? (load.messageCount == nil ? defaultDuration : nil)
        plan.messages.kind = arguments.loadMessages.payload == .binary ? .binary : .text
        plan.messages.sizeBytes = arguments.loadMessages.sizeBytes
        plan.messages.runNumber = SecureRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        plan.replies = load.replies
        plan.publishedTime = load.publishedTime
        return plan
    }

    /// What limits the number of connections: an option.
    private static func connectionLimit(_ plan: LoadPlan, _ load: LoadArguments) -> String {
        guard plan.connections.stages == nil else { return "a target of --stages" }
        return plan.connections.count < load.connections.count ? "--messages" : "--connections"
    }

    /// Checks that there are latencies for `--samples`.
    private static func checkSamples(_ arguments: BenchArguments, in plan: LoadPlan) throws(Failure) {
        guard let file = arguments.samples.file, !plan.mode.metrics.hasLatencies, plan.publishedTime == nil else {
            return
        }
        throw .badArgument(
            what: "--samples \(escapingControls(file))",
            why: "--mode \(plan.mode.rawValue) measures no latencies"
                + (plan.mode.accepts(.latencyFrom) ? "; add --latency-from" : ""))
    }

    /// Checks that the conditions are about something that the mode measures.
    static func check(_ conditions: [Threshold], of option: String, in mode: BenchMode) throws(Failure) {
        guard !mode.metrics.hasLatencies, let condition = conditions.first(where: \.isLatency) else { return }
        throw .badArgument(
            what: "\(option) '\(escapingControls(condition.expression))'",
            why: "--mode \(mode.rawValue) measures no latencies; use rate, sent, received, or errors")
    }

    /// Checks that no other option shapes a load whose rate has stages. The option table cannot, because the options are
    /// compatible with a constant rate.
    private static func checkRateStages(_ load: LoadArguments) throws(Failure) {
        guard load.pace.rateStages != nil else { return }
        let others = [
            ("--duration", load.duration != nil), ("--messages", load.messageCount != nil),
            ("--ramp", load.pace.ramp > .zero), ("--warmup", load.warmup > .zero),
        ]
        guard let other = others.first(where: \.1) else { return }
        throw .badArgument(what: other.0, why: "it has no effect with the stages of --rate; remove one of them")
    }

    /// The option that determines the number of connections.
    private var connectionsOption: String {
        plan.connections.stages == nil
            ? "--connections \(plan.connections.count)" : "--stages with \(plan.connections.count) connections"
    }

    /// The number of connections in the sense of TCP.
    private var socketCount: Int {
        let streams = plan.connections.streams ?? 1
        // Each thread may have a connection with fewer streams.
        return min(plan.connections.count, plan.connections.count / streams + plan.connections.threadCount)
    }

    /// Checks that there are enough local ports: each connection to a server needs its own.
    private func checkPorts() throws(Failure) {
        // The built-in echo server also uses loopback connections.
        if case .unix = url.endpoint { return }
        guard arguments.client.network.unixSocket == nil, let ports = EphemeralPorts.count else { return }
        let most = ports * connectors.count
        guard socketCount > most else { return }
        throw .badArgument(
            what: connectionsOption,
            why: "one address has only \(ports) local ports; add addresses with --source-ip, "
                + "or ports with 'sysctl net.ipv4.ip_local_port_range'")
    }

    /// Checks that there are enough descriptors, to fail before the run rather than in the middle of it.
    private func checkDescriptors() throws(Failure) {
        let reserved = Self.reservedDescriptors + plan.connections.threadCount * Self.descriptorsOfThread
        let endsHere = url.endpoint == .embeddedEcho ? 2 : 1
        let most = max(0, DescriptorLimit.raise() - reserved) / endsHere
        guard socketCount > most else { return }
        let needed = socketCount * endsHere + reserved
        throw .badArgument(
            what: connectionsOption,
            why:
                "the limit on open files allows \(most); raise it with 'ulimit -n \(needed)', "
                + "or test from several machines"
        )
    }

    /// The connector settings for each address of `--source-ip`, used in rotation. Without the option, there is one
    /// element.
    var connectors: [Connector.Settings] {
        let kinds = SocketAddress.Family.allCases.map { family in
            connector.network.sources.filter { $0.family == family }
        }
        return (0..<max(1, kinds.map(\.count).max() ?? 1)).map { number in
            var connector = connector
            connector.network.sources = kinds.filter { !$0.isEmpty }.map { $0[number % $0.count] }
            return connector
        }
    }

    /// The description of the load for the results.
    var description: BenchDescription { plan.description(url: requests.url.shown) }

    /// The close frame to send at the end.
    var closeFrame: CloseFrame { arguments.client.closeFrame.frame }
}

extension LoadPlan {
    /// Adds the message of `--heartbeat-message`, if there is one.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate mutating func addHeartbeat(
        _ load: LoadArguments, variables: VariableNames, secrets: Secrets
    ) throws(Failure) {
        guard let argument = load.heartbeatMessage else { return }
        var text = argument
        if argument.hasPrefix("@") {
            text = try secrets.text(of: argument, for: "--heartbeat-message")
            secrets.record.addMessage(of: "--heartbeat-message")
        }
        secrets.record.add(message: text)
        let message = try Template.make(
            text, of: "--heartbeat-message", variables: variables, role: .loadMessage,
            isTyped: !argument.hasPrefix("@"), secrets: secrets)
        var plan = conversation.exchange ?? AutoReply.Plan()
        plan.variables = variables
        plan.heartbeat = AutoReply.Plan.Heartbeat(message, every: load.pace.heartbeat)
        conversation.exchange = plan
    }
}

extension MessageSource {
    /// Parses the message. A text file may also contain placeholders.
    /// - Parameters:
    ///   - readsFiles: Whether a line may begin with `@FILE`.
    ///   - mayBeBinary: Whether `--binary` is possible, for errors.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate func template(
        as kind: MessageKind, variables: VariableNames, secrets: Secrets, readsFiles: Bool, mayBeBinary: Bool
    ) throws(Failure) -> Template {
        let (text, option): (String, String)
        // Of a file, only the name is typed.
        var isTyped = false
        switch self {
        case .text(let given):
            option = "--message"
            do throws(ProtocolInputError) {
                let line = readsFiles ? try ProtocolLine.resolved(Array(given.utf8)) : Array(given.utf8)
                text = String(decoding: line, as: UTF8.self)
                isTyped = line == Array(given.utf8)
            } catch {
                throw .badArgument(what: option, why: "\(error)")
            }
        case .file(let path):
            option = "--file \(escapingControls(path))"
            let bytes = try HeaderFiles.contents(of: path, for: "--file")
            guard !bytes.isEmpty else {
                throw .badArgument(what: option, why: "it is empty; name a file with a message")
            }
            guard kind == .text else { return Template(literal: bytes) }
            guard let contents = String(validating: bytes, as: UTF8.self) else {
                let remedy = mayBeBinary ? "send it with --binary" : "convert the file to UTF-8"
                throw .badArgument(what: option, why: "it is not UTF-8 text; \(remedy)")
            }
            text = contents
        }
        return try Template.make(
            text, of: option, variables: variables, role: .loadMessage, isTyped: isTyped, secrets: secrets)
    }
}

extension BenchArguments {
    /// Throws ``Failure/badArgument(what:why:)`` for a number as the user: in k6, `-u` is the number of virtual users.
    fileprivate func checkUser() throws(Failure) {
        guard let user = client.request.auth, !user.isEmpty,
            user.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return }
        throw .badArgument(
            what: "--auth \(user)",
            why: "this is a number; use --connections \(user) for virtual users, or write USER:PASSWORD")
    }
}
