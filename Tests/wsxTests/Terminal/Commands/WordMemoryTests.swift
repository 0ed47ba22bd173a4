import Testing
import WSCore

@testable import UserInterface

@Suite struct WordMemoryTests {
    @Test("Words are letters of all scripts, digits, and some signs, without final punctuation")
    func words() {
        var memory = WordMemory()
        Self.remember("{\"user_id\":\"prices.daily\", grüße: ws:x end. ab \u{202E}hidden\u{1B}[31m wider", in: &memory)
        #expect(
            memory.words(beginningWith: "") == [
                "31m", "end", "grüße", "hidden", "prices.daily", "user_id", "wider", "ws:x",
            ])
        #expect(memory.words(beginningWith: "pri") == ["prices.daily"])
        #expect(memory.words(beginningWith: "wider").isEmpty)
        #expect(memory.words(beginningWith: "x").isEmpty)
    }

    @Test("Words of excessive length are ignored")
    func lengths() {
        var memory = WordMemory()
        Self.remember("xy " + String(repeating: "x", count: 64) + " " + String(repeating: "x", count: 65), in: &memory)
        #expect(memory.words(beginningWith: "x") == [String(repeating: "x", count: 64)])
    }

    @Test("The latest words are kept, and memory is bounded")
    func bounds() {
        var memory = WordMemory()
        for number in 0..<100_000 { Self.remember("word\(number)", in: &memory) }
        let words = memory.words(beginningWith: "word")
        #expect(words.count <= 2 * WordMemory.maximumWords)
        #expect(words.contains("word99999"))
        #expect(!words.contains("word0"))
        Self.remember(String(repeating: " ", count: WordMemory.maximumMessageBytes) + "beyond", in: &memory)
        #expect(memory.words(beginningWith: "bey").isEmpty)
    }

    @Test("Invalid UTF-8 does no harm")
    func invalid() {
        var memory = WordMemory()
        let bytes: [UInt8] = [0xFF, 0x61, 0x62, 0x63, 0xC3]
        bytes.withUnsafeBytes { memory.remember($0.bytes) }
        #expect(memory.words(beginningWith: "a") == ["abc"])
    }

    private static func remember(_ text: String, in memory: inout WordMemory) {
        Array(text.utf8).withUnsafeBytes { memory.remember($0.bytes) }
    }
}
