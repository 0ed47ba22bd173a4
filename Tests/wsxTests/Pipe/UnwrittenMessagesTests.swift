import Testing

@testable import Peer

@Suite struct UnwrittenMessagesTests {
    @Test("Messages count until their last byte has been written")
    func count() {
        var messages = UnwrittenMessages()
        for end in [10, 20, 20, 35] { messages.append(end: end, writtenBytes: 0) }
        #expect([0, 9, 10, 19, 20, 34, 35].map(messages.count(after:)) == [4, 4, 3, 3, 1, 1, 0])
    }

    @Test("Written messages are forgotten, and the others are still counted")
    func pruning() {
        var messages = UnwrittenMessages()
        for end in 1...100_000 { messages.append(end: end, writtenBytes: max(0, end - 3000)) }
        #expect(messages.count(after: 97_000) == 3000)
        #expect(messages.count(after: 0) < 10_000)
    }
}
