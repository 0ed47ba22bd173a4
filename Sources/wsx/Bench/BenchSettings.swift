import WSCore

/// What the arguments of `wsx bench` mean: URL parsed, files read, request composed, passphrases asked for.
struct BenchSettings: Sendable {
    /// What was typed, for all that means what it says.
    let arguments: BenchArguments
    /// Where to connect to.
    let url: WebSocketURL
    /// What to ask for there, and how to get there.
    var connector: Connector.Settings
    /// What is asked of TLS; nil: it cannot be needed.
    let tls: TLSClientSettings?
    /// How long messages are sent; nil: until there have been as many as were asked for.
    let duration: Duration?

    private static let defaultDuration = Duration.seconds(10)
    /// Descriptors for anything but connections: the loop's, standard ones, files of certificates, the server of `echo:`.
    private static let reservedDescriptors = 64

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: BenchArguments, secrets: Secrets) throws(Failure) {
        self.arguments = arguments
        let composition = try ConnectorComposition(arguments, secrets: secrets)
        url = composition.url
        connector = composition.connector
        tls = composition.tls
        duration = arguments.duration ?? (arguments.messageCount == nil ? Self.defaultDuration : nil)
        try checkDescriptors()
    }

    /// What cannot be opened is said before the run, and not after half of it.
    private func checkDescriptors() throws(Failure) {
        let endsHere = url.endpoint == .embeddedEcho ? 2 : 1
        let most = max(0, DescriptorLimit.raise() - Self.reservedDescriptors) / endsHere
        guard arguments.connectionCount > most else { return }
        throw .badArgument(
            what: "--connections \(arguments.connectionCount)",
            why: "this process may open no more than \(most); 'ulimit -n' allows more, or test from several machines")
    }

    /// What is accepted from the server, and how connections are closed.
    var connection: Connection<LoadConnection>.Settings {
        Connection.Settings(
            role: .client,
            limits: Limits(
                maximumMessageBytes: arguments.maximumMessageBytes, maximumFragments: arguments.maximumFragments),
            fragmentBytes: arguments.fragmentBytes, closeTimeout: arguments.closeTimeout)
    }

    /// What results tell of it.
    var description: BenchDescription {
        let byteCount = arguments.message?.utf8.count ?? arguments.sizeBytes
        return BenchDescription(
            mode: .echo, url: "\(url)", connections: arguments.connectionCount, threads: 1,
            message: BenchDescription.Message(kind: kind, byteCount: byteCount), inFlight: arguments.inFlight,
            rateAsked: nil)
    }

    /// The kind of the messages.
    var kind: MessageKind { arguments.payload == .binary ? .binary : .text }

    /// What is sent.
    func makeMessage() -> EchoMessage {
        arguments.message.map { EchoMessage(Array($0.utf8)) } ?? EchoMessage(byteCount: arguments.sizeBytes)
    }

    /// The close frame that this end sends.
    var closeFrame: CloseFrame {
        CloseFrame(code: CloseCode(rawValue: arguments.closeCode), reason: arguments.closeReason)
    }
}
