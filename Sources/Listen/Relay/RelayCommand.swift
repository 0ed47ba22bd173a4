import Peer
import UserInterface
import WSCore

/// The command of `wsx relay PORT -- COMMAND`: it uses the relay as its HTTP proxy and trusts its authority.
///
/// It shares the terminal and the process group of the relay. Signals from the terminal reach both; those from other
/// processes are forwarded.
final class RelayCommand {
    /// What the command is, and what it needs besides the proxy.
    struct Settings {
        let program: ProgramCommand
        /// The login for the proxy, or `nil` if it needs none.
        let login: Credentials?
        /// The certificates of the system's authorities and of those that the relay trusts, in PEM.
        let otherAuthorities: [UInt8]
        /// The directory for temporary files.
        let temporaryDirectory: String

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
            do throws(TLSConfigurationError) {
                let added = try relay.server.tls.authorities.map { (path) throws(TLSConfigurationError) in
                    try TLSTrust.certificates(at: path, isDirectory: File.isDirectory(path), option: "--ca", read: read)
                }
                otherAuthorities = system + [UInt8(ascii: "\n")] + (added ?? [])
            } catch {
                throw .badArgument(what: "--ca", why: "\(error)")
            }
            let directory = variable("TMPDIR") ?? ""
            temporaryDirectory = directory.hasPrefix("/") ? directory : "/tmp"
        }
    }

    private let files: TemporaryDirectory
    private let process: ChildProcess

    /// Starts the command.
    /// - Parameters:
    ///   - proxy: The address of the proxy on this machine.
    ///   - didExit: Called once when the command has ended. Its temporary files have been removed.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(
        _ settings: Settings, proxy: SocketAddress, authority: CertificateAuthority, on loop: EventLoop,
        didExit: @escaping (ChildProcess.Exit) -> Void
    ) throws(Failure) {
        var created: TemporaryDirectory?
        do throws(IOError) {
            let files = try TemporaryDirectory(at: settings.temporaryDirectory + "/wsx-")
            created = files
            self.files = files
            let certificate = authority.certificate
            let bundle = try files.create("authorities.pem", with: settings.otherAuthorities + certificate)
            let own = try files.create("ca.pem", with: certificate)
            let variables = Self.variables(
                proxy: Self.url(of: proxy, login: settings.login), bundle: bundle, authority: own)
            var words = settings.program.words
            words.insert(
                contentsOf: Self.chromiumOptions(
                    for: settings.program.name, proxy: Self.url(of: proxy, login: nil), pin: authority.leafPin,
                    files: files.path), at: 1)
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
            created?.remove()
            throw .badArgument(what: "COMMAND", why: "running '\(settings.program.name)': \(error)")
        }
    }

    /// Whether the command has not ended.
    var isRunning: Bool { process.exit == nil }

    /// Why the command did not succeed, or `nil` if it did or still runs.
    var failure: Failure? { process.exit.flatMap { $0 == .status(0) ? nil : .command($0) } }

    /// Forwards a signal to the command, unless it came from the terminal, which sends it to both.
    func forward(_ request: StopRequests.Request) {
        guard let signal = request.signal, !SignalWatcher.isFromKernel(signal) else { return }
        process.send(signal)
    }

    /// The URL of the proxy.
    static func url(of proxy: SocketAddress, login: Credentials?) -> String {
        let encoded = { (text: String) in
            var buffer = ByteBuffer()
            WebSocketURL.appendComponent(Array(text.utf8).span.bytes, to: &buffer)
            return buffer.withReadableBytes { bytes in bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        }
        let userInfo = login.map { "\(encoded($0.user)):\(encoded($0.password))@" } ?? ""
        // For a wildcard address, the loopback address of its family.
        let isAny = proxy.hostBytes.allSatisfy { $0 == 0 }
        let loopback = proxy.hostBytes.count == 4 ? "127.0.0.1" : "[::1]"
        return "http://\(userInfo)" + (isAny ? "\(loopback):\(proxy.port)" : "\(proxy)")
    }

    /// The variables by which programs find the proxy and trust the authority.
    /// - Parameters:
    ///   - bundle: The path of a file with all authorities.
    ///   - authority: The path of a file with that of the proxy, for programs that know the others.
    static func variables(proxy: String, bundle: String, authority: String) -> [(name: String, value: String)] {
        let names = ["http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"]
        return (names + names.map { $0.uppercased() }).map { ($0, proxy) }
            + ["no_proxy", "NO_PROXY"].map { ($0, "") } + [("NODE_USE_ENV_PROXY", "1")]
            + [
                "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
                "CARGO_HTTP_CAINFO", "NIX_SSL_CERT_FILE", "HTTPLIB2_CA_CERTS", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
            ].map { ($0, bundle) }
            + ["NODE_EXTRA_CA_CERTS", "DENO_CERT"].map { ($0, authority) }
    }

    /// The options for a Chromium, which reads none of these variables; empty for other programs.
    static func chromiumOptions(for name: String, proxy: String, pin: TLSPin?, files: String) -> [String] {
        let names = [
            "chromium", "chromium-browser", "chromium-headless-shell", "chrome", "headless_shell", "brave-browser",
        ]
        guard names.contains(name) || name.hasPrefix("google-chrome") || name.hasPrefix("microsoft-edge") else {
            return []
        }
        // Chromium looks for the keys of the certificates that the server sends, of which the authority's is none.
        let key = pin.map { "\($0)".dropFirst("sha256//".utf8.count) } ?? ""
        return [
            "--proxy-server=\(proxy)", "--proxy-bypass-list=<-loopback>",
            "--ignore-certificate-errors-spki-list=\(key)", "--user-data-dir=\(files)/chromium",
        ]
    }
}

extension StopRequests.Request {
    /// The signal, or `nil` for a time limit.
    fileprivate var signal: SignalWatcher.Signal? {
        switch self {
        case .interrupt: .interrupt
        case .terminate: .terminate
        case .hangUp: .hangUp
        case .quit: .quit
        case .timeLimit: nil
        }
    }
}

extension Relay {
    /// Starts the command, if there is one.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func startCommand(at places: [ListeningPlace]) throws(Failure) {
        guard let settings = settings.command, let authority = self.settings.proxy?.authority,
            let address = places.first?.address
        else { return }
        command = try RelayCommand(settings, proxy: address, authority: authority, on: run.loop) { [unowned self] _ in
            run.end()
        }
    }
}
