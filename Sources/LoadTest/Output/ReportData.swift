import Formats
import WSCore

extension BenchResults {
    /// The data for the page of `--report`, as JSON: the results and derived figures.
    package func reportData(_ judgement: BenchJudgement) -> String {
        var json = JSONWriter()
        json.add("things", description.mode.wording.countedThings)
        json.beginArray("facts")
        for (name, value) in facts {
            json.beginElement()
            json.add("name", name)
            json.add("value", value)
            json.endObject()
        }
        json.endArray()
        json.beginArray("curve")
        for point in PercentileCurve.points(of: latencies) {
            json.beginElement()
            json.add("one_of", point.oneOf, digits: 2)
            json.add("us", Double(point.value) / 1000, digits: 3)
            json.endObject()
        }
        json.endArray()
        json.beginArray("bars")
        for bucket in LatencyBuckets.buckets(of: latencies) {
            json.beginElement()
            json.add("from_us", bucket.start / 1000, digits: 4)
            json.add("to_us", bucket.end / 1000, digits: 4)
            json.add("replies", Int(clamping: bucket.count))
            json.endObject()
        }
        json.endArray()
        json.beginObject("words")
        for count in CountGroup.errors.counts { if let words = count.words { json.add(count.name, words) } }
        json.endObject()
        json.add("faults", CountGroup.faults.map { "\($0.name)" })
        json.beginObject("results")
        add(to: &json, judgement, hasHistogramOfEachSecond: false)
        json.endObject()
        json.endObject()
        return json.text.string
    }

    /// The run's parameters as text.
    private var facts: [(name: String, value: String)] {
        let start = CalendarTime(startTime, in: .utc)
        let date = "\(padded(start.year, to: 4))-\(padded(start.month))-\(padded(start.day))"
        let clock = "\(padded(start.hour)):\(padded(start.minute)):\(padded(start.second))"
        let message = description.message.map { message in
            let size = message.byteCount.map { "\(Phrase.count($0, "byte")) each" } ?? "of different sizes"
            return "\(message.kind == .text ? "text" : "binary"), \(size)"
        }
        let optional: [(name: String, value: String?)] = [
            ("Messages", message),
            ("Replies", stream.flatMap(\.messagesPerReply)),
            ("In flight", description.inFlight.map { "\(Phrase.grouped($0)) on each connection" }),
            ("HTTP/2", tally.openings.http2Streams > 0 ? http2Streams : nil),
            ("TLS", tally.openings.tlsHandshakes > 0 ? tlsHandshakes : nil),
            ("Target rate", description.targetRate),
        ]
        return [
            ("URL", escapingControls(description.url)),
            ("Mode", description.mode.rawValue),
            ("Connections", Phrase.grouped(description.connections)),
            ("Threads", Phrase.grouped(description.threads)),
        ] + optional.compactMap { fact in fact.value.map { (fact.name, $0) } } + [
            ("Started", "\(date) \(clock) UTC"),
            ("Duration", "\(FixedPoint.text(duration / .seconds(1), digits: 3)) s"),
            ("CPU time", "\(FixedPoint.text(processorTimes.load / .seconds(1), digits: 3)) s (wsx)"),
        ] + description.notes.labels.map { (escapingControls($0.key), escapingControls($0.value)) }
            + description.notes.environment.map { (Self.name(ofFact: $0.key), escapingControls($0.value)) }
    }

    private static func name(ofFact field: String) -> String {
        switch field {
        case "command": "Command"
        case "cpu": "CPU"
        case "host": "Host"
        case "kernel": "Kernel"
        case "program": "Program"
        default: escapingControls(field)
        }
    }
}
