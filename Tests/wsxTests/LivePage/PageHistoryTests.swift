import TestSupport
import Testing

@testable import Peer

@Suite struct PageHistoryTests {
    private static func message(_ number: Int) -> String { #"{"type":"message","data":"\#(number)"}"# }

    private static func append(_ lines: String..., to history: inout PageHistory) {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        history.append(bytes.span.bytes)
    }

    /// Everything that follows, in words.
    private static func rest(of history: PageHistory, after position: inout PageHistory.Position) -> [String] {
        var words: [String] = []
        while let step = history.next(after: &position) {
            switch step {
            case .omitted(let messages, let others): words.append("omitted \(messages) \(others)")
            case .lines(let lines):
                words += String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
            }
        }
        return words
    }

    @Test func `each page reads on from its own position`() {
        var history = PageHistory()
        var (early, late) = (PageHistory.Position(), PageHistory.Position())
        Self.append(Self.message(1), "{}", to: &history)
        #expect(Self.rest(of: history, after: &early) == [Self.message(1), "{}"])
        Self.append(Self.message(2), to: &history)
        #expect(Self.rest(of: history, after: &early) == [Self.message(2)])
        #expect(Self.rest(of: history, after: &late) == [Self.message(1), "{}", Self.message(2)])
        #expect(Self.rest(of: history, after: &late).isEmpty)
    }

    @Test func `a page that is too slow learns what it has missed`() {
        let lineBytes = Self.message(0).utf8.count + 1
        var history = PageHistory(limitBytes: 3 * lineBytes, chunkBytes: lineBytes)
        var (slow, position) = (PageHistory.Position(), PageHistory.Position())
        Self.append(Self.message(0), "{}", to: &history)
        #expect(history.next(after: &slow) == .lines(Array((Self.message(0) + "\n").utf8)[...]))
        for number in 1...4 { Self.append(Self.message(number), to: &history) }
        #expect(
            Self.rest(of: history, after: &slow) == ["omitted 1 1", Self.message(2), Self.message(3), Self.message(4)])
        #expect(Self.rest(of: history, after: &position).first == "omitted 2 1")
    }

    @Test func `an event larger than the history is omitted, with all before it`() {
        var history = PageHistory(limitBytes: 100)
        var position = PageHistory.Position()
        Self.append(
            Self.message(1), #"{"type":"message","data":"\#(String(repeating: "x", count: 100))"}"#, to: &history)
        Self.append(Self.message(2), to: &history)
        #expect(Self.rest(of: history, after: &position) == ["omitted 2 0", Self.message(2)])
    }

    @Test func `ten wrong tokens in a minute stop the comparison until the first is a minute old`() {
        var tokens = WrongTokens()
        for second in 1...10 {
            #expect(tokens.delay(at: .seconds(second)) == .zero)
            tokens.add(at: .seconds(second))
        }
        #expect(tokens.delay(at: .seconds(20)) == .seconds(41))
        #expect(tokens.delay(at: .seconds(61)) == .zero)
        tokens.add(at: .seconds(61))
        #expect(tokens.delay(at: .seconds(61)) == .seconds(1))
    }
}
