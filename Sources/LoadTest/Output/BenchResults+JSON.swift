import Formats
import WSCore

extension BenchResults {
    /// The results as a JSON object on one line.
    /// - Parameter judgement: The judgement on the results.
    package func json(_ judgement: BenchJudgement = BenchJudgement()) -> String {
        var json = JSONWriter()
        add(to: &json, judgement)
        json.endObject()
        return json.text.string + "\n"
    }

    /// Adds the results to an object as members.
    /// - Parameters:
    ///   - judgement: The judgement on the results.
    ///   - hasHistogramOfEachSecond: Whether to include the histograms of all seconds. They are most of the output and
    ///     are needed only for merging.
    internal func add(to json: inout JSONWriter, _ judgement: BenchJudgement, hasHistogramOfEachSecond: Bool = true) {
        judgement.addResult(to: &json)
        description.notes.add(to: &json)
        json.add("mode", description.mode.rawValue)
        json.add("url", description.url)
        json.add("connections", description.connections)
        json.add("threads", description.threads)
        json.add("duration_s", duration / .seconds(1), digits: 9)
        json.add("rate_per_second", rate, digits: 1)
        Self.addCounts(tally, to: &json)
        for group in [CountGroup.bytes, CountGroup.loadBytes, CountGroup.tls] { Self.add(group, of: tally, to: &json) }
        if tally.openings.http2Streams > 0 { Self.add(CountGroup.http2, of: tally, to: &json) }
        Self.add("latency_us", latencies, orNullIf: hasOmittedAllLatencies, to: &json)
        Self.add(TimeMeasure.handshake.summaryName, times[.handshake], to: &json)
        addSeconds(to: &json, hasHistograms: hasHistogramOfEachSecond)
        timeline.add(to: &json)
        json.add("cpu_s", processorTimes.process / .seconds(1), digits: 6)
        json.add("histogram", latencies.base64())
        json.add(named: TimeMeasure.handshake.histogramName, times[.handshake].base64())
        json.add("version", Self.version)
        json.add("start_time", EventTime.text(of: startTime))
        addDescription(to: &json)
        json.add("load_cpu_s", processorTimes.load / .seconds(1), digits: 6)
        json.add("busiest_cpu_s", processorTimes.busiest / .seconds(1), digits: 6)
        json.add("run_queue_s", processorTimes.waited / .seconds(1), digits: 6)
        addPhases(to: &json)
        addTimes(to: &json)
        if let stream, !hasOmittedAllLatencies {
            Self.add(stream, latencies: latencies, to: &json, hasHistograms: true)
        }
        if let clock = publishedClock {
            json.beginObject("clock")
            json.add("negative", clock.negativeCount)
            json.add("most_negative_us", Double(clock.mostNegative) / 1000, digits: 3)
            json.add("no_time", clock.withoutTimeCount)
            json.endObject()
        }
        addParts("steps", steps, to: &json, hasHistograms: true)
        addStages(to: &json, hasHistograms: hasHistogramOfEachSecond)
        json.add("warnings", GeneratorVerdict(self).warnings)
        judgement.add(to: &json)
        judgement.search?.add(to: &json)
    }

    /// Adds the results of parts, unless there are none.
    /// - Parameter body: Adds other members to the part at an index.
    internal func addParts(
        _ name: StaticString, _ parts: [PartResults], to json: inout JSONWriter, hasHistograms: Bool,
        _ body: (_ index: Int, _ json: inout JSONWriter) -> Void = { _, _ in }
    ) {
        guard !parts.isEmpty else { return }
        json.beginArray(name)
        for (index, part) in parts.enumerated() {
            json.beginElement()
            json.add("name", part.name)
            body(index, &json)
            for (name, count) in PartResults.counts { json.add(name, part[keyPath: count]) }
            if part.latencies != nil {
                let histogram = part.histogram()
                Self.add(
                    "latency_us", histogram, orNullIf: part.received > 0 && histogram.totalCount == 0, to: &json)
                if hasHistograms { json.add("histogram", histogram.base64()) }
                for measure in TimeMeasure.allCases {
                    guard let delays = part.ownDelays[measure]?.readable() else { continue }
                    Self.add(measure.summaryName, delays, to: &json)
                    if hasHistograms { json.add(named: measure.histogramName, delays.base64()) }
                }
                if hasHistograms, !part.seconds.isEmpty { Timeline.add("per_second", part.seconds, to: &json) }
                if let stream = part.stream {
                    Self.add(stream, latencies: histogram, to: &json, hasHistograms: hasHistograms)
                }
            }
            json.endObject()
        }
        json.endArray()
    }

