import Conversation
import Formats
import UserInterface
import WSCore

/// The page of `--page`: shows the events of a run in browsers while it goes on, and lets them send.
///
///     run ─► EventWriter ─► PageHistory ─► PageClient ─► page 1   each at its own speed; none holds up the run
///      ▲                         └───────► PageClient ─► page 2
///      └── perform ◄─────────────────────────┘
package final class LivePage {
    /// What the page is about.
    package struct Facts {
        /// The name of the command.
        let command: String
        /// To whom the page can send.
        let sides: [RelaySide]
        /// The prefixes that conditions of held messages may have, or `nil` if none can be held.
        let holding: ScopedCondition.Prefixes?

        package init(command: String, sides: [RelaySide], holding: ScopedCondition.Prefixes?) {
            self.command = command
            self.sides = sides
            self.holding = holding
        }
    }

    /// Writes the events that the pages show.
    package private(set) lazy var events = EventWriter(
        DescriptorWriter(on: loop) { [unowned self] in append($0) }, without: diagnostics.secrets, on: loop)
    /// Sends an item with a payload: to a client, or to all without a number; or to the server.
    package var send: (InputItem, [UInt8], _ client: Int?, _ toServer: Bool) throws(PageProblem) -> Void = {
        _, _, _, _ in
    }
    /// The messages that wait for pages, or `nil` if none can.
    package let holds: PageHolds?
    private let facts: Facts
    private let address: SocketAddress
    private let diagnostics: Diagnostics
    private let loop: EventLoop
    private(set) var history = PageHistory()
    /// The last line for each page, once the run has ended.
    private(set) var ending: [UInt8]?
    private let token = Digest.hexadecimal(SecureRandom.bytes(16))
    private var wrongTokens = WrongTokens()
    private lazy var server = makeServer()

    /// The subprotocol of pages. They offer the token as another.
    private static let subprotocol = "wsx-page"
    /// The maximum number of pages, and of connections with those that load a page.
    private static let (maximumPages, maximumConnections) = (8, 64)
    /// The maximum size of what a page asks for, and what may wait for it in a send queue, in bytes.
    private static let (maximumMessageBytes, queueLimitBytes) = (24 << 20, 1 << 20)
    /// What all pages together may hold up in memory, in bytes.
    private static let maximumHeldBytes = 128 << 20
    /// The time that the pages get for the last events.
    private static let endTimeout = Duration.seconds(1)

    /// Prepares a page; returns `nil` without an address.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init?(
        _ arguments: PageArguments, _ facts: Facts, diagnostics: Diagnostics, on loop: EventLoop
    ) throws(Failure) {
        guard let text = arguments.address else { return nil }
        address = try ListeningAddress.parse(text, what: "--page '\(escapingControls(text))'")
        self.facts = facts
        self.diagnostics = diagnostics
        self.loop = loop
        holds = facts.holding.map { PageHolds(arguments.held, allowing: $0, diagnostics: diagnostics, on: loop) }
        holds?.didHold = { [unowned self] number in
            if let line = holds?.line(number) { events.write(line: line) }
        }
        holds?.didSettle = { [unowned self] number, settlement, byPage in
            events.write(
                line: Self.line("settled") { json in
                    json.add("id", number)
                    json.add("how", settlement.rawValue)
                    json.add("by", byPage ? "page" : "wsx")
                })
        }
    }

    /// The failure of `--hold` if messages cannot wait.
    package static var unableToHold: Failure {
        .badArgument(what: "--hold", why: "a held message would damage the stream of --decode zlib-stream")
    }

    /// Starts listening, and shows the URL.
    /// - Throws: ``Failure/listening(address:_:)``.
    package func start() throws(Failure) {
        let bound: SocketAddress
        do throws(IOError) {
            bound = try server.listen(on: .tcp(address)) ?? address
        } catch {
            throw .listening(address: "\(address) (--page)", error)
        }
        let host = bound.hostBytes.allSatisfy { $0 == 0 } ? "localhost:\(bound.port)" : "\(bound)"
        // Shown even with -q: without the token, there is no page.
        diagnostics.show("Live page at http://\(host)/#\(token)\n")
        if !bound.isLoopback {
            diagnostics.notice("The live page is not encrypted: others in the network can read it, and its token")
        }
    }

    /// Sends the pages the rest, and closes them.
    /// - Parameter failure: The failure of the run.
    package func finish(after failure: Failure?) {
        events.flush()
        ending = Self.line("ended") { event in
            event.add("status", Int((failure?.status ?? .success).rawValue))
            event.add("message", diagnostics.secrets.masking(line: failure?.message ?? ""))
        }
        server.stopListening()
        feed()
        guard !server.connections.isEmpty else { return }
        let timer = Timer(on: loop) { [loop] in loop.stop() }
        timer.start(after: Self.endTimeout)
        loop.run()
        timer.stop()
        for connection in server.connections.values { connection.terminate() }
        loop.runOnce()
    }

    // MARK: Pages

    private func makeServer() -> Server<PageClient> {
        let page = EmbeddedPage.session
        let text = page.text(replacing: [EmbeddedPage.policyLine: page.liveLine])
        // The subprotocol is valid.
        guard let policy = try? ServerPolicy(subprotocols: [Self.subprotocol], path: "/", hasOriginOption: false) else {
            preconditionFailure("the policy of the page is invalid")
        }
        let limits = Limits(maximumMessageBytes: Self.maximumMessageBytes)
        var settings = Server<PageClient>.Settings(
            policy: policy,
            connection: .init(role: .server, limits: limits, queueLimitBytes: Self.queueLimitBytes),
            responder: Site(policy: policy, pages: [page.webPage(at: "/", text: text, connectingTo: "'self'")]))
        settings.maximumConnections = Self.maximumConnections
        settings.maximumHeldBytes = Self.maximumHeldBytes
        let server = Server(settings, on: loop) { [unowned self] in PageClient($0.number, of: self) }
        let access = AccessPolicy(tokens: [try? BearerToken(token)].compactMap(\.self))
        server.admission = .immediate { [unowned self] in refusal(of: $0.request, access) }
        server.observer = { [weak self, loop] event in
            guard case .opened(let connection) = event else { return }
            loop.atEndOfTurn(DeferredWork { connection.handler.begin(on: connection) })
            self?.holds?.pagesChanged(areOpen: true)
        }
        return server
    }

    /// Why a page may not open, or `nil` if it may.
    private func refusal(of request: RequestHead, _ access: AccessPolicy) -> HandshakeRefusal? {
        // Pages of other servers on this machine, too, are other sites.
        if let origin = request.fields.first(named: "Origin"),
            origin != "http://\(request.fields.first(named: "Host") ?? "")"
        {
            return HandshakeRefusal(status: 403, reason: "The page is that of another site.", request: request)
        }
        // Compares digests: the time reveals nothing.
        let offered = request.fields.tokens(named: "Sec-WebSocket-Protocol")
        guard offered.contains(where: { access.login(with: "Bearer \($0)") != nil }) else {
            let delay = wrongTokens.delay(at: loop.now)
            guard delay == .zero else {
                let seconds = HeaderField(wellFormedName: "Retry-After", value: "\(delay.components.seconds + 1)")
                return HandshakeRefusal(
                    status: 429, reason: "There were too many wrong tokens.", fields: [seconds], request: request)
            }
            wrongTokens.add(at: loop.now)
            return HandshakeRefusal(
                status: 403, reason: "The token is missing or wrong; open the URL that wsx has printed.",
                request: request)
        }
        guard server.connections.count < Self.maximumPages else {
            return .unavailable(
                "At most \(Self.maximumPages) pages can be open.", for: request, retryAfterSeconds: 10)
        }
        return nil
    }

    func ended(_ number: Int) {
        server.remove(number)
        holds?.pagesChanged(areOpen: !server.connections.isEmpty)
        if ending != nil, server.connections.isEmpty { loop.stop() }
    }

    /// Performs what a page asks for. Returns the problem if that fails.
    func perform(_ payload: RawSpan, as kind: MessageKind) -> String? {
        guard ending == nil else { return "the run has ended" }
        guard kind == .text else { return "the page sent a binary message" }
        do throws(PageProblem) {
            switch try PageAction(payload) {
            case .send(let item, let payload, let client, let toServer): try send(item, payload, client, toServer)
            case .hold(let conditions):
                try heldMessages.replaceConditions(by: conditions)
                events.write(line: Self.line("holding") { $0.add("conditions", conditions) })
            case .release(let numbers, let edit): try heldMessages.release(numbers, with: edit)
            case .drop(let numbers): try heldMessages.drop(numbers)
            }
            return nil
        } catch {
            return diagnostics.secrets.masking(line: error.words)
        }
    }

    private var heldMessages: PageHolds {
        get throws(PageProblem) {
            guard let holds else { throw PageProblem("this run cannot hold messages") }
            return holds
        }
    }

    // MARK: Events

    private func append(_ lines: RawSpan) {
        history.append(lines)
        feed()
    }

    private func feed() {
        for connection in server.connections.values { connection.handler.feed(connection) }
    }

    /// The first line for each page.
    var hello: [UInt8] {
        // Quoted, a secret would not be found.
        let words = (["wsx"] + Swift.CommandLine.arguments.dropFirst().map { diagnostics.secrets.masking($0) })
            .map(ShellWord.quoted).joined(separator: " ")
        return Self.line("hello") { json in
            json.add("command", facts.command)
            json.add("version", version)
            json.add("sides", facts.sides.map(\.rawValue))
            json.add("holds", holds != nil)
            json.add("holding", holds?.conditions.map(\.text) ?? [])
            json.add("words", words)
        }
    }

    /// The numbers of the messages that are held, the last one first.
    var heldNumbers: [Int] { holds?.numbers ?? [] }

    /// The event of a message that is held, or `nil` if it no longer is.
    func heldLine(_ number: Int) -> [UInt8]? { holds?.line(number) }

    /// A line without a time.
    static func line(_ type: String, _ addFields: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.add("type", type)
        addFields(&json)
        json.endObject()
        return json.text.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}
