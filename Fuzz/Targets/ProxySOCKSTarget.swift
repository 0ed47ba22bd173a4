import WSCore

extension FuzzTarget {
    /// Answers of a SOCKS proxy, without and with a login.
    ///
    /// - It makes no difference in which pieces the answers arrive.
    /// - The tunnel opens, and the login and the request are sent, where a reading of the whole of the answers says so.
    /// - The words for a failure are one line that is safe to show.
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
        else { unexpected("the proxy is a good one") }
        return handshake
    }
}

/// What the answers of a SOCKS proxy say, read as a whole by RFC 1928 and RFC 1929.
private struct SOCKSReading {
    /// Where the bytes of the target begin.
    var tunnelStart: Int?
    /// How often the proxy waits for an answer.
    var sentCount = 0
    /// Whether the answers are a refusal or break the rules.
    var isWrong = false

    init(of bytes: [UInt8], hasLogin: Bool) {
        var position = 0
        /// Takes a byte, if there is one; it is wrong unless it is one of `values`.
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