    /// Adds the times of replies that consist of several messages.
    /// - Parameter latencies: The times to the last message, in nanoseconds.
    private static func add(
        _ stream: StreamResults, latencies: borrowing Histogram, to json: inout JSONWriter, hasHistograms: Bool
    ) {
        let firsts = stream.firstTimes()
        let gaps = stream.longestGaps()
        let counts = stream.messageCounts()
        json.beginObject("stream")
        add("first_us", firsts, to: &json)
        add("gap_us", gaps, to: &json)
        add("last_us", latencies, to: &json)
        json.beginObject("messages")
        json.add("min", Int(clamping: counts.minimum))
        json.add("mean", counts.mean, digits: 3)
        for (field, _, percentile) in percentiles {
            json.add(field, Int(clamping: counts.value(atPercentile: percentile)))
        }
        json.add("max", Int(clamping: counts.maximum))
        json.add("sum", Int(clamping: counts.sum))
        json.endObject()
        if hasHistograms {
            json.add("first_histogram", firsts.base64())
            json.add("gap_histogram", gaps.base64())
            json.add("messages_histogram", counts.base64())
        }
        json.endObject()
    }

    private func addStages(to json: inout JSONWriter, hasHistograms: Bool) {
        guard let plan = description.stages else { return }
        let rates = stages.indices.map { rate(ofStage: $0) }
        addParts("stages", stages, to: &json, hasHistograms: hasHistograms) { index, json in
            let target = plan.stages[index].target
            switch plan.quantity {
            case .connections: json.add("target_connections", target)
            case .rate: json.add("target_rate", target)
            }
            json.add("duration_s", plan.stages[index].duration / .seconds(1), digits: 9)
            json.add("rate_per_second", rates[index], digits: 1)
        }
    }

    private func addPhases(to json: inout JSONWriter) {
        json.beginObject("handshake_phases_us")
        for phase in TimeMeasure.phases { Self.add(phase.name, times[phase], to: &json) }
        json.endObject()
        json.beginObject("handshake_phase_histograms")
        for phase in TimeMeasure.phases { json.add(named: phase.name, times[phase].base64()) }
        json.endObject()
    }

    /// Adds the times with members of their own, but the first one, and the counts in the place of earlier versions.
    private func addTimes(to json: inout JSONWriter) {
        for measure in TimeMeasure.allCases where measure != .handshake {
            switch measure.declaration.place {
            case .phases, .stream: continue
            case .optionalMembers where times[measure].totalCount == 0: continue
            case .members, .optionalMembers:
                Self.add(measure.summaryName, times[measure], to: &json)
                json.add(named: measure.histogramName, times[measure].base64())
            }
            if measure == .delay { Self.addMembers(CountGroup.others, of: tally, to: &json) }
        }
    }

    private func addDescription(to json: inout JSONWriter) {
        if let message = description.message {
            json.beginObject("message")
            json.add("kind", message.kind == .text ? "text" : "binary")
            if let byteCount = message.byteCount { json.add("bytes", byteCount) } else { json.addNull("bytes") }
            json.endObject()
        } else {
            json.addNull("message")
        }
        json.add("in_flight", orNull: description.inFlight)
        json.add("rate_asked", orNull: description.rateAsked)
        if description.arrival != .constant { json.add("arrival", description.arrival.rawValue) }
        json.add("tls_resume", description.resumesTLS)
        if let streams = description.streams { json.add("streams_per_connection", streams) }
    }

    private func addSeconds(to json: inout JSONWriter, hasHistograms: Bool) {
        let histograms = hasHistograms ? BenchSecond.compactHistograms(of: seconds) : []
        json.beginArray("per_second")
        for (number, second) in seconds.enumerated() {
            let latencies = measuredLatencies(of: second)
            json.beginElement()
            json.add("second", number)
            json.add("received", second.received)
            Self.add("p99_us", latencies?.p99, to: &json)
            json.add("sent", second.sent)
            Self.add("p50_us", latencies?.p50, to: &json)
            Self.add("max_us", latencies?.maximum, to: &json)
            if hasHistograms { json.add("histogram", histograms[number].base64) }
            json.endObject()
        }
        json.endArray()
    }

