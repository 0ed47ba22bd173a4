import Testing

@testable import Connect

@Suite struct RequestMessagesTests {
    @Test("Unanswered requests do not accumulate without a limit")
    func bound() {
        var messages = RequestMessages()
        let generation = RequestMessages.generationCount
        for request in 1...3 * generation { messages[request] = request * 2 }
        #expect(messages.count <= 2 * generation)
        #expect(messages[1] == nil)
        #expect(messages[3 * generation] == 6 * generation)
        #expect(messages[2 * generation + 1] == 2 * (2 * generation + 1))
    }
}
