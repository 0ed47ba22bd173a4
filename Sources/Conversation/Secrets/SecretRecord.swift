import Formats
import Synchronization
import WSCore

/// Collects the secrets of a run, to keep them out of files, and to hide them where a peer repeats them.
///
/// Any thread may use it.
package final class SecretRecord: Sendable {
    private struct Contents {
        var texts: Set<String> = []
        var masked: Set<[UInt8]> = []
        /// The contents of ``masked``, oldest first.
        var order: [[UInt8]] = []
        /// The latest values that were computed from secrets, oldest first.
        var computed: [[UInt8]] = []
        /// The contents of ``masked`` and ``computed``, prepared for a search; nil: they have changed.
        var search: Search?
        var messageSources: [String] = []

        var isEmpty: Bool { masked.isEmpty && computed.isEmpty }
    }

    /// Secrets to search for.
    private struct Search {
        /// Of several that match, the longest hides all.
        let byLength: [[UInt8]]
        /// Whether a byte may begin a secret or an escape. Most do not.
        let mayBegin: [Bool]

        init(_ secrets: Set<[UInt8]>) {
            byLength = secrets.sorted { $0.count > $1.count }
            var mayBegin = [Bool](repeating: false, count: 256)
            for byte in secrets.compactMap(\.first) + Array("%\\&+".utf8) { mayBegin[Int(byte)] = true }
            self.mayBegin = mayBegin
        }
    }

    private let contents = Mutex(Contents())

    /// Creates an empty record.
    package init() {}

    /// The secrets, in the form that a message would contain. Includes names and users that belong to a secret, such as
    /// `user:password`.
    package var texts: Set<String> { contents.withLock { $0.texts } }

    /// The options with secrets that are sent on the connection, as messages or parameters, in order.
    package var messageSources: [String] { contents.withLock { $0.messageSources } }

    // MARK: Adding

    /// Adds an option whose messages contain a secret.
    package func addMessage(of option: String) {
        contents.withLock { if !$0.messageSources.contains(option) { $0.messageSources.append(option) } }
    }

    /// Forgets the sources of messages, for another server that gets none of them.
    package func removeMessageSources() {
        contents.withLock { $0.messageSources = [] }
    }

    /// Adds the value of an option and, for values such as `user:password`, the secret part.
    package func add(_ value: String, of option: String) {
        keep(value)
        // A template is not sent. What it inserts is added with the request.
        guard Array(value.utf8)[...].firstRange(of: Array("{{".utf8)) == nil else { return }
        switch option {
        case "--auth", "--proxy-login":
            let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // Without a colon, the value is a user name.
            if parts.count == 2, let credentials = try? Credentials(user: parts[0], password: parts[1]) {
                add(credentials)
            }
        case "--cookie": add(cookies: value)
        case "--proxy":
            add((try? Proxy(parsing: value))?.credentials)
            let authority = value.split(separator: "@", omittingEmptySubsequences: false)
            guard authority.count > 1 else { return }
            let login = authority[0].drop { $0 != "/" }
            if let colon = login.firstIndex(of: ":") { keep(String(login[login.index(after: colon)...])) }
        default: add(credential: value)
        }
    }

    /// Adds a value that was inserted into a request or a message.
    package func add(inserted value: String) {
        keep(value)
        add(credential: value)
    }

    /// Adds the secrets in a message that is sent by itself, or that has been saved: the values of telling names.
    package func add(message text: String) {
        for value in SecretText.assignedSecrets(in: text) {
            let bytes = Array(value.utf8)
            // What a placeholder inserts is added when it is inserted.
            if Self.canBeFound(bytes), bytes[...].firstRange(of: Array("{{".utf8)) == nil { add(inserted: value) }
        }
    }

    /// Adds a secret, and its parts that a peer may repeat alone; see ``SecretParts``.
    private func add(credential value: String) {
        mask(value)
        for part in SecretParts.parts(of: value) where Self.canBeFound(Array(part.utf8)) {
            keep(part)
            mask(part)
        }
    }

    /// Adds the values of a row's columns whose names suggest secrets.
    package func add(_ row: DataRow, _ columns: VariableNames) {
        for slot in columns.secretSlots where slot < row.count {
            let value = row.withValue(slot) { value, _ in value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
            add(inserted: value)
        }
    }

    /// Adds the password of a URL, and what is sent of it.
    package func add(_ credentials: Credentials?) {
        guard let credentials else { return }
        let pair = "\(credentials.user):\(credentials.password)"
        keep(credentials.password)
        keep(pair)
        // A password that is too short, or a common word, is found together with the user.
        if Self.canBeFound(Array(credentials.password.utf8)) { mask(credentials.password) } else { mask(pair) }
        mask(String(credentials.basicAuthorization.dropFirst("Basic ".count)))
    }

    /// Adds the password and the secret parameters of a URL.
    package func add(_ url: WebSocketURL) {
        add(url.userInfo)
        for value in SecretQuery.values(in: url.text) { add(inserted: value) }
    }

    /// Adds the secrets of a request: of its URL, and of its fields.
    package func add(_ request: ClientRequest) {
        add(request.url)
        add(request.login?.credentials)
        for field in request.fields { add(field) }
    }

    /// Adds the secret fields of a request as it was sent, including cookies and logins that this end added to it.
    package func add(sentHead head: String) {
        for line in head.split(separator: "\r\n").dropFirst() {
            if let field = try? HeaderField(parsing: String(line)) { add(field) }
        }
    }

    /// Adds a field, if it is secret: its value, the part after an authentication scheme, and cookies.
    private func add(_ field: HeaderField) {
        if field.isNamed("Sec-WebSocket-Protocol") {
            let names = HTTPFields([field]).elements(named: field.name)
            for name in HeaderField.secretSubprotocols(in: names) {
                add(inserted: name)
                for part in SecretParts.suffixes(ofSubprotocol: name) { mask(part) }
            }
        }
        for value in SecretQuery.values(in: field.value) { add(inserted: value) }
        guard field.isSecret else { return }
        keep(field.value)
        if field.isNamed("Cookie") { return add(cookies: field.value) }
        guard let space = field.value.firstIndex(of: " ") else { return add(credential: field.value) }
        let rest = String(field.value[field.value.index(after: space)...])
        keep(rest)
        mask(rest)
        // RFC 7616 §3.4: with the response, a password can be guessed. The other parameters are no secrets.
        if let digest = AuthenticationChallenge.parse([field.value]).first(where: { $0.isScheme("Digest") }) {
            if let response = digest["response"] { add(inserted: response) }
            return
        }
        // A peer may repeat the signature alone. The other parameters are no secrets.
        if field.value.hasPrefix("AWS4-"), let sign = field.value.lastIndex(of: "=") {
            return add(inserted: String(field.value[field.value.index(after: sign)...]))
        }
        guard field.value[..<space].lowercased() == "basic" else { return add(credential: field.value) }
        var decoded = ByteBuffer()
        guard (try? Base64.appendDecoded(Array(rest.utf8).span.bytes, to: &decoded)) != nil else { return }
        let login = decoded.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        add(login, of: "--auth")
    }

    private func add(cookies: String) {
        for pair in cookies.split(separator: ";") {
            guard let sign = pair.firstIndex(of: "=") else { continue }
            let value = String(pair[pair.index(after: sign)...])
            keep(value)
            // Others, such as `env=prod` and `lang=english`, would hide common words.
            let isWord = value.utf8.allSatisfy(ASCII.isLetter)
            let hasTellingName = SecretName.isSecret(pair[..<sign])
            if hasTellingName || value.utf8.count >= Self.shortestPartBytes && !isWord { add(credential: value) }
        }
    }

    /// The maximum number of secrets to mask. Servers may set a new cookie for each connection.
    private static let maximumCount = 1024

    private func keep(_ text: String) {
        contents.withLock { if $0.texts.count < 4 * Self.maximumCount { $0.texts.insert(text) } }
    }

    private func mask(_ text: String) {
        let bytes = Array(text.utf8)
        guard Self.canBeFound(bytes) else { return }
        let base64 = Array(Base64.text(of: bytes.span.bytes).utf8)
        // RFC 4648 §5.
        let base64URL = base64.map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        contents.withLock {
            for form in [bytes, base64, base64URL] where $0.masked.insert(form).inserted {
                $0.order.append(form)
                $0.search = nil
            }
            while $0.order.count > 3 * Self.maximumCount { $0.masked.remove($0.order.removeFirst()) }
        }
    }

    /// The maximum number of computed values. Each message may have a new one, so they do not displace other secrets.
    private static let maximumComputedCount = 64
    /// A shorter computed value, such as a length, occurs in other text by chance.
    private static let shortestComputedBytes = 8
    /// Of a longer computed value, the beginning is kept.
    private static let longestComputedBytes = 4 << 10

    /// Adds a value that was computed from a secret, such as a signature.
    private func add(computed value: [UInt8]) {
        guard value.count >= Self.shortestComputedBytes else { return }
        // A peer may choose a part of it.
        let value = Array(value.prefix(Self.longestComputedBytes))
        contents.withLock { contents in
            guard !contents.computed.contains(value) else { return }
            if contents.computed.count == Self.maximumComputedCount { contents.computed.removeFirst() }
            contents.computed.append(value)
            contents.search = nil
        }
    }

    /// Adds what templates compute from secrets.
    package var sink: SecretSink { SecretSink { self.add(computed: $0) } }

    // MARK: Masking

    /// Whether a secret can be told from other text. Short words, such as "open", occur in our own messages.
    private static func canBeFound(_ secret: [UInt8]) -> Bool {
        secret.count >= shortestPartBytes || secret.count >= shortestBytes && !secret.allSatisfy(ASCII.isLetter)
    }

    /// A shorter secret cannot be told from other text.
    private static let shortestBytes = 3
    /// A shorter secret must be a separate word, because many other words contain it.
    private static let shortestPartBytes = 6
    /// A shorter beginning of a secret cannot be told from other text.
    private static let shortestBeginningBytes = 8

    /// Replaces the secrets in text of a peer with `•••`, also if they are percent-encoded, or escaped for JSON or HTML,
    /// or if the end of one is missing.
    package func masking(_ text: String) -> String {
        // Programs may write many lines.
        guard contents.withLock({ !$0.isEmpty }) else { return text }
        let bytes = Array(text.utf8)
        let masked = masking(bytes)
        return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
    }

    /// See ``masking(_:)-(String)``.
    package func masking(_ text: [UInt8]) -> [UInt8] {
        let search = contents.withLock { contents -> Search? in
            guard !contents.isEmpty else { return nil }
            let search = contents.search ?? Search(contents.masked.union(contents.computed))
            contents.search = search
            return search
        }
        guard let search else { return text }
        var masked: [UInt8] = []
        var index = 0
        // A peer can choose cookies and a text whose comparison would take seconds. The rest of such a text is hidden.
        var steps = 64 * text.count + 1_000_000
        while index < text.count {
            guard steps > 0 else { return masked + SecretText.mask.utf8 }
            var end: Int?
            if search.mayBegin[Int(text[index])] {
                for secret in search.byLength {
                    end = max(end ?? 0, Self.end(of: secret, in: text, at: index, &steps) ?? 0)
                }
            }
            if let end, end > 0 {
                masked += SecretText.mask.utf8
                index = end
            } else {
                masked.append(text[index])
                index += 1
            }
        }
        return masked
    }

    /// Replaces the secrets in a line of ours where it contains text of a peer: between double quotes, as ``quoted(_:)``
    /// writes it, and in the path and query of a URL. Our own words may equal a secret by chance, and stay as they are:
    /// codes, statuses, hosts, ports, and times.
    package func masking(line: String) -> String {
        guard contents.withLock({ !$0.isEmpty }) else { return line }
        let bytes = Array(line.utf8)
        var masked: [UInt8] = []
        var start = 0
        for range in PeerTextRanges.ranges(in: bytes) {
            // The escapes of a quotation hide a secret that contains quotes or backslashes.
            let text = PeerTextRanges.unescaped(bytes[range])
            let maskedText = masking(text)
            masked += bytes[start..<range.lowerBound]
            masked += maskedText == text ? bytes[range] : PeerTextRanges.escaped(maskedText)[...]
            start = range.upperBound
        }
        return String(decoding: masked + bytes[start...], as: UTF8.self)
    }

    /// Whether the text contains one of the secrets, as it is.
    package func isIn(_ text: [UInt8]) -> Bool {
        texts.contains { secret in
            let secret = Array(secret.utf8)
            guard !secret.isEmpty else { return false }
            var rest = text[...]
            while let found = rest.firstRange(of: secret) {
                if secret.count >= Self.shortestPartBytes || Self.isWord(found, in: text) { return true }
                rest = rest[(found.lowerBound + 1)...]
            }
            return false
        }
    }

    /// The end of a secret that begins at an index, or `nil` if none does.
    /// - Parameter steps: The number of comparisons left, which this one reduces.
    private static func end(of secret: [UInt8], in text: [UInt8], at start: Int, _ steps: inout Int) -> Int? {
        var index = start
        var count = 0
        defer { steps -= 1 + count }
        while count < secret.count, index < text.count {
            guard let (end, byteCount) = EscapedByte.match(secret[count...], in: text, at: index) else { break }
            index = end
            count += byteCount
        }
        // Base64 without padding is the same secret.
        if secret[count...].allSatisfy({ $0 == UInt8(ascii: "=") }) {
            return count >= shortestPartBytes || isWord(start..<index, in: text) ? index : nil
        }
        guard count >= shortestBeginningBytes else { return nil }
        // Cut by this end or by the peer.
        let isCut = index == text.count || ["…", "..."].contains { text[index...].starts(with: $0.utf8) }
        return isCut || count >= secret.count / 2 ? index : nil
    }

    private static func isWord(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        let isPart = { (byte: UInt8) in ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80 }
        return ![text[..<range.lowerBound].last, text[range.upperBound...].first].contains { $0.map(isPart) ?? false }
    }
}
