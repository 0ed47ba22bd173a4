import Formats
import WSCore

extension BenchResults {
    private static let longestSeconds = 1e9

    /// Parses the output of ``json(_:)``.
    package convenience init(json bytes: RawSpan) throws(BenchResultsError) {
        guard String(validating: bytes.withUnsafeBytes { Array($0) }, as: UTF8.self) != nil else { throw .notText }
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONValue(parsing: bytes)
        } catch {
            throw .notJSON(error)
        }
        try self.init(root)
    }

    private convenience init(_ root: JSONValue) throws(BenchResultsError) {
        guard case .object(let members) = root, members["mode"] != nil else { throw .notResults }
        let json = ResultMembers(members, within: "")
        guard case .number(let version)? = members["version"] else { throw .notResults }
        guard version == "\(Self.version)" else { throw .otherVersion(version, expected: Self.version) }
        var description = try BenchDescription(json)
        description.notes = try RunNotes(json)
        var tally = LoadTally()
        for group in CountGroup.all { try Self.read(group, from: json, to: &tally) }
        if json.has("causes") { try Self.readCauses(json.array("causes"), to: &tally) }
        var seconds: [BenchSecond] = []
        for (number, element) in try json.array("per_second").enumerated() {
            guard case .object(let members) = element else { throw .badMember("per_second") }
            let json = ResultMembers(members, within: "per_second.")
            seconds.append(try Self.second(json, number, hasLatencies: description.mode.metrics.hasLatencies))
        }
        try Self.checkSum(of: seconds)
        let duration = try json.duration("duration_s", longestSeconds: Self.longestSeconds)
        let processorTimes = ProcessorTimes(
            process: try json.duration("cpu_s", longestSeconds: Self.longestSeconds),
            load: try json.duration("load_cpu_s", longestSeconds: Self.longestSeconds),
            busiest: try json.duration("busiest_cpu_s", longestSeconds: Self.longestSeconds),
            waited: json.has("run_queue_s")
                ? try json.duration("run_queue_s", longestSeconds: Self.longestSeconds) : .zero)
        guard let start = EventTime.parse(try json.string("start_time")) else { throw .badMember("start_time") }
        let (startSeconds, attoseconds) = start.components
        let latencies = try Self.histogram(json, "histogram", "latency_us")
        let latencyCount = Int(clamping: latencies.totalCount)
        let expectedCount = tally.received - tally.latencyOmitted
        guard !description.mode.metrics.hasLatencies || latencyCount == expectedCount else {
            throw .otherCount(latencyCount, received: expectedCount)
        }
        let isSum = tally.sent == tally.received + tally.lost + tally.mismatched + tally.interrupted
        guard isSum || !description.mode.metrics.accountsForAllSent else { throw .badMember("messages.sent") }
        let times = try Self.times(json)
        let result = json.has("result") ? try json.object("result") : nil
        // Earlier versions wrote no verdict.
        let verdict = if let result, result.has("verdict") { try result.string("verdict") } else { "" }
        let isInconclusive = verdict == "inconclusive"
        let reasons = try result?.strings("reasons") ?? []
        let findings = Findings(
            reasons: isInconclusive ? [] : reasons, doubts: isInconclusive ? reasons : [],
            remarks: json.has("warnings") ? try json.strings("warnings").map { escapingControls($0) } : [],
            isOfSearch: json.has("rate_search"))
        let stages = try Self.stages(json, &description.stages)
        var timeline = Timeline()
        timeline.openCounts = nil
        if json.has("timeline") { timeline = try Timeline(json.object("timeline")) }
        self.init(
            description: description, tally: tally, latencies: latencies, times: times,
            stream: try Self.stream(json), publishedClock: try Self.clock(json), steps: try Self.parts(json, "steps"),
            stages: stages, timeline: timeline, seconds: seconds,
            duration: duration,
            processorTimes: processorTimes,
            startTime: WallTime(seconds: Int(startSeconds), microseconds: Int(attoseconds / 1_000_000_000_000)),
            findings: findings)
    }

    private static func read(
        _ group: CountGroup, from json: ResultMembers, to tally: inout LoadTally
    ) throws(BenchResultsError) {
        var name = "\(group.name)"
        if group.isLater, !json.has(name) {
            guard name == "\(CountGroup.loadBytes.name)" else { return }
            name = "\(CountGroup.bytes.name)"
        }
        let members = name.isEmpty ? json : try json.object(name)
        for count in group.counts where !count.isLater || members.has("\(count.name)") {
            tally[keyPath: count.path] = try members.count("\(count.name)")
        }
    }

    private static func times(_ json: ResultMembers) throws(BenchResultsError) -> TimeHistograms {
        var times = TimeHistograms()
        for measure in TimeMeasure.allCases {
            switch measure.declaration.place {
            case .optionalMembers where !json.has(measure.summaryName), .stream: continue
            case .members, .optionalMembers:
                times[measure] = try histogram(json, measure.histogramName, measure.summaryName)
            case .phases:
                var histogram = try histogram(json.object("handshake_phase_histograms"), measure.name)
                try refine(&histogram, json.object("handshake_phases_us"), measure.name)
                times[measure] = histogram
            }
        }
        return times
    }

    private static func readCauses(_ elements: [JSONValue], to tally: inout LoadTally) throws(BenchResultsError) {
        for element in elements {
            guard case .object(let members) = element else { throw .badMember("causes") }
            let json = ResultMembers(members, within: "causes.")
            guard let cause = try ErrorCause(json) else { throw .badMember("causes.kind") }
            tally.causes.add(cause, count: try json.count("count"))
        }
    }

    /// Reads the results of stages, and the stages themselves.
    private static func stages(
        _ json: ResultMembers, _ plan: inout StagePlan?
    ) throws(BenchResultsError) -> [PartResults] {
        try parts(json, "stages") { (json) throws(BenchResultsError) in
            let quantity = json.has(StagePlan.Quantity.rate.rawValue) ? StagePlan.Quantity.rate : .connections
            let stage = LoadStages.Stage(
                target: try json.count(quantity.rawValue),
                duration: try json.duration("duration_s", longestSeconds: longestSeconds))
            guard plan?.quantity ?? quantity == quantity else { throw .badMember("stages") }
            plan = StagePlan(quantity: quantity, stages: (plan?.stages ?? []) + [stage])
        }
    }

    /// Reads the results of parts, or none if the member is missing.
    /// - Parameter body: Reads other members of each part.
    private static func parts(
        _ json: ResultMembers, _ name: String, _ body: (ResultMembers) throws(BenchResultsError) -> Void = { _ in }
    ) throws(BenchResultsError) -> [PartResults] {
        var parts: [PartResults] = []
        guard json.has(name) else { return parts }
        for element in try json.array(name) {
            guard case .object(let members) = element else { throw .badMember(name) }
            let json = ResultMembers(members, within: "\(name).")
            try body(json)
            var part = PartResults(name: try json.string("name"))
            for (name, count) in PartResults.counts {
                part[keyPath: count] = try json.count("\(name)")
            }
            if json.has("histogram") {
                part.latencies = StoredHistogram(try histogram(json, "histogram", "latency_us"))
            }
            for measure in [TimeMeasure.delay, .lag] where json.has(measure.histogramName) {
                part.ownDelays[measure] = StoredHistogram(
                    try histogram(json, measure.histogramName, measure.summaryName))
            }
            if json.has("per_second") { part.seconds = try json.seconds("per_second") }
            part.stream = try stream(json)
            // Equal names would be added up when results are merged.
            guard !parts.contains(where: { $0.name == part.name }) else { throw .badMember("\(name).name") }
            parts.append(part)
        }
        return parts
    }

    private static func second(
        _ json: ResultMembers, _ number: Int, hasLatencies: Bool
    ) throws(BenchResultsError) -> BenchSecond {
        guard try json.count("second") == number else { throw .badMember("per_second.second") }
        let received = try json.count("received")
        var latencies = try histogram(json, "histogram")
        guard !hasLatencies || Int(clamping: latencies.totalCount) <= received else {
            throw .badMember("per_second.received")
        }
        // They are null if all latencies have been left out.
        func time(_ name: String) throws(BenchResultsError) -> UInt64 {
            json.isNull(name) ? 0 : UInt64(clamping: try json.nanoseconds(name))
        }
        let maximum = try time("max_us")
        guard latencies.refine(maximum: maximum) else { throw .badMember("per_second.max_us") }
        let given = BenchSecond.Latencies(
            p50: try time("p50_us"), p99: try time("p99_us"), maximum: maximum)
        return BenchSecond(
            sent: try json.count("sent"), received: received,
            histogram: try histogramBytes(json, "histogram"), maximum: maximum,
            exactLatencies: given)
    }

    private static func clock(_ json: ResultMembers) throws(BenchResultsError) -> PublishedClock? {
        guard json.has("clock") else { return nil }
        let clock = try json.object("clock")
        return PublishedClock(
            negativeCount: try clock.count("negative"),
            mostNegative: UInt64(clamping: try clock.nanoseconds("most_negative_us")),
            withoutTimeCount: try clock.count("no_time"))
    }

    /// Reads the times of replies that consist of several messages, or `nil` if there are none.
    private static func stream(_ json: ResultMembers) throws(BenchResultsError) -> StreamResults? {
        guard json.has("stream") else { return nil }
        let stream = try json.object("stream")
        var counts = try histogram(stream, "messages_histogram")
        let summary = try stream.object("messages")
        let isPlausible = counts.refine(
            minimum: UInt64(try summary.count("min")),
            maximum: UInt64(try summary.count("max")),
            sum: UInt128(try summary.count("sum")))
        guard isPlausible else { throw .badMember("stream.messages") }
        return StreamResults(
            firsts: StoredHistogram(try histogram(stream, "first_histogram", "first_us")),
            gaps: StoredHistogram(try histogram(stream, "gap_histogram", "gap_us")), counts: StoredHistogram(counts))
    }

    /// Reads a histogram and the exact values of its summary.
    private static func histogram(
        _ json: ResultMembers, _ name: String, _ summary: String
    ) throws(BenchResultsError) -> Histogram {
        var histogram = try histogram(json, name)
        try refine(&histogram, json, summary)
        return histogram
    }

    /// Adds the exact values of a summary to a histogram. Earlier versions wrote no sum, and approximate values for
    /// minimum and maximum.
    private static func refine(
        _ histogram: inout Histogram, _ json: ResultMembers, _ name: String
    ) throws(BenchResultsError) {
        if histogram.totalCount == 0, json.isNull(name) { return }
        let summary = try json.object(name)
        let isPlausible = histogram.refine(
            minimum: UInt64(clamping: try summary.nanoseconds("min")),
            maximum: UInt64(clamping: try summary.nanoseconds("max")),
            sum: summary.has("sum") ? try summary.nanoseconds("sum") : nil)
        guard isPlausible else { throw .badMember(json.path(name)) }
    }

    private static func histogram(_ json: ResultMembers, _ name: String) throws(BenchResultsError) -> Histogram {
        let bytes = try histogramBytes(json, name)
        do throws(HistogramError) {
            return try Histogram(decoding: bytes)
        } catch {
            throw .badHistogram(json.path(name), error)
        }
    }

    private static func histogramBytes(_ json: ResultMembers, _ name: String) throws(BenchResultsError) -> [UInt8] {
        let text = Array(try json.string(name).utf8)
        var decoded = ByteBuffer()
        do throws(EncodedTextError) {
            try Base64.appendDecoded(text.span.bytes, to: &decoded)
        } catch {
            throw .badHistogram(json.path(name), .damaged)
        }
        return decoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}

