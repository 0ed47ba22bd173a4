import Formats

extension Timeline {
    /// Reads a timeline.
    internal init(_ json: ResultMembers) throws(BenchResultsError) {
        openCounts = json.has("connections") ? try json.counts("connections") : nil
        opening = try json.seconds("opening")
        handshakes = try json.seconds("handshakes")
        for element in try json.array("errors") {
            guard case .object(let members) = element else { throw .badMember(json.path("errors")) }
            let series = ResultMembers(members, within: json.path("errors."))
            let fault: Fault
            if let cause = try ErrorCause(series) {
                fault = .cause(cause)
            } else {
                fault = .count(try series.string("kind"))
            }
            for pair in try series.array("seconds") {
                guard case .array(let numbers) = pair, numbers.count == 2,
                    let second = ResultMembers.integer(numbers[0], in: Self.before...ResultMembers.largestCount),
                    let count = ResultMembers.integer(numbers[1], in: 0...ResultMembers.largestCount)
                else { throw .badMember(series.path("seconds")) }
                errors[fault, default: [:]][second] = try (errors[fault]?[second] ?? 0).adding(checking: count)
            }
        }
    }
}

extension ErrorCause {
    /// Reads a cause, or returns `nil` if the object is of another kind.
    internal init?(_ json: ResultMembers) throws(BenchResultsError) {
        guard let kind = Kind(rawValue: try json.string("kind")) else { return nil }
        self.init(kind, try json.integer("code"), try json.string("name"))
    }
}

extension ResultMembers {
    /// An array of nonnegative integers.
    fileprivate func counts(_ name: String) throws(BenchResultsError) -> [Int] {
        var counts: [Int] = []
        for element in try array(name) {
            guard let count = Self.integer(element, in: 0...Self.largestCount) else { throw .badMember(path(name)) }
            counts.append(count)
        }
        return counts
    }

    /// The percentiles of seconds.
    internal func seconds(_ name: String) throws(BenchResultsError) -> [PartResults.Second] {
        var seconds: [PartResults.Second] = []
        for element in try array(name) {
            guard case .object(let members) = element else { throw .badMember(path(name)) }
            let second = ResultMembers(members, within: path("\(name)."))
            let number = try second.count("second")
            let count = try second.count("received")
            guard number > seconds.last?.number ?? -1 else { throw .badMember(second.path("second")) }
            guard count > 0 else { throw .badMember(second.path("received")) }
            seconds.append(
                PartResults.Second(
                    number: number, count: count, p50: UInt64(clamping: try second.nanoseconds("p50_us")),
                    p99: UInt64(clamping: try second.nanoseconds("p99_us"))))
        }
        return seconds
    }
}
