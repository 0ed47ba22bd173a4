import COpenSSL

/// Our part of the opening handshake of a case, and the check of the peer's (RFC 6455 §4).
struct HandshakePlan {
    /// The bytes to write, and how they are divided. Over HTTP/2, they are a header block.
    let bytes: [UInt8]
    let pieces: Pieces
    /// The extensions that we offered.
    private let offers: [ExtensionElement]
    private let subprotocols: [String]
    /// The keys of the request. A server that accepts two may answer either.
    private let keys: [String]
    private let isHTTP2: Bool

    /// Builds a request.
    /// - Parameter base: A valid request, without an offer of extensions.
    init(request base: Head, for item: Case, isHTTP2: Bool) {
        var head = base
        let name = isHTTP2 ? Self.extensions.lowercased() : Self.extensions
        if let offer = item.offer { head.fields.append(Head.Field(name: name, value: Array(offer.utf8))) }
        let (bytes, pieces) = head.apply(item.head, key: base.values(of: "Sec-WebSocket-Key").first ?? "")
        self.bytes = isHTTP2 ? HeaderBlock.encode(head.fields) : bytes
        self.pieces = pieces
        self.isHTTP2 = isHTTP2
        offers = ExtensionElement.list(in: head)
        subprotocols = head.members(of: "Sec-WebSocket-Protocol")
        keys = head.values(of: "Sec-WebSocket-Key").flatMap { Head.split($0, at: ",") }
    }

    /// Builds a response.
    /// - Parameter answer: The extension to agree on, or `nil` for none.
    init(responseTo request: Head, answer: String?, for item: Case, isHTTP2: Bool) {
        let key = request.values(of: "Sec-WebSocket-Key").first ?? ""
        var fields = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", Self.accept(key))]
        if isHTTP2 { fields = [(":status", "200")] }
        if let answer { fields.append((isHTTP2 ? Self.extensions.lowercased() : Self.extensions, answer)) }
        var head = Head(
            line: "HTTP/1.1 101 Switching Protocols",
            fields: fields.map { Head.Field(name: $0.0, value: Array($0.1.utf8)) })
        let (bytes, pieces) = head.apply(item.head, key: key)
        self.bytes = isHTTP2 ? HeaderBlock.encode(head.fields) : bytes
        self.pieces = pieces
        self.isHTTP2 = isHTTP2
        offers = []
        subprotocols = []
        keys = [key]
    }

    private static let extensions = "Sec-WebSocket-Extensions"

    /// The answer to a key (RFC 6455 §4.2.2).
    static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(text, text.count, &digest)
        var encoded = [UInt8](repeating: 0, count: 29)
        EVP_EncodeBlock(&encoded, digest, Int32(digest.count))
        return String(decoding: encoded.dropLast(), as: UTF8.self)
    }

    // MARK: The peer's part

    /// The status of a response that opens the WebSocket.
    var openingStatus: Int { isHTTP2 ? 200 : 101 }

    /// Checks a response that opens the WebSocket (RFC 6455 §4.1, RFC 8441 §5).
    /// - Returns: The parameters of permessage-deflate, or `nil` without it.
    /// - Throws: ``Violation``.
    func check(_ response: Head) throws(Violation) -> DeflateParameters? {
        if !isHTTP2 { try checkUpgrade(response) }
        let selected = response.values(of: "Sec-WebSocket-Protocol")
        guard selected.count <= 1, selected.allSatisfy(subprotocols.contains) else {
            throw Violation("the response selects a subprotocol that was not offered", "6455 §4.1")
        }
        var parameters: DeflateParameters?
        for element in ExtensionElement.list(in: response) {
            let candidates = offers.filter { $0.name == element.name }
            guard !candidates.isEmpty else {
                throw Violation("the response has an extension that was not offered", "6455 §4.1")
            }
            guard element.name == "permessage-deflate" else { continue }
            guard parameters == nil else { throw Violation("the response accepts permessage-deflate twice", "7692 §5") }
            let answer = try DeflateParameters(response: element)
            guard candidates.contains(where: answer.answers) else {
                throw Violation("the answer to permessage-deflate does not fit what was offered", "7692 §7.1")
            }
            parameters = answer
        }
        return parameters
    }

    private func checkUpgrade(_ response: Head) throws(Violation) {
        guard response.line.hasPrefix("HTTP/1.1 ") else { throw Violation("status 101 is not HTTP/1.1", "6455 §4.1") }
        try Self.requireOne("Upgrade", in: response) { $0.lowercased() == "websocket" }
        guard response.members(of: "Connection").contains(where: { $0.lowercased() == "upgrade" }) else {
            throw Violation("the response lacks 'Connection: Upgrade'", "6455 §4.1")
        }
        try Self.requireOne("Sec-WebSocket-Accept", in: response) { keys.map(Self.accept).contains($0) }
    }

    private static func requireOne(
        _ name: String, in head: Head, where isRight: (String) -> Bool
    ) throws(Violation) {
        let values = head.values(of: name)
        guard !values.isEmpty else { throw Violation("the response lacks \(name)", "6455 §4.1") }
        guard values.count == 1, isRight(values[0]) else {
            throw Violation("the response has a wrong \(name)", "6455 §4.1")
        }
    }

    /// Checks a client's request (RFC 8441 §4).
    static func check(http2Request request: Head) throws(Violation) {
        let values = [":method": "CONNECT", ":protocol": "websocket", "sec-websocket-version": "13"]
        for (name, value) in values where request.values(of: name) != [value] {
            throw Violation("the request lacks '\(name): \(value)'", "8441 §4, §5")
        }
        for name in [":scheme", ":authority", ":path"] where request.values(of: name).count != 1 {
            throw Violation("the request lacks one \(name)", "8441 §4")
        }
    }

    /// Checks a client's request (RFC 6455 §4.1).
    static func check(request: Head) throws(Violation) {
        let parts = request.line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "GET", parts[2] == "HTTP/1.1" else {
            throw Violation("the request is not a GET of HTTP/1.1", "6455 §4.1")
        }
        guard request.values(of: "Host").count == 1 else { throw Violation("the request lacks one Host", "6455 §4.1") }
        guard request.members(of: "Upgrade").contains(where: { $0.lowercased() == "websocket" }) else {
            throw Violation("the request lacks 'Upgrade: websocket'", "6455 §4.1")
        }
        guard request.members(of: "Connection").contains(where: { $0.lowercased() == "upgrade" }) else {
            throw Violation("the request lacks 'Connection: Upgrade'", "6455 §4.1")
        }
        guard request.values(of: "Sec-WebSocket-Version") == ["13"] else {
            throw Violation("the request lacks 'Sec-WebSocket-Version: 13'", "6455 §4.1")
        }
        let keys = request.values(of: "Sec-WebSocket-Key")
        // Base64 of 16 bytes: the last character before the padding has two bits.
        guard keys.count == 1, keys[0].count == 24, keys[0].hasSuffix("=="),
            let last = keys[0].dropLast(2).last, "AQgw".contains(last),
            keys[0].dropLast(2).utf8.allSatisfy({ isBase64($0) })
        else { throw Violation("the request's Sec-WebSocket-Key is not one base64 of 16 bytes", "6455 §4.1") }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// The first answer that a client's offers permit, or `nil`.
    static func answer(_ answers: [String], to request: Head) -> String? {
        let offers = ExtensionElement.list(in: request).filter { $0.name == "permessage-deflate" }
        return answers.first { text in
            guard let answer = try? DeflateParameters(response: ExtensionElement(text)) else { return false }
            return offers.contains(where: answer.answers)
        }
    }
}

