import Testing
import WSCore

@testable import Listen
@testable import Peer

@Suite struct ReplayFeedTests {
    @Test("The opening replies are sent at the end of the turn, and meanwhile the client is not read")
    func opening() throws {
        try withFeed(["a", "b"]) { loop, host, feed in
            feed.open()
            #expect(feed.isBusy && host.log == ["pause"])
            loop.runOnce()
            #expect(!feed.isBusy && host.log == ["pause", "a", "b", "resume"])
        }
    }

    @Test("An answer is sent at once, and a message without an answer has none")
    func answer() throws {
        try withFeed([], answers: ["x", "y"]) { loop, host, feed in
            for _ in 0..<2 { feed.answer(RawSpan(), as: .text) }
            #expect(!feed.isBusy && host.log.filter { $0 != "resume" } == ["x", "y"])
        }
    }

    @Test("The rest of a long answer waits for room, and meanwhile the client is not read")
    func longAnswer() throws {
        try withFeed([], answers: ["a", "b", "c"]) { loop, host, feed in
            host.room = 2
            feed.answer(RawSpan(), as: .text)
            #expect(feed.isBusy && host.log == ["a", "b", "pause"])
            host.room = .max
            feed.sendReplies()
            #expect(!feed.isBusy && host.log == ["a", "b", "pause", "c", "resume"])
        }
    }

    @Test("Replies are sent only while there is room")
    func room() throws {
        try withFeed(["a", "b", "c"]) { loop, host, feed in
            host.room = 1
            feed.open()
            loop.runOnce()
            #expect(feed.isBusy && host.log == ["pause", "a"])
            host.room = 1
            feed.sendReplies()
            #expect(feed.isBusy && host.log == ["pause", "a", "b"])
            host.room = .max
            feed.sendReplies()
            #expect(!feed.isBusy && host.log == ["pause", "a", "b", "c", "resume"])
            feed.sendReplies()
            #expect(host.log.last == "resume" && host.log.count == 5)
        }
    }

    @Test("The client is closed after the last reply on request")
    func close() throws {
        try withFeed(["a", "b"]) { loop, host, feed in
            feed.open()
            _ = feed.closeAfterPending()
            loop.runOnce()
            #expect(host.log == ["pause", "a", "b", "close", "resume"])
        }
    }

    @Test("Pending replies are discarded when the connection ends")
    func cancel() throws {
        try withFeed(["a", "b"]) { loop, host, feed in
            host.room = 1
            feed.open()
            loop.runOnce()
            feed.cancel()
            host.room = .max
            feed.sendReplies()
            loop.runOnce()
            #expect(!feed.isBusy && host.log == ["pause", "a"])
        }
    }

    @Test("A reply follows its request after the recorded time")
    func pause() throws {
        try withFeed(["a"], pause: .seconds(3600)) { loop, host, feed in
            feed.open()
            loop.runOnce()
            let pause = try #require(host.pauses.first)
            #expect(pause > .zero && pause <= .seconds(3600))
        }
    }

    /// A feed with opening replies, and with answers to the client's only message, an empty text.
    private func withFeed(
        _ opening: [String], answers: [String] = [], pause: Duration = .zero,
        _ body: (EventLoop, Host, ReplayFeed) throws -> Void
    ) throws {
        var payloads: [UInt8] = []
        let replies = [opening, answers].map { texts in
            texts.map { text in
                let start = payloads.count
                payloads += Array(text.utf8)
                return ReplayConversation.Reply(item: .message(.text), payload: start..<payloads.count, pause: pause)
            }
        }
        let request = ReplayConversation.Request(kind: .text, payload: 0..<0)
        let conversation = ReplayConversation(
            [.init(request: nil, replies: replies[0]), .init(request: request, replies: replies[1])], payloads: payloads
        )
        let loop = try EventLoop()
        let host = Host(on: loop)
        try body(loop, host, ReplayFeed(conversation, client: 1, of: host))
    }
}

/// A client with limited room, which records calls.
private final class Host: ReplayHost {
    let loop: EventLoop
    /// The number of items for which there is room.
    var room = Int.max
    var log: [String] = []
    var pauses: [Duration] = []

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func hasRoom(for client: Int) -> Bool { room > 0 }

    func send(_ item: InputItem, _ payload: RawSpan, after pause: Duration, to client: Int) {
        room -= 1
        log.append(payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        pauses.append(pause)
    }

    func closeAfterReplay(_ client: Int) { log.append("close") }
    func pauseForReplay(_ client: Int) { log.append("pause") }
    func resumeAfterReplay(_ client: Int) { log.append("resume") }
}
