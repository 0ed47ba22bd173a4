import WSCore

/// The arguments that all commands have in common that connect to a server: where to, what is asked for, and how it is
/// reached.
protocol ClientArguments: CommonArguments {
    var url: String { get set }
    var auth: String? { get set }
    var bearer: String? { get set }
    var cookies: [String] { get set }
    var origin: String? { get set }
    var host: String? { get set }
    var userAgent: String? { get set }
    var followsRedirects: Bool { get set }
    var maximumRedirects: Int { get set }
    var addressFamily: AddressFamily { get set }
    var resolve: [String] { get set }
    var sourceIPs: [String] { get set }
    var unixSocket: String? { get set }
    var connectTimeouts: ConnectTimeouts { get set }
    var proxy: String? { get set }
    var noProxy: String? { get set }
    var tls: TLSArguments { get set }
    var closeCode: UInt16 { get set }
    var closeReason: String { get set }
}
