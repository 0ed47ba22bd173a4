import WSCore

extension FuzzTarget {
    /// Bytes from a peer, in both roles, with default and with tight limits.
    ///
    /// - The events and the violation equal those of a straightforward reference implementation.
    /// - The result does not depend on how the bytes are split.
    /// - The session sends only well-formed control frames: an answer to each ping, then at most one close frame with a
    ///   legal code, which is that of the violation or of the peer's close frame.
    static let frames = FuzzTarget(name: "frames") { input in
        for role in Role.allCases {
            for limits in [Limits(), Limits(maximumMessageBytes: 40, maximumFragments: 3)] {
                let whole = SessionOutcome(of: [input[...]], receivedBy: role, limits: limits)
                for pieces in waysToCut(input) {
                    let cut = SessionOutcome(of: pieces, receivedBy: role, limits: limits)
                    expectEqual(whole, cut, "as \(role), whole and in pieces of \(pieces.map(\.count))")
                }
                let reference = ReferenceReceiver(input, receivedBy: role, limits: limits)
                expectEqual(whole.events, reference.events, "as \(role), events")
                expectEqual(whole.error, reference.error, "as \(role), violation")
                checkAnswers(of: whole, sentBy: role)
            }
        }
    }

    private static func checkAnswers(of outcome: SessionOutcome, sentBy role: Role) {
        var frames = WireFrame.read(outcome.sent)
        for frame in frames {
            expect(frame.isMasked == (role == .client), "a client masks, a server does not")
            expect(frame.isFinal && frame.first & 0x70 == 0 && frame.payload.count <= 125, "a control frame is wrong")
        }
        var expectedCode: UInt16?
        if let error = outcome.error {
            expectedCode = error.closeCode.rawValue
        } else if case .close(let frame)? = outcome.events.last {
            expectedCode = frame.code?.rawValue ?? 1005
        }
        if let expectedCode {
            let payload = frames.popLast().map { $0.opcode == 0x8 ? $0.payload : [0] } ?? [0]
            let code = payload.isEmpty ? 1005 : payload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
            expectEqual(code, expectedCode, "the close code that was sent")
            expect(payload.isEmpty || isLegal(closeCode: code), "\(code) must not be sent")
            expect(UTF8Reference.judge(payload.dropFirst(2)) == .whole, "the reason that was sent is not UTF-8")
        }
        let pings = outcome.events.compactMap { event in if case .ping(let payload) = event { payload } else { nil } }
        // Beyond this backlog, pings are not answered one by one.
        guard outcome.sent.count <= Outbox.pongBacklogBytes else { return }
        expectEqual(frames.map(\.payload), pings, "answers to pings")
        expect(frames.allSatisfy { $0.opcode == 0xA }, "something other than pongs was sent")
    }
}