extension DeflateParameters {
    /// Whether these parameters are an answer to an offer (RFC 7692 §7.1).
    fileprivate func answers(_ offer: ExtensionElement) -> Bool {
        if let bits = client.windowBits {
            guard let offered = offer.parameters.first(where: { $0.name == "client_max_window_bits" }) else {
                return false
            }
            if let most = offered.value.flatMap({ Int($0) }), bits > most { return false }
        }
        if offer.has("server_no_context_takeover"), server.keepsContext { return false }
        if let bits = offer.parameters.first(where: { $0.name == "server_max_window_bits" })?.value.flatMap({ Int($0) })
        {
            // Without the parameter, the window has 15 bits.
            guard server.windowBits ?? 15 <= bits else { return false }
        }
        return true
    }
}

extension Head {
    /// Applies the changes of a case, and returns the whole head with what follows it.
    fileprivate mutating func apply(_ changes: [HeadChange], key: String) -> (bytes: [UInt8], pieces: Pieces) {
        var raw: [UInt8] = []
        var body: [UInt8] = []
        var pieces = Pieces()
        for change in changes {
            switch change {
            case .method(let method): replaceWord(0, with: method)
            case .target(let target):
                replaceWord(1, with: String(decoding: completed(Array(target.utf8), "", key), as: UTF8.self))
            case .version(let version): replaceWord(2, with: version)
            case .status(let status): line = status
            case .set(let name, let value):
                let value = completed(value, name, key)
                if let index = fields.firstIndex(where: { $0.isNamed(name) }) {
                    fields[index] = Field(name: name, value: value)
                    let first = fields[...index]
                    fields = first + fields[(index + 1)...].filter { !$0.isNamed(name) }
                } else {
                    fields.append(Field(name: name, value: value))
                }
            case .add(let name, let value): fields.append(Field(name: name, value: completed(value, name, key)))
            case .drop(let name): fields.removeAll { $0.isNamed(name) }
            case .raw(let bytes): raw += completed(bytes, "", key)
            case .pieces(let count): pieces.byteCount = count
            case .body(let payload): body = payload.bytes()
            }
        }
        return (bytes + raw + [0x0D, 0x0A] + body, pieces)
    }

    private mutating func replaceWord(_ index: Int, with word: String) {
        var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if words.indices.contains(index) { words[index] = word }
        line = words.joined(separator: " ")
    }

    /// Inserts `{key}`, `{accept}`, `{ACCEPT}` (in upper case), `{host}`, `{target}`, and `{value}`.
    private func completed(_ value: [UInt8], _ name: String, _ key: String) -> [UInt8] {
        var result: [UInt8] = []
        var rest = value[...]
        let accept = HandshakePlan.accept(key)
        let values = [
            ("{key}", Array(key.utf8)), ("{accept}", Array(accept.utf8)), ("{ACCEPT}", Array(accept.uppercased().utf8)),
            ("{host}", fields.first { $0.isNamed("Host") }?.value ?? []),
            ("{target}", Array((line.split(separator: " ").dropFirst().first ?? "/").utf8)),
            ("{value}", fields.first { $0.isNamed(name) }?.value ?? []),
        ]
        while let byte = rest.first {
            if let (word, inserted) = values.first(where: { rest.starts(with: $0.0.utf8) }) {
                result += inserted
                rest = rest.dropFirst(word.utf8.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
