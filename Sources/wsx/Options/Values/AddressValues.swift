import CommandLine

/// A websocat address: the name of a transport, a colon, and more, as in `ws-l:127.0.0.1:80`.
struct WebsocatAddress {
    /// The description of the address, and its counterpart in wsx.
    let misplaced: MisplacedValue
    /// The text after the name and its colon.
    let rest: String

    /// Recognizes an address. The result is nil for other texts, such as `log:8080`, which is a host and a port.
    init?(_ text: String) {
        let name = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        let rest = text.utf8.dropFirst(name.count + 1)
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let isPort = !digits.isEmpty && [nil, UInt8(ascii: "/")].contains(rest.dropFirst(digits.count).first)
        // Other names may well be those of hosts.
        let mayBeHost = isPort && !name.contains(UInt8(ascii: "-"))
        guard name.count < text.utf8.count, !mayBeHost, let remedy = Self.remedies[String(Substring(name))] else {
            return nil
        }
        self.rest = String(Substring(rest))
        misplaced = MisplacedValue(kind: "a websocat address", remedy: remedy(self.rest))
    }

    private static let remedies: [String: @Sendable (String) -> String] = {
        let groups: [([String], @Sendable (String) -> String)] = [
            (["ws-l", "ws-listen", "l-ws", "listen-ws"], { "use 'wsx listen \($0)'" }),
            (["autoreconnect"], { _ in "use 'wsx --reconnect URL'" }),
            (["ws-c", "ws-connect", "c-ws", "connect-ws"], { _ in "write just the URL" }),
            (["mirror"], { _ in "use 'wsx echo:', or 'wsx listen --echo PORT' for a server" }),
            (["broadcast"], { _ in "use 'wsx listen --broadcast PORT'" }),
            (["exec", "cmd", "sh-c"], { _ in "use 'wsx listen --exec PORT -- PROGRAM'" }),
            (["stdin", "stdio", "inetd", "threadedstdio"], { _ in "write just the URL: wsx reads standard input" }),
            (["log"], { _ in "use 'wsx -v URL'" }),
            (["tcp", "tcp-l", "tcp-listen"], { _ in "wsx speaks WebSocket only" }),
        ]
        return Dictionary(groups.flatMap { names, remedy in names.map { ($0, remedy) } }) { first, _ in first }
    }()
}

/// The URL of a server, as typed; it is parsed later.
enum ServerURLValue {
    /// Accepts any text but a websocat address and a number, which follows `-c` in load generators.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        if let address = WebsocatAddress(text) { throw .misplaced(address.misplaced) }
        if JSONMessage.isBeginning(text) {
            throw .misplaced(MisplacedValue(kind: "a message", remedy: "write it after the URL"))
        }
        if text.hasSuffix(".js") || text.hasSuffix(".lua"), !text.utf8.contains(UInt8(ascii: ":")) {
            throw .misplaced(
                MisplacedValue(
                    kind: "a script", remedy: "write the server's URL, and describe the load with --scenario FILE"))
        }
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            throw .misplaced(
                MisplacedValue(
                    kind: "a number",
                    remedy:
                        "write :\(text) for a port on this machine; for a load test, use 'wsx bench' with -c \(text) "
                        + "or --rate \(text)"))
        }
        return text
    }
}

/// The address to listen on, as typed; it is parsed later.
enum ListenAddressValue {
    /// Accepts any text but a URL and a websocat address.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        if let address = WebsocatAddress(text) {
            throw .misplaced(MisplacedValue(kind: address.misplaced.kind, remedy: "write \(address.rest)"))
        }
        if MisplacedValue.isURL(text) {
            throw .misplaced(MisplacedValue(kind: "a URL", remedy: "write [ADDRESS:]PORT without the scheme"))
        }
        return text
    }
}
