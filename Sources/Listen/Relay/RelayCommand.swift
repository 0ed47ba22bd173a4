import Peer
import UserInterface
import WSCore

/// The command of `wsx relay PORT -- COMMAND`: it uses the relay as its HTTP proxy and trusts its authority.
///
/// It shares the terminal with the relay. Signals are forwarded, unless the terminal has sent them to both.
final class RelayCommand {
    /// What the command is, and what it needs besides the proxy.
    struct Settings {
        let program: ProgramCommand
        /// The login for the proxy, or `nil` if it needs none.
        let login: Credentials?
        /// The certificates of the system's authorities and of those that the relay trusts, in PEM.
        let otherAuthorities: [UInt8]

        /// - Throws: ``Failure/badArgument(what:why:)``.
        init(_ relay: RelayMode, secrets: Secrets) throws(Failure) {
            let variable = secrets.environment
            program = try ProgramCommand(relay.command, option: "COMMAND", environment: variable)
            login = try relay.proxy.login.map { (login) throws(Failure) in
                try AccessComposition.credentials(try secrets.value(of: login, for: "--proxy-login"), "--proxy-login")
            }
            let read = { (path: String) in try? File.read(path) }
            let system =
                TLSTrust.systemBundle(environment: variable, exists: { !File.isMissing($0) }).flatMap(read) ?? []
            // The relay has read them, too, and reports errors.
            let added = relay.server.tls.authorities.flatMap { path in
                try? TLSTrust.certificates(at: path, isDirectory: File.isDirectory(path), option: "--ca", read: read)
            }
            otherAuthorities = system + [UInt8(ascii: "\n")] + (added ?? [])
        }
    }

    private let process: ChildProcess
    private let userSignals: [SignalWatcher]

