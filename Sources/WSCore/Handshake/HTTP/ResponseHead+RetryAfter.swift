extension ResponseHead {
    /// How long the server asks clients to wait before the next request: the value of Retry-After, or `nil` if there is
    /// none or it is invalid. A time in the past is no wait.
    ///
    /// RFC 9110 §10.2.3: `Retry-After = HTTP-date / delay-seconds`, and `delay-seconds = 1*DIGIT`.
    /// - Parameter now: The current time in seconds since 1970-01-01 00:00 UTC, rounded down, so that the wait is never
    ///   too short.
    package func retryDelay(at now: Int) -> Duration? {
        guard let value = fields.first(named: "Retry-After"), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy(ASCII.isDigit) { return .seconds(Int32(value) ?? .max) }
        return HTTPDate.seconds(parsing: value, now: now).map { .seconds(max(0, $0 - now)) }
    }
}
