import TestSupport
import Testing

@testable import WSCore

@Suite struct PeerPresenceTests {
    @Test("a peer that has ended its side is distinguished from a present one, and its data stays unread")
    func ended() throws {
        for transport in Transport.allCases {
            try withLoop { loop in
                let (near, far) = try makeStreamPair(transport, on: loop)
                expectEqual(near.peerPresence, .present)
                expectFalse(near.hasUnreadBytes)
                try send("x", on: far)
                far.shutdown()
                loop.run { near.peerPresence != .present }
                expectEqual(near.peerPresence, .hasEnded)
                expectTrue(near.hasUnreadBytes)
                near.close()
                far.close()
            }
        }
    }

    @Test("a peer that has reset the connection is gone")
    func reset() throws {
        for transport in Transport.allCases {
            try withLoop { loop in
                let (near, far) = try makeStreamPair(transport, on: loop)
                // Closing a socket with unread bytes resets the connection.
                try send("unread", on: near)
                loop.run { far.hasUnreadBytes }
                far.close()
                loop.run { near.peerPresence == .isGone }
                near.close()
                expectEqual(near.peerPresence, .isGone)
                expectFalse(near.hasUnreadBytes)
            }
        }
    }

    private func send(_ text: String, on stream: SystemStream) throws {
        var buffer = ByteBuffer()
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { buffer.append($0.bytes) }
        try stream.write(&buffer)
    }
}
