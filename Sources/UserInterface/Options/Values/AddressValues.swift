import CommandLine
import WSCore

/// An address of websocat or socat: the name of a transport, a colon, and more, as in `ws-l:127.0.0.1:80`.
package struct WebsocatAddress {
    /// The description of the address, and its counterpart in wsx.
    package let misplaced: MisplacedValue
    /// The name of the transport, in lowercase.
    package let name: String
    /// The text after the name and its colon, without secrets.
    package let rest: String

    /// Recognizes an address. The result is nil for other texts, such as `log:8080`, which is a host and a port.
    package init?(_ text: String) {
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
        self.name = typed.lowercased()
    }

    /// Whether the address accepts connections.
    package var listens: Bool {
        name.hasSuffix("listen") || name == "listen-ws" || name.hasPrefix("l-") || name.hasSuffix("-l")
    }

    /// Whether the address is one of WebSockets.
    package var speaksWebSocket: Bool { name.hasPrefix("ws") || name.hasSuffix("ws") || name == "listen-ws" }

    /// Whether the address names another program's server.
    package var connects: Bool {
        !listens
            && ["tcp", "ssl", "openssl", "unix", "abstract", "ws-", "c-ws", "connect-ws"].contains(
                where: name.hasPrefix)
    }

    /// What to write instead where a server's options and its address are expected.
    package var serverRemedy: String {
        switch name {
        case "mirror": "use --echo, and write [ADDRESS:]PORT"
        case "broadcast": "use --broadcast, and write [ADDRESS:]PORT"
        case "exec", "cmd", "sh-c", "system": "use --exec, and write [ADDRESS:]PORT -- PROGRAM"
        case let name where name.hasPrefix("unix") || name == "l-unix": "write unix:\(rest)"
        case let name where name.hasPrefix("abstract"): "write unix:@\(rest)"
        default: "write [ADDRESS:]PORT"
        }
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

/// Command lines in the form of websocat and socat: an address that listens, and another one.
package enum WebsocatForm {
    /// Rejects such a line with the counterpart of both addresses.
    package static func check(_ words: [String]) throws(UsageError) {
        guard let index = words.firstIndex(where: { (word: String) in !word.hasPrefix("-") }), index + 1 < words.count,
            let first = WebsocatAddress(words[index]), first.listens, !first.name.hasPrefix("unix")
        else { return }
        let target: String = words[index + 1]
        let second = WebsocatAddress(target)
        let remedy: String
        if MisplacedValue.isWebSocketURL(target) || second?.connects ?? false && second?.speaksWebSocket ?? false {
            let relay = "use 'wsx relay \(first.rest) URL'"
            remedy =
                first.speaksWebSocket ? relay : "wsx listens for WebSocket clients only; \(relay) to forward these"
        } else if !first.speaksWebSocket {
            guard second != nil else { return }
            remedy = "wsx speaks WebSocket only, and is no bridge between two of these"
        } else {
            switch (second?.name, second?.rest.split(separator: ":")) {
            case ("mirror", _): remedy = "use 'wsx listen --echo \(first.rest)'"
            case ("broadcast", _): remedy = "use 'wsx listen --broadcast \(first.rest)'"
            case ("exec", _), ("cmd", _), ("sh-c", _), ("system", _):
                remedy = "use 'wsx listen --exec \(first.rest) -- PROGRAM'"
            case (let name?, let parts?) where name.hasPrefix("tcp") && parts.count == 2:
                let program = "nc \(parts[0]) \(parts[1])"
                remedy = "wsx has no TCP, but lines pass with 'wsx listen --exec \(first.rest) -- \(program)'"
            default: return
            }
        }
        throw .badValue(
            name: "URL", value: words[index],
            problem: .misplaced(MisplacedValue(kind: first.misplaced.kind, remedy: remedy)))
    }
}

/// The URL of a server, as typed; it is parsed later.
package enum ServerURLValue {
    /// Accepts any text but an address of websocat or socat and a number, which follows `-c` in load generators.
    /// - Parameters:
    ///   - mayMeanLoad: Whether the command may be meant as one of these.
    ///   - mayBeProgram: Whether a program may write the URL.
    package static func parse(
        _ text: String, mayMeanLoad: Bool = true, mayBeProgram: Bool = false
    ) throws(ValueProblem) -> String {
        if mayBeProgram, SecretReference.isProgram(text) { return text }
        if let address = WebsocatAddress(text) {
            // Commands of clients are no remedy for a relay.
            let isHelpful = mayMeanLoad || address.connects
            throw .misplaced(
                isHelpful
                    ? address.misplaced
                    : MisplacedValue(kind: address.misplaced.kind, remedy: "write the URL of a server"))
        }
        if JSONMessage.isBeginning(text) {
            throw .misplaced(MisplacedValue(kind: "a message", remedy: "write it after the URL"))
        }
        if ["host=", "hostaddr=", "port=", "user=", "dbname="].contains(where: text.hasPrefix) {
            throw .unusable(words: "this is a connection string of psql; write HOST:PORT", hidesValue: true)
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
package enum MessageOperandValue {
    /// Rejects a second URL, and an address of websocat with a hyphen in its name, which is hardly a message.
    package static func check(_ words: [String], after url: String) throws(ValueProblem) {
        if words.contains(where: MisplacedValue.isWebSocketURL) {
            let first = escapingControls(WebSocketURL.shown(url))
            let remedy =
                MisplacedValue.isHTTPMethod(url)
                ? "omit '\(first)': a WebSocket handshake always uses GET" : "write one URL, or use -x to send it"
            throw .unusable(
                words: "the URL is '\(first)', so a second one would be a message; \(remedy)",
                hidesValue: true)
        }
        guard let text = words.first, let address = WebsocatAddress(text), address.name.contains("-") else { return }
        let remedy =
            address.name == "sh-c"
            ? "use 'wsx connect --exec URL -- PROGRAM'" : "write one URL, or use -x to send this"
        throw .misplaced(MisplacedValue(kind: address.misplaced.kind, remedy: remedy))
    }
}

/// The address to listen on, as typed; it is parsed later.
package enum ListenAddressValue {
    /// Accepts any text but a URL and a websocat address.
    /// - Parameter precedesURL: Whether the command also takes a URL.
    package static func parse(_ text: String, precedesURL: Bool = false) throws(ValueProblem) -> String {
        if !text.hasPrefix("unix:"), let address = WebsocatAddress(text) {
            let isAddress = Int(address.rest) != nil || MisplacedValue.isListenAddress(address.rest)
            let isPath =
                address.name.hasPrefix("unix") || address.name == "l-unix" || address.name.hasPrefix("abstract")
            let remedy =
                isAddress
                ? "write \(address.rest)"
                : precedesURL && !isPath ? "write [ADDRESS:]PORT before the URL" : address.serverRemedy
            throw .misplaced(MisplacedValue(kind: address.misplaced.kind, remedy: remedy))
        }
        if MisplacedValue.isURL(text) {
            let remedy = precedesURL ? "write [ADDRESS:]PORT before it" : "write [ADDRESS:]PORT without the scheme"
            throw .misplaced(MisplacedValue(kind: "a URL", remedy: remedy))
        }
        return text
    }
}
