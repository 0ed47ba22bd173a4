import WSCore

extension FuzzTarget {
    /// Replies of a SOCKS proxy, with and without a login.
    ///
    /// - The result does not depend on how the replies are split.
    /// - The tunnel opens, and the login and the request are sent, exactly if a parser of the complete replies agrees.
    /// - Error messages are one line that is safe to show.
    static let proxySOCKS = FuzzTarget(name: "proxy-socks") { input in
        for (handshake, hasLogin) in [(plain, false), (withLogin, true)] {
            let whole = ProxyOutcome(of: [input[...]], from: handshake)
            for pieces in waysToCut(input) {
                let cut = ProxyOutcome(of: pieces, from: handshake)
                expect(whole.isAlike(cut), "whole and in pieces of \(pieces.map(\.count)):\n\(whole)\n\(cut)")
            }
            let expected = SOCKSReading(of: input, hasLogin: hasLogin)
            expectEqual(whole.consumedByteCount, expected.tunnelStart, "where the tunnel begins")
            expectEqual(whole.sent.count, expected.sentCount, "the number of answers sent")
            expectEqual(whole.error != nil, expected.isWrong, "whether the answers are wrong")
            if let error = whole.error { expectOneSafeLine(error.description) }
            if let error = whole.errorAtEnd { expectOneSafeLine(error.description) }
        }
    }

    private static let plain = handshake("socks5h://proxy")
    private static let withLogin = handshake("socks5h://user:password@proxy")

    private static func handshake(_ url: String) -> ProxyHandshake {
        guard let proxy = try? Proxy(parsing: url),
            let handshake = try? ProxyHandshake(proxy: proxy, host: "host", port: 443)
        else { unexpected("the proxy is valid") }
        return handshake
    }
}

/// A parser of the complete replies of a SOCKS proxy, according to RFC 1928 and RFC 1929.
private struct SOCKSReading {
    /// The position of the first byte from the target.
    var tunnelStart: Int?
    /// The number of messages sent in response to the proxy's replies.
    var sentCount = 0
    /// Whether the replies are a refusal or invalid.
    var isWrong = false

    init(of bytes: [UInt8], hasLogin: Bool) {
        var position = 0
        /// Consumes a byte, if there is one. A byte not in `values` is wrong.
        func takes(_ values: [UInt8]) -> Bool {
            guard position < bytes.count else { return false }
            position += 1
            isWrong = !values.contains(bytes[position - 1])
            return !isWrong
        }
        guard takes([5]), takes(hasLogin ? [0, 2] : [0]) else { return }
        if bytes[1] == 2 {
            sentCount += 1
            guard takes([1, 5]), takes([0]) else { return }
        }
        sentCount += 1
        guard takes([5]), takes([0]), takes([0]), takes([1, 3, 4]) else { return }
        let addressLength: Int
        switch bytes[position - 1] {
        case 1: addressLength = 4
        case 4: addressLength = 16
        default:
            guard position < bytes.count else { return }
            addressLength = 1 + Int(bytes[position])
        }
        let end = position + addressLength + 2
        if end <= bytes.count { tunnelStart = end }
    }
}
