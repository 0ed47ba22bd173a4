import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct LatencySamplesTests {
    /// The lines of a thread, and what it has counted as omitted.
    private final class Lines {
        var text = ""
        var omittedCount = 0
        var isFull = false

        func samples(_ format: LatencySamples.Format, oneOf divisor: Int = 1, seed: Int = 0) -> LatencySamples {
            LatencySamples(format, oneOf: divisor, seed: seed) { [self] piece in
                if !isFull { text += String(decoding: piece, as: UTF8.self) }
                return !isFull
            }
        }
    }

    private static func sample(_ time: Int64, step: String? = nil) -> LatencySamples.Sample {
        LatencySamples.Sample(time: time, latency: 1_002_003, connection: 6, step: step)
    }

    @Test("Times have three decimals, and names are quoted where the format requires it")
    func formats() {
        let lines = Lines()
        let (csv, json) = (lines.samples(.csv), lines.samples(.json))
        for sample in [Self.sample(5), Self.sample(-1_000), Self.sample(0, step: #"a,"b""#)] {
            expectEqual(csv.add(sample), 0)
            expectEqual(json.add(sample), 0)
        }
        expectEqual(csv.flush() + json.flush(), 0)
        let expected = """
            0.005,7,1002.003,0.000,
            -1.000,7,1002.003,0.000,
            0.000,7,1002.003,0.000,"a,""b""\u{22}
            {"time_us":0.005,"connection":7,"latency_us":1002.003}
            {"time_us":-1.000,"connection":7,"latency_us":1002.003}
            {"time_us":0.000,"connection":7,"latency_us":1002.003,"step":"a,\\"b\\""}

            """
        expectEqual(lines.text, expected)
    }

    @Test("A wait is empty if it is unknown, and missing in JSON if there was none")
    func waits() {
        let lines = Lines()
        let (csv, json) = (lines.samples(.csv), lines.samples(.json))
        for wait: UInt64? in [0, 5, nil] {
            let sample = LatencySamples.Sample(time: 0, latency: 7, wait: wait, connection: 0)
            expectEqual(csv.add(sample) + json.add(sample), 0)
        }
        expectEqual(csv.flush() + json.flush(), 0)
        let expected = """
            0.000,1,0.007,0.000,
            0.000,1,0.007,0.005,
            0.000,1,0.007,,
            {"time_us":0.000,"connection":1,"latency_us":0.007}
            {"time_us":0.000,"connection":1,"latency_us":0.007,"wait_us":0.005}
            {"time_us":0.000,"connection":1,"latency_us":0.007,"wait_us":null}

            """
        expectEqual(lines.text, expected)
    }

    @Test("Lines are passed on in whole pieces, and refused ones are counted")
    func pieces() {
        let lines = Lines()
        let samples = lines.samples(.csv)
        var omittedCount = 0
        for number in 0..<20_000 {
            lines.isFull = number >= 10_000
            omittedCount += samples.add(Self.sample(Int64(number)))
        }
        omittedCount += samples.flush()
        let count = lines.text.split(separator: "\n").count
        #expect(count > 0 && omittedCount > 0)
        expectEqual(count + omittedCount, 20_000)
        expectTrue(lines.text.hasSuffix("\n"))
    }

    @Test("A part of the latencies is random, and the same in every run")
    func part() {
        let texts = [0, 0, 1].map { seed in
            let lines = Lines()
            let samples = lines.samples(.csv, oneOf: 10, seed: seed)
            for number in 0..<10_000 { _ = samples.add(Self.sample(Int64(number))) }
            _ = samples.flush()
            return lines.text
        }
        expectEqual(texts[0], texts[1])
        #expect(texts[0] != texts[2])
        #expect(900..<1100 ~= texts[0].split(separator: "\n").count)
    }

    @Test("The latencies of a measurement that count have a sample")
    func measurement() {
        let lines = Lines()
        var measurement = LoadMeasurement()
        measurement.samples = lines.samples(.csv)
        measurement.begin(at: 1_000, warmup: .microseconds(1), duration: .seconds(1), end: .whenStopped)
        measurement.answered(on: 3, sentAt: 1_999, now: 5_000)
        measurement.answered(on: 3, sentAt: 2_000, now: 5_000)
        measurement.arrived(at: 6_000, on: 4, aged: 5_000)
        measurement.flushSamples()
        expectEqual(lines.text, "0.000,4,3.000,0.000,\n-1.000,5,5.000,0.000,\n")
    }
}
