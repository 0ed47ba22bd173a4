import WSCore

/// What all commands have in common that connect to a server: where to, what is asked for, how it is reached, and how it is
/// left.
struct ClientOptions: Equatable, Sendable {
    var url = ""

    /// `USER:PASSWORD`, `@FILE` or `env:NAME`, as the two that follow.
    var auth: String?
    var bearer: String?
    var cookies: [String] = []
    var origin: String?
    var host: String?
    var userAgent: String?
    var followsRedirects = false
    var maximumRedirects = 20

    var addressFamily = AddressFamily.any
    /// As typed: `HOST:PORT:IP[,IP...]`.
    var resolve: [String] = []
    var sourceIPs: [String] = []
    var unixSocket: String?
    var connectTimeouts = ConnectTimeouts()
    /// As typed: a URL.
    var proxy: String?
    /// As typed: hosts, separated by commas.
    var noProxy: String?
    var tls = TLSArguments()

    var closeCode: UInt16 = 1000
    /// At most ``CloseReasonValue/longestBytes`` bytes of UTF-8.
    var closeReason = ""
}
