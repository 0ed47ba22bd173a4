import Formats

extension Timeline {
    /// The number of causes with counts of their own, the most frequent ones. The others are added up as `other`, so
    /// that results of a long run stay small.
    private static let mostCauses = 8

    /// Adds the timeline to an object as a member.
    func add(to json: inout JSONWriter) {
        json.beginObject("timeline")
        if let openCounts { json.add("connections", integers: openCounts) }
        Self.add("opening", opening, to: &json)
        Self.add("handshakes", handshakes, to: &json)
        json.beginArray("errors")
        for (fault, counts) in shownErrors {
            json.beginElement()
            switch fault {
            case .cause(let cause): cause.add(to: &json)
            case .count(let name): json.add("kind", name)
            }
            json.beginArray("seconds")
            for (second, count) in counts.sorted(by: { $0.key < $1.key }) {
                json.addElement(integers: [second, count])
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// The errors in their order in JSON, the most frequent first.
    private var shownErrors: [(fault: Fault, counts: [Int: Int])] {
        var sums: [(fault: Fault, counts: [Int: Int], sum: UInt128)] = []
        for (fault, counts) in errors where fault != Fault.other {
            var sum: UInt128 = 0
            for count in counts.values { sum += UInt128(count) }
            sums.append((fault, counts, sum))
        }
        let sorted = sums.sorted { one, other in
            one.sum == other.sum ? one.fault.sortKey < other.fault.sortKey : one.sum > other.sum
        }
        var shown: [(fault: Fault, counts: [Int: Int])] = []
        for entry in sorted.prefix(Self.mostCauses) { shown.append((entry.fault, entry.counts)) }
        var others = errors[Fault.other] ?? [:]
        for rest in sorted.dropFirst(Self.mostCauses) {
            others.merge(rest.counts) { Int(clamping: UInt128($0) + UInt128($1)) }
        }
        if !others.isEmpty { shown.append((Fault.other, others)) }
        return shown
    }

    /// Adds the percentiles of seconds as an array.
    static func add(_ name: StaticString, _ seconds: [PartResults.Second], to json: inout JSONWriter) {
        json.beginArray(name)
        for second in seconds {
            json.beginElement()
            json.add("second", second.number)
            json.add("received", second.count)
            json.add("p50_us", second.p50 / 1000, digits: 3)
            json.add("p99_us", second.p99 / 1000, digits: 3)
            json.endObject()
        }
        json.endArray()
    }
}

extension Timeline.Fault {
    /// The causes of the least frequent errors.
    fileprivate static let other = Timeline.Fault.count("other")

    fileprivate var sortKey: (String, Int, String) {
        switch self {
        case .cause(let cause): (cause.kind.rawValue, cause.code, cause.name)
        case .count(let name): (name, 0, "")
        }
    }
}

extension ErrorCause {
    /// Adds the cause to an object as members.
    func add(to json: inout JSONWriter) {
        json.add("kind", kind.rawValue)
        json.add("code", code)
        json.add("name", name)
    }
}
