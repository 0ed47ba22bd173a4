import CommandLine
import UserInterface

/// The options for the pace of the input, and for what is around it.
package struct InputArguments: Equatable, Sendable {
    /// The time between messages of the input, above 0; nil: they are sent as they are read.
    package var interval: Duration?

    static let options: [OptionSpecification<InputArguments>] = [
        OptionSpecification(
            "every", value: OptionValue("DURATION"), about: [.messages, .inputPace], conflicts: ["input=json"],
            heading: .messages, summary: "Send one message of stdin every DURATION",
            manual: """
                Send the first message of standard input at once, and then one every *DURATION*, for instance audio as \
                fast as it is spoken. Input that arrives late, or a lost connection, restarts the schedule, so what was \
                missed is not sent in a burst. Events have times of their own; see `--replay-speed`.
                """,
            example: "--input chunks:3200 --every 100ms", seeAlso: ["input"]
        ) { arguments, value throws(ValueProblem) in
            arguments.interval = try DurationValue.parse(value, zeroAllowed: false)
        }
    ]
}

extension InputArguments {
    /// Checks that there is input for the options.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func check(_ source: ConnectSettings.Source) throws(Failure) {
        guard interval == nil || source.isPipe else {
            throw .badArgument(what: "--every", why: Self.noPipe(source))
        }
    }

    /// Why there is no pipe to read.
    private static func noPipe(_ source: ConnectSettings.Source) -> String {
        if case .none = source {
            return "standard input is not read; omit MESSAGE and --no-stdin, or add --interactive"
        }
        return "standard input is a terminal; use a pipe or a file: < FILE"
    }
}
