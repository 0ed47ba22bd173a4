import CommandLine
import WSCore

/// An address of websocat or socat: the name of a transport, a colon, and more, as in `ws-l:127.0.0.1:80`.
struct WebsocatAddress {
    /// The description of the address, and its counterpart in wsx.
    let misplaced: MisplacedValue
    /// The text after the name and its colon, without secrets.
    let rest: String

    /// Recognizes an address. The result is nil for other texts, such as `log:8080`, which is a host and a port.
    init?(_ text: String) {
        let name = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        let rest = text.utf8.dropFirst(name.count + 1)
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let isPort = !digits.isEmpty && [nil, UInt8(ascii: "/")].contains(rest.dropFirst(digits.count).first)
        // Other names may well be those of hosts.
        let mayBeHost = isPort && !name.contains(UInt8(ascii: "-"))
        let typed = String(Substring(name))
        guard name.count < text.utf8.count, !mayBeHost, let remedy = Self.remedies[typed.lowercased()] else {
            return nil
        }
        // socat's options follow a comma, as in `TCP-LISTEN:80,fork`. A path may begin with slashes, and a host may not.
        let place = rest.prefix { $0 != UInt8(ascii: ",") }
        let isPath = typed.lowercased().hasPrefix("unix")
        self.rest = WebSocketURL.shown(String(Substring(isPath ? place : place.drop { $0 == UInt8(ascii: "/") })))
        let tool = typed == typed.lowercased() ? "websocat" : "socat"
        let kind = typed == "unix" ? "a Unix domain socket" : "a \(tool) address"
        misplaced = MisplacedValue(kind: kind, remedy: remedy(self.rest))
    }

    private static let remedies: [String: @Sendable (String) -> String] = {
        let groups: [([String], @Sendable (String) -> String)] = [
            (["ws-l", "ws-listen", "l-ws", "listen-ws"], { "use 'wsx listen \($0)'" }),
            (["autoreconnect"], { _ in "use 'wsx --reconnect URL'" }),
            (["ws-c", "ws-connect", "c-ws", "connect-ws"], { _ in "write just the URL" }),
            (["mirror"], { _ in "use 'wsx echo:', or 'wsx listen --echo PORT' for a server" }),
            (["broadcast"], { _ in "use 'wsx listen --broadcast PORT'" }),
            (["exec", "cmd", "sh-c", "system"], { _ in "use 'wsx listen --exec PORT -- PROGRAM'" }),
            (["stdin", "stdio", "inetd", "threadedstdio"], { _ in "write just the URL: wsx reads standard input" }),
            (["log"], { _ in "use 'wsx -v URL'" }),
            (["tcp", "tcp4", "tcp6", "tcp-connect"], { "wsx speaks WebSocket only; write ws://\($0)" }),
            (["ssl", "openssl", "openssl-connect"], { "wsx speaks WebSocket only; write wss://\($0)" }),
            (["tcp-l", "tcp-listen", "l-tcp", "tcp4-listen", "tcp6-listen"], { "use 'wsx listen \($0)'" }),
            (["ssl-listen", "openssl-listen"], { "use 'wsx listen --tls-self-signed \($0)'" }),
            (["unix", "unix-connect", "unix-c"], { "write ws+unix:\($0), or a URL with --unix-socket \($0)" }),
            (["abstract", "abstract-connect"], { "write ws+unix:@\($0), or a URL with --unix-socket @\($0)" }),
            (["unix-l", "unix-listen", "l-unix"], { "use 'wsx listen unix:\($0)'" }),
            (
                ["reuse", "reuse-raw", "asyncstdio", "foreachmsg", "line2msg", "msg2line"],
                { _ in "write just the URL" }
            ),
            (["readfile", "literal"], { _ in "write just the URL, and --file FILE or a message after it" }),
            (["writefile", "appendfile"], { _ in "use 'wsx URL > FILE'" }),
            (["udp", "udp-l", "udp-listen", "udp-connect"], { _ in "wsx speaks WebSocket only" }),
        ]
        return Dictionary(groups.flatMap { names, remedy in names.map { ($0, remedy) } }) { first, _ in first }
    }()
}

/// The URL of a server, as typed; it is parsed later.
enum ServerURLValue {
    /// Accepts any text but an address of websocat or socat and a number, which follows `-c` in load generators.
    /// - Parameter mayMeanLoad: Whether the command may be meant as one of these.
    static func parse(_ text: String, mayMeanLoad: Bool = true) throws(ValueProblem) -> String {
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
            let load = "; for a load test, use 'wsx bench' with -c \(text) or --rate \(text)"
            throw .misplaced(
                MisplacedValue(
                    kind: "a number", remedy: "write :\(text) for a port on this machine" + (mayMeanLoad ? load : "")))
        }
        return text
    }
}

/// The messages after a URL.
enum MessageOperandValue {
    /// Rejects the port after a host, as nc takes it, and a second URL.
    static func check(_ words: [String], after url: String) throws(ValueProblem) {
        if let port = words.first, let address = MisplacedValue.address(host: url, port: port) {
            // The words after it may contain secrets.
            throw .unusable(
                words: "this is a port; write \(address), or -x \(port) to send it as a message", hidesValue: true)
        }
        if words.contains(where: { $0.hasPrefix("ws://") || $0.hasPrefix("wss://") }) {
            let first = escapingControls(WebSocketURL.shown(url))
            throw .unusable(
                words: "the URL is '\(first)', so a second one would be a message; write one URL, or use -x to send it",
                hidesValue: true)
        }
    }
}

/// The address to listen on, as typed; it is parsed later.
enum ListenAddressValue {
    /// Accepts any text but a URL and a websocat address.
    /// - Parameter precedesURL: Whether the command also takes a URL.
    static func parse(_ text: String, precedesURL: Bool = false) throws(ValueProblem) -> String {
        if !text.hasPrefix("unix:"), let address = WebsocatAddress(text) {
            let isAddress = Int(address.rest) != nil || MisplacedValue.isListenAddress(address.rest)
            throw .misplaced(
                isAddress
                    ? MisplacedValue(kind: address.misplaced.kind, remedy: "write \(address.rest)") : address.misplaced)
        }
        if MisplacedValue.isURL(text) {
            let remedy = precedesURL ? "write [ADDRESS:]PORT before it" : "write [ADDRESS:]PORT without the scheme"
            throw .misplaced(MisplacedValue(kind: "a URL", remedy: remedy))
        }
        return text
    }
}
