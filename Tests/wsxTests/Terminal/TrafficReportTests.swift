import Testing
import WSCore

@testable import wsx

@Suite struct TrafficReportTests {
    @Test("the closing summary counts messages, and shows their bytes against those on the wire")
    func words() {
        let sent = Traffic(messages: 2, messageBytes: 20, wireBytes: 40)
        let received = Traffic(messages: 1, messageBytes: 1 << 20, wireBytes: 40_000)
        #expect(TrafficReport.words(sent: sent, received: received, showsBytes: false) == "2 sent, 1 received")
        #expect(
            TrafficReport.words(sent: sent, received: received, showsBytes: true)
                == "2 sent (20 B, 40 B on the wire), 1 received (1.0 MiB, 39.0 KiB on the wire)")
    }

    @Test(
        "sizes are exact up to 10 KiB and have a decimal beyond",
        arguments: [
            (0, "0 B"), (10_239, "10239 B"), (10_240, "10.0 KiB"), (1_048_575, "1023.9 KiB"), (1 << 20, "1.0 MiB"),
            (5 << 29, "2.5 GiB"), (3 << 40, "3.0 TiB"), (5000 << 40, "5000.0 TiB"),
        ])
    func sizes(bytes: Int, words: String) {
        #expect(TrafficReport.size(bytes) == words)
    }
}