extension BenchDescription {
    fileprivate init(_ json: ResultMembers) throws(BenchResultsError) {
        guard let mode = BenchMode(rawValue: try json.string("mode")) else { throw .badMember("mode") }
        let arrival = json.has("arrival") ? Arrival(rawValue: try json.string("arrival")) : .constant
        guard let arrival else { throw .badMember("arrival") }
        self.init(
            mode: mode, url: SecretQuery.masking(try json.string("url")),
            connections: try json.count("connections"),
            threads: try json.count("threads"),
            message: try Self.message(json),
            inFlight: json.isNull("in_flight") ? nil : try json.count("in_flight"),
            rateAsked: json.isNull("rate_asked") ? nil : try json.count("rate_asked"),
            arrival: arrival, resumesTLS: try Self.resumesTLS(json),
            streams: json.has("streams_per_connection") ? try json.count("streams_per_connection") : nil)
    }

    /// Earlier versions always resumed sessions.
    private static func resumesTLS(_ json: ResultMembers) throws(BenchResultsError) -> Bool {
        if json.has("tls_resume") { return try json.bool("tls_resume") }
        // Merged results have several URLs.
        return try json.string("url").split(separator: " ").contains { $0.hasPrefix("wss://") }
    }

    private static func message(_ json: ResultMembers) throws(BenchResultsError) -> Message? {
        if json.isNull("message") { return nil }
        let message = try json.object("message")
        let kind: MessageKind
        switch try message.string("kind") {
        case "text": kind = .text
        case "binary": kind = .binary
        default: throw .badMember("message.kind")
        }
        return Message(
            kind: kind, byteCount: message.isNull("bytes") ? nil : try message.count("bytes"))
    }
}

extension RunNotes {
    fileprivate init(_ json: ResultMembers) throws(BenchResultsError) {
        self.init()
        if json.has("title") { title = try json.string("title") }
        labels = try json.pairs("labels")
        environment = try json.pairs("environment")
    }
}
