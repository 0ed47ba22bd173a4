@testable import WSCore

extension FuzzTarget {
    /// The values of Set-Cookie, one per line. The first byte selects the server.
    ///
    /// - A Cookie field is valid and within its limit, and each of its cookies is part of a received value.
    /// - Other servers receive no cookies, and connections without TLS receive no Secure cookies.
    /// - Expired cookies are not sent. Every point in time is a valid argument.
    static let cookies = FuzzTarget(name: "cookies") { input in
        var choices = ChoiceReader(input)
        let sources = ["ws://h.example/x/y", "wss://sub.h.example/x/", "ws://127.0.0.1/", "ws+unix:/run/a.sock:/y"]
            .compactMap { try? WebSocketURL(parsing: $0) }
        let source = sources[Int(choices.byte()) % sources.count]
        let now = 1_700_000_000
        var store = CookieStore()
        var received: [String] = []
        for line in choices.remaining().split(separator: UInt8(ascii: "\n")) {
            let value = String(decoding: line, as: UTF8.self)
            received.append(value)
            store.receive(setCookie: value, from: source, at: now)
            expect(store.count <= received.count, "more cookies than fields")
            _ = SetCookie(parsing: value, at: .max)
            _ = SetCookie(parsing: value, at: .min)
        }
        let sent = store.pairs(for: source, at: now)
        checkValue(sent)
        for pair in sent {
            // By bytes: a combining mark after the equals sign would make them one character.
            let parts = Array(pair.utf8).split(separator: UInt8(ascii: "="), maxSplits: 1)
            expect(
                received.contains { value in parts.allSatisfy { contains(value, $0) } }, "\(pair) was never received")
        }
        for target in ["wss://other.example/x/y", "wss://h.examples/x/y", "wss://127.0.0.2/", "ws+unix:/run/b.sock:/y"]
        {
            guard let url = try? WebSocketURL(parsing: target) else { unexpected("\(target) does not parse") }
            expect(store.pairs(for: url, at: now).isEmpty, "cookies for \(target)")
        }
        if let url = try? WebSocketURL(parsing: "ws://sub.h.example/x/"), source.isSecure {
            let plain = store.pairs(for: url, at: now)
            expect(plain.allSatisfy(sent.contains), "more cookies without TLS")
            expect(!plain.contains { $0.hasPrefix("__Host-") || $0.hasPrefix("__Secure-") }, "\(plain) without TLS")
        }
        expect(store.pairs(for: source, at: .max).allSatisfy(sent.contains), "more cookies after expiry")
        checkValue(store.pairs(for: source, at: .min))
    }

    private static func checkValue(_ pairs: [String]) {
        guard !pairs.isEmpty else { return }
        let value = pairs.joined(separator: "; ")
        expect(value.utf8.count <= CookieStore.maximumFieldBytes, "\(value.utf8.count) bytes")
        expect((try? HeaderField(name: "Cookie", value: value)) != nil, "\(value) is not a field value")
        expect(pairs.allSatisfy { !$0.utf8.contains(UInt8(ascii: ";")) && $0.utf8.first != UInt8(ascii: "=") }, value)
    }

    private static func contains(_ text: String, _ part: ArraySlice<UInt8>) -> Bool {
        let text = Array(text.utf8)
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
