@testable import WSCore

extension FuzzTarget {
    /// A cookie file.
    ///
    /// - A written file has the same cookies as the store it was written from.
    /// - A Cookie field is valid and within its limit. Connections without TLS receive no Secure cookies.
    static let cookieFile = FuzzTarget(name: "cookie-file") { input in
        let now = 1_700_000_000
        let file = CookieFile(parsing: input)
        expect(file.cookies.count + file.malformedLineCount <= input.count, "more lines than bytes")
        var store = CookieStore()
        let droppedCount = store.add(file, at: now)
        expect(store.count + droppedCount <= file.cookies.count, "more cookies than lines")
        let written = CookieFile(parsing: CookieFile.contents(of: store, at: now))
        expect(written.malformedLineCount == 0, "a malformed line is written")
        expect(written.cookies.map(\.identity) == store.cookies.map(\.identity), "other cookies are written")
        expect(written.cookies.map(\.value) == store.cookies.map(\.value), "other values are written")
        for cookie in store.cookies.prefix(20) {
            guard let url = try? WebSocketURL(parsing: "wss://\(cookie.domain)\(cookie.path)") else { continue }
            let pairs = store.pairs(for: url, at: now)
            let value = pairs.joined(separator: "; ")
            guard !pairs.isEmpty else { continue }
            expect(value.utf8.count <= CookieStore.maximumFieldBytes, "\(value.utf8.count) bytes")
            expect((try? HeaderField(name: "Cookie", value: value)) != nil, "\(value) is not a field value")
            guard let plain = try? WebSocketURL(parsing: "ws://\(cookie.domain)\(cookie.path)") else { continue }
            let count = store.cookies.count { !$0.isSecure }
            expect(store.pairs(for: plain, at: now).count <= count, "Secure cookies without TLS")
        }
    }
}
