import CommandLine
import Formats
import LoadTest
import UserInterface

extension LoadArguments {
    /// The options for the replies of a load test with requests.
    static let replyOptions: [OptionSpecification<LoadArguments>] = [
        OptionSpecification(
            "correlate", value: OptionValue("FIELD"), about: .matching,
            requires: .modes(with: .correlate), heading: .requests,
            summary: "Match replies to requests by a JSON field",
            manual: """
                Match each reply to the request with the same value in *FIELD*, instead of the oldest one. Every request \
                needs a value, which must be unique on its connection if several requests are in flight.
                """,
            CorrelationValue.manual,
            example: #"--mode request --correlate id --message '{"id":{{seq}},"op":"list"}'"#,
            seeAlso: ["mode", "expect", "message"]
        ) { arguments, value throws(ValueProblem) in
            arguments.replies.correlation = try CorrelationValue.parse(value)
        },
        OptionSpecification(
            "expect", value: OptionValue("REGEX"), repetition: .adds, requires: .modes(with: .expect),
            heading: .requests, summary: "Require replies to match REGEX",
            manual: """
                Count replies that do not match *REGEX* as `mismatched`, which leads to status 7. If the option is \
                repeated, each reply has to match every *REGEX*. The syntax is Perl's (PCRE2).
                """,
            MessageConditionValue.manual,
            example: "--mode request --message list --expect '\"ok\":true'", seeAlso: ["mode", "correlate"]
        ) { arguments, value throws(ValueProblem) in
            arguments.replies.expectations.append(try MessageConditionValue.parse(value))
        },
        OptionSpecification(
            "reply-end", value: OptionValue("REGEX"), requires: .modes(with: .replyEnd), heading: .requests,
            summary: "Measure replies of several messages",
            manual: """
                A reply consists of all messages up to and including the first that matches *REGEX*, or `json:` as with \
                `--expect`. The latency is the time to the last message, which `--reply-timeout` limits and `--expect` \
                checks; for other times, see `stream` in JSON RESULTS. All messages belong to the oldest request or, \
                with `--correlate`, to the one with their value. With `--protocol`, events without a key belong to the \
                oldest request, *REGEX* searches the line of an event, and an error ends the reply.
                """,
            example: #"--mode request --message '{"prompt":"hi"}' --reply-end 'json:.type=="done"'"#
        ) { arguments, value throws(ValueProblem) in
            arguments.replies.end = try MessageConditionValue.parse(value)
        },
        OptionSpecification(
            "latency-from", value: OptionValue("PATH"), requires: .modes(with: .latencyFrom), heading: .requests,
            summary: "Measure the age of messages",
            manual: """
                The latency of a message is the time since the one at *PATH*, such as `/ts`, at which it was sent, in \
                any unit from seconds to nanoseconds since 1970, or as in `2026-05-01T12:00:00.5Z`. The difference of \
                the clocks is part of each latency. Messages that seem to arrive before they were sent, or have no time \
                within a day, have no latency; see `clock` in JSON RESULTS.
                """,
            example: "--mode receive --latency-from /ts -m '{\"op\":\"subscribe\"}'"
        ) { arguments, value throws(ValueProblem) in
            arguments.publishedTime = try PathValue.parse(value)
        },
    ]
}
