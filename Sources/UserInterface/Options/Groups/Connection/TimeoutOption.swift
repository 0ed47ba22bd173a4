import CommandLine

extension OptionSpecification {
    /// The option that limits the duration of a run.
    package static func timeout(
        _ path: WritableKeyPath<Arguments, Duration?> & Sendable, manual: MarkedText
    ) -> OptionSpecification {
        OptionSpecification(
            "timeout", value: OptionValue("DURATION"), heading: .ending,
            summary: "End the run after DURATION", manual: manual,
            example: "--timeout 30s", seeAlso: ["connect-timeout", "reply-timeout"], aliases: ["max-time"]
        ) { arguments, value throws(ValueProblem) in
            arguments[keyPath: path] = try DurationValue.parse(value, zeroAllowed: false)
        }
    }
}
