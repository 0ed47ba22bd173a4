import Formats
import WSCore

extension RateSearchReport {
    /// Adds the search to the JSON object of results.
    internal func add(to json: inout JSONWriter) {
        json.beginObject("rate_search")
        json.add("expressions", goals.map(\.expression))
        json.add("rate", orNull: search.best)
        json.add("spread_low", orNull: search.spread?.lowerBound)
        json.add("spread_high", orNull: search.spread?.upperBound)
        if let limit { json.add("limit", limit.rawValue) } else { json.addNull("limit") }
        json.add("complete", search.isComplete)
        json.beginArray("steps")
        for step in steps { step.add(to: &json) }
        json.endArray()
        json.endObject()
    }
}

extension RateStep {
    fileprivate func add(to json: inout JSONWriter) {
        json.beginElement()
        json.add("rate_asked", rate)
        json.add("rate_per_second", achieved, digits: 1)
        json.add("outcome", word)
        json.add("reasons", reasons)
        if let limit { json.add("limit", limit.rawValue) } else { json.addNull("limit") }
        json.add("backlog", backlog)
        BenchResults.add(CountGroup.messages, of: tally, to: &json)
        json.add("waited", tally.waited)
        json.add("errors", tally.errors.total)
        BenchResults.add("latency_us", latencies.readable(), to: &json)
        BenchResults.add("delay_us", delays.readable(), to: &json)
        BenchResults.add("lag_us", lags.readable(), to: &json)
        json.add("load_cpu_s", processorTimes.load / .seconds(1), digits: 6)
        json.add("busiest_cpu_s", processorTimes.busiest / .seconds(1), digits: 6)
        json.add("run_queue_s", processorTimes.waited / .seconds(1), digits: 6)
        json.endObject()
    }
}
