import WSCore

extension FuzzTarget {
    /// Bytes from a peer with negotiated permessage-deflate, in both roles.
    ///
    /// - The events do not depend on how the bytes are split. Text is UTF-8, and no message exceeds the limit.
    /// - A violation is found however the bytes are split. Splitting may reveal a different violation first.
    static let compressedFrames = FuzzTarget(name: "compressed-frames") { input in
        for role in Role.allCases {
            let limits = Limits(maximumMessageBytes: 5000, maximumFragments: 20)
            let whole = SessionOutcome(
                of: [input[...]], receivedBy: role, limits: limits, deflate: DeflateParameters())
            for pieces in waysToCut(input) {
                let cut = SessionOutcome(
                    of: pieces, receivedBy: role, limits: limits, deflate: DeflateParameters())
                expectEqual(whole.events, cut.events, "as \(role), whole and in pieces of \(pieces.map(\.count))")
                expectEqual(
                    whole.error == nil, cut.error == nil, "a violation as \(role), in pieces of \(pieces.map(\.count))")
            }
            for case .message(let kind, let payload) in whole.events {
                expect(payload.count <= limits.maximumMessageBytes, "a message is larger than the limit")
                expect(
                    kind == .binary || UTF8Reference.judge(payload[...]) == .whole, "a text message is not UTF-8")
            }
        }
    }
}
