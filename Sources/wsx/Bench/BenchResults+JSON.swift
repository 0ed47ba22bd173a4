import WSCore

extension BenchResults {
    /// The results as one object on one line.
    func json() -> String {
        var json = JSONWriter()
        json.add("mode", "echo")
        json.add("url", "\(settings.url)")
        json.add("connections", settings.arguments.connectionCount)
        json.add("threads", 1)
        json.add("duration_s", duration / .seconds(1), digits: 6)
        json.add("rate_per_second", rate, digits: 1)
        addMessages(to: &json)
        addErrors(to: &json)
        addBytes(to: &json)
        Self.add("latency_us", latencies, to: &json)
        Self.add("handshake_us", handshakes, to: &json)
        json.beginArray("per_second")
        for (number, second) in seconds.enumerated() {
            json.beginElement()
            json.add("second", number)
            json.add("received", second.received)
            json.add("p99_us", Double(second.p99) / 1000, digits: 3)
            json.endObject()
        }
        json.endArray()
        json.add("cpu_s", processorTime / .seconds(1), digits: 3)
        json.add("histogram", latencies.base64())
        json.endObject()
        return json.text.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) } + "\n"
    }

    private func addMessages(to json: inout JSONWriter) {
        json.beginObject("messages")
        json.add("sent", tally.sent)
        json.add("received", tally.received)
        json.add("lost", tally.lost)
        json.add("mismatched", tally.mismatched)
        json.add("duplicated", tally.duplicated)
        json.add("reordered", tally.reordered)
        json.endObject()
    }

    private func addErrors(to json: inout JSONWriter) {
        json.beginObject("errors")
        json.add("connect", tally.connectErrors)
        json.add("handshake", tally.handshakeErrors)
        json.add("protocol", tally.protocolErrors)
        json.add("closed", tally.closedErrors)
        json.add("timeout", tally.timeouts)
        json.endObject()
    }

    private func addBytes(to json: inout JSONWriter) {
        json.beginObject("bytes")
        json.add("sent", tally.sentBytes)
        json.add("received", tally.receivedBytes)
        json.add("wire_sent", tally.sentWireBytes)
        json.add("wire_received", tally.receivedWireBytes)
        json.endObject()
    }

    private static func add(_ name: StaticString, _ histogram: borrowing Histogram, to json: inout JSONWriter) {
        json.beginObject(name)
        json.add("min", Double(histogram.minimum) / 1000, digits: 3)
        json.add("mean", histogram.mean / 1000, digits: 3)
        json.add("stddev", histogram.standardDeviation / 1000, digits: 3)
        for (field, _, percentile) in percentiles {
            json.add(field, Double(histogram.value(atPercentile: percentile)) / 1000, digits: 3)
        }
        json.add("max", Double(histogram.maximum) / 1000, digits: 3)
        json.endObject()
    }
}

extension Histogram {
    /// The compressed form in Base64, which begins with HISTF.
    func base64() -> String {
        var encoded = ByteBuffer()
        encode(into: &encoded)
        var text = ByteBuffer()
        encoded.withReadableBytes { Base64.append($0, to: &text) }
        return text.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }
}
