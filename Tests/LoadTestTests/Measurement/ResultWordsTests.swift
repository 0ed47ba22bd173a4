import Formats
import TestSupport
import Testing

@testable import LoadTest

@Suite struct ResultWordsTests {
    static let timesCases: [(Double, String)] = [
        (0, "0.00 us"), (87, "0.09 us"), (1234, "1.23 us"), (87_349, "87.3 us"), (999_400, "999 us"),
        (999_600, "1.00 ms"), (12_345_678, "12.3 ms"), (2_000_000_000, "2.00 s"), (3_600_000_000_000, "3600 s"),
    ]

    @Test("Times have three significant digits and a suitable unit", arguments: Self.timesCases)
    func times(nanoseconds: Double, text: String) {
        expectEqual(Phrase.latency(nanoseconds), text)
    }

    @Test(
        "Bytes use powers of 1024",
        arguments: [(0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (1_572_864, "1.50 MiB"), (1 << 40, "1.00 TiB")])
    func bytes(number: Int, text: String) {
        expectEqual(ResultWords.bytes(number), text)
    }
}