    /// Starts the command.
    /// - Parameters:
    ///   - proxy: The address of the proxy on this machine.
    ///   - directory: The directory for temporary files.
    ///   - userSignals: Forward signals. They exist before the command, which may be sent one as soon as it runs.
    ///   - didExit: Called once when the command has ended. Its temporary files have been removed.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(
        _ settings: Settings, proxy: SocketAddress, authority: CertificateAuthority, filesIn directory: String,
        forwarding userSignals: [SignalWatcher], on loop: EventLoop, didExit: @escaping (ChildProcess.Exit) -> Void
    ) throws(Failure) {
        self.userSignals = userSignals
        let files = try Self.files(of: authority, besides: settings.otherAuthorities, in: directory)
        let variables = Self.variables(proxy: Self.url(of: proxy, login: settings.login), files: files.path)
        var words = settings.program.words
        words.insert(
            contentsOf: Self.chromiumOptions(
                for: settings.program.name, proxy: Self.url(of: proxy, login: nil), pin: authority.pin,
                files: files.path), at: 1)
        do throws(IOError) {
            process = try ChildProcess(
                words, at: settings.program.path,
                environment: ProcessEnvironment.variables(without: Set(variables.map(\.name)))
                    + variables.map { Array("\($0.name)=\($0.value)".utf8) },
                on: loop
            ) { exit in
                files.remove()
                didExit(exit)
            }
        } catch {
            files.remove()
            throw .badArgument(what: "COMMAND", why: "running '\(settings.program.name)': \(error)")
        }
    }

    /// Creates the files with the authorities.
    private static func files(
        of authority: CertificateAuthority, besides others: [UInt8], in directory: String
    ) throws(Failure) -> TemporaryDirectory {
        var created: TemporaryDirectory?
        do throws(IOError) {
            let files = try TemporaryDirectory(at: directory + "/wsx-")
            created = files
            try files.create(bundleName, with: others + authority.certificate)
            try files.create(authorityName, with: authority.certificate)
            return files
        } catch {
            created?.remove()
            throw .badArgument(
                what: "COMMAND",
                why:
                    "creating files for it in '\(escapingControls(directory))': \(error); set TMPDIR to another directory"
            )
        }
    }

    private static let bundleName = "authorities.pem"
    private static let authorityName = "ca.pem"

    /// Whether the command has not ended.
    var isRunning: Bool { process.exit == nil }

    /// Why the command did not succeed, or `nil` if it did or still runs.
    var failure: Failure? { process.exit.flatMap { $0 == .status(0) ? nil : .command($0) } }

    /// Forwards a signal to the command, unless the terminal has sent it to both. A hangup concerns only the leader of the
    /// session.
    func forward(_ request: StopRequests.Request) {
        guard let signal = request.signal else { return }
        let isOfProcess = SignalWatcher.takeOfProcess(signal)
        if isOfProcess || signal == .hangUp || !process.sharesGroup { process.send(signal) }
    }

    func send(_ signal: SignalWatcher.Signal) { process.send(signal) }

    /// The URL of the proxy.
    static func url(of proxy: SocketAddress, login: Credentials?) -> String {
        let userInfo =
            login.map { "\(WebSocketURL.component($0.user)):\(WebSocketURL.component($0.password))@" } ?? ""
        // For a wildcard address, the loopback address of its family.
        let isAny = proxy.hostBytes.allSatisfy { $0 == 0 }
        let loopback = proxy.hostBytes.count == 4 ? "127.0.0.1" : "[::1]"
        return "http://\(userInfo)" + (isAny ? "\(loopback):\(proxy.port)" : "\(proxy)")
    }

    /// The variables by which programs find the proxy and trust the authority.
    /// - Parameter files: The directory of the files with all authorities, and with that of the proxy, for programs that know
    ///   the others.
    static func variables(proxy: String, files: String) -> [(name: String, value: String)] {
        let names = ["http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"]
        return (names + names.map { $0.uppercased() }).map { ($0, proxy) }
            + ["no_proxy", "NO_PROXY"].map { ($0, "") } + [("NODE_USE_ENV_PROXY", "1")]
            + [
                "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
                "CARGO_HTTP_CAINFO", "NIX_SSL_CERT_FILE", "HTTPLIB2_CA_CERTS", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
            ].map { ($0, "\(files)/\(bundleName)") }
            + ["NODE_EXTRA_CA_CERTS", "DENO_CERT"].map { ($0, "\(files)/\(authorityName)") }
    }

    /// The options for a Chromium, which reads none of these variables; empty for other programs.
    static func chromiumOptions(for name: String, proxy: String, pin: TLSPin?, files: String) -> [String] {
        let names = [
            "chromium", "chromium-browser", "chromium-headless-shell", "chrome", "chrome-headless-shell",
            "headless_shell", "brave-browser",
        ]
        guard names.contains(name) || name.hasPrefix("google-chrome") || name.hasPrefix("microsoft-edge") else {
            return []
        }
        let key = pin.map { "\($0)".dropFirst("sha256//".utf8.count) } ?? ""
        return [
            "--proxy-server=\(proxy)", "--proxy-bypass-list=<-loopback>",
            "--ignore-certificate-errors-spki-list=\(key)", "--user-data-dir=\(files)/chromium",
        ]
    }
}

extension Relay {
    /// Starts the command, if there is one.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func startCommand(at places: [ListeningPlace]) throws(Failure) {
        guard let settings = settings.command, let authority = self.settings.proxy?.authority,
            let address = places.first?.address
        else { return }
        if run.diagnostics.terminal != nil, !run.outputs.observesMessages {
            run.diagnostics.notice("Messages are not shown: --record FILE keeps them, and --page PORT shows them")
        }
        let userSignals = ([.user1, .user2] as [SignalWatcher.Signal]).compactMap { signal in
            try? SignalWatcher(signal, on: run.loop) { [unowned self] in command?.send(signal) }
        }
        command = try RelayCommand(
            settings, proxy: address, authority: authority, filesIn: run.diagnostics.temporaryDirectory,
            forwarding: userSignals, on: run.loop
        ) { [unowned self] _ in
            if !hasClients {
                run.diagnostics.error("the command has not used the proxy; see 'wsx help commands'")
            }
            run.end()
        }
    }
}