    /// Adds the counts of messages, of errors, and of their causes.
    internal static func addCounts(_ tally: LoadTally, to json: inout JSONWriter) {
        add(CountGroup.messages, of: tally, to: &json)
        add(CountGroup.errors, of: tally, to: &json)
        json.beginArray("causes")
        for (cause, count) in tally.causes.sorted {
            json.beginElement()
            cause.add(to: &json)
            json.add("count", count)
            json.endObject()
        }
        json.endArray()
    }

    internal static func add(_ group: CountGroup, of tally: LoadTally, to json: inout JSONWriter) {
        json.beginObject(group.name)
        addMembers(group, of: tally, to: &json)
        json.endObject()
    }

    private static func addMembers(_ group: CountGroup, of tally: LoadTally, to json: inout JSONWriter) {
        for count in group.counts { json.add(count.name, tally[keyPath: count.path]) }
    }

    /// The latencies of a second, or `nil` if all have been left out.
    private func measuredLatencies(of second: BenchSecond) -> BenchSecond.Latencies? {
        let latencies = second.latencies
        return tally.latencyOmitted > 0 && second.received > 0 && latencies.maximum == 0 ? nil : latencies
    }

    /// Adds a time in nanoseconds, or `null`.
    private static func add(_ name: StaticString, _ time: UInt64?, to json: inout JSONWriter) {
        if let time { json.add(name, Double(time) / 1000, digits: 3) } else { json.addNull(name) }
    }

    private static func add(
        _ name: StaticString, _ histogram: borrowing Histogram, orNullIf isUnknown: Bool, to json: inout JSONWriter
    ) {
        if isUnknown { json.addNull(name) } else { add("\(name)", histogram, to: &json) }
    }

    internal static func add(_ name: String, _ histogram: borrowing Histogram, to json: inout JSONWriter) {
        json.beginObject(named: name)
        json.add("min", Double(histogram.minimum) / 1000, digits: 3)
        json.add("mean", histogram.mean / 1000, digits: 3)
        json.add("stddev", histogram.standardDeviation / 1000, digits: 3)
        for (field, _, percentile) in percentiles {
            json.add(field, Double(histogram.value(atPercentile: percentile)) / 1000, digits: 3)
        }
        json.add("max", Double(histogram.maximum) / 1000, digits: 3)
        json.add("sum", thousandths: histogram.sum)
        json.endObject()
    }
}

extension BenchResults {
    /// A second as a JSON object on one line, with the total counts at its end.
    /// - Parameters:
    ///   - number: The number of the second, from 0.
    ///   - openCount: The number of open connections.
    package func line(ofSecond number: Int, openCount: Int) -> String {
        let second = seconds[number]
        var json = JSONWriter()
        json.add("type", "second")
        json.add("second", number)
        json.add("sent", second.sent)
        json.add("received", second.received)
        if description.mode.metrics.hasLatencies || latencies.totalCount > 0 {
            let latencies = measuredLatencies(of: second)
            Self.add("p50_us", latencies?.p50, to: &json)
            Self.add("p99_us", latencies?.p99, to: &json)
            Self.add("max_us", latencies?.maximum, to: &json)
        }
        json.add("connections", openCount)
        if let stages = description.stages { json.add("stage", stages.number(at: .seconds(number))) }
        Self.addCounts(second.counts ?? tally, to: &json)
        addParts("steps", steps, to: &json, hasHistograms: false)
        json.endObject()
        return json.text.string + "\n"
    }
}

extension Histogram {
    /// The compressed encoding in Base64, which begins with HISTF.
    func base64() -> String {
        let bytes = encoded()
        return Base64.text(of: bytes.span.bytes)
    }
}

extension [UInt8] {
    /// The bytes in Base64.
    internal var base64: String { withUnsafeBytes { Base64.text(of: $0.bytes) } }
}

extension ByteBuffer {
    /// The readable bytes as text.
    var string: String {
        withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }
}
