import Testing
import WSCore

@testable import UserInterface

@Suite struct TrafficReportTests {
    @Test("The closing summary counts messages, and compares their size with the wire")
    func words() {
        let sent = Traffic(messages: 2, messageBytes: 20, wireBytes: 40)
        let received = Traffic(messages: 1, messageBytes: 1 << 20, wireBytes: 40_000)
        #expect(
            TrafficReport.words(sent: sent, received: received, showsWire: false)
                == "2 sent, 1 received; 20 B out, 1.0 MiB in")
        #expect(
            TrafficReport.words(sent: sent, received: received, showsWire: true)
                == "2 sent, 1 received; 20 B out (40 B on the wire), 1.0 MiB in (39.0 KiB on the wire)")
    }

    @Test(
        "The savings of compression are relative to the messages, and may be zero",
        arguments: [(100, 39, "61 % saved"), (100, 104, "nothing saved"), (0, 0, "nothing saved")])
    func savings(messageBytes: Int, wireBytes: Int, words: String) {
        let traffic = Traffic(messages: 1, messageBytes: messageBytes, wireBytes: wireBytes)
        #expect(TrafficReport.savings(traffic) == words)
    }

    @Test(
        "A size of six or more digits takes seven characters and keeps the alignment",
        arguments: [
            (0, "    0 B"), (99_999, "99999 B"), (100_000, " 98 KiB"), (1_022_976, "999 KiB"), (1_023_999, "1.0 MiB"),
            (1 << 20, "1.0 MiB"), (9 << 20, "9.0 MiB"), (64 << 20, " 64 MiB"), (1023 << 20, "1.0 GiB"),
            (5 << 40, "5.0 TiB"),
        ])
    func column(bytes: Int, expected: String) {
        #expect(TrafficReport.column(bytes) == expected)
    }

    @Test(
        "Sizes are exact up to 10 KiB and have one decimal above",
        arguments: [
            (0, "0 B"), (10_239, "10239 B"), (10_240, "10.0 KiB"), (1_048_575, "1023.9 KiB"), (1 << 20, "1.0 MiB"),
            (5 << 29, "2.5 GiB"), (3 << 40, "3.0 TiB"), (5000 << 40, "5000.0 TiB"),
        ])
    func sizes(bytes: Int, words: String) {
        #expect(TrafficReport.size(bytes) == words)
    }
}
