import CommandLine
import Formats

/// The options for scenarios.
package struct ScenarioArguments: Equatable, Sendable {
    /// The path of the scenario; nil: none.
    package var path: String?
    /// The files of a load test, as typed: with or without a weight. Then ``path`` is nil.
    package var loadFiles: [String] = []
    /// The connection of a recording to play, from 1; nil: the first.
    package var connection: Int?
    /// The file for the results in the JUnit format.
    package var junitPath: String?
    /// JSON Pointers to values of recorded messages that may differ.
    package var ignoredPointers: [String] = []

    package init() {}

    /// The options of a client.
    package static let options: [OptionSpecification<ScenarioArguments>] = [
        OptionSpecification(
            "scenario", value: OptionValue("FILE", .file), conflicts: ["input", "hide", "drop", "exec", "heartbeat"],
            excludes: [.messages, .stdin, .ending, .requests, .exchange], heading: .scenario,
            summary: "Play FILE and check the replies",
            manual: """
                Play the steps of *FILE* on one connection: send its messages, and wait for the expected ones. Every \
                recording and HAR file is a scenario. `-` is standard input. The first step that fails ends the run \
                with status 7. See SCENARIOS.
                """,
            example: "--scenario login.jsonl --timeout 30s", seeAlso: ["junit", "ignore", "record"]
        ) { arguments, value in arguments.path = value },
        OptionSpecification(
            "junit", value: OptionValue("FILE", .file), requires: ["scenario"], heading: .scenario,
            summary: "Write the results as JUnit XML to FILE",
            manual: """
                Write the results of `--scenario` to *FILE* in the JUnit XML format, with a test case for each \
                step. An existing file is overwritten; a new file is readable only by you.
                """,
            example: "--scenario login.jsonl --junit results.xml", seeAlso: ["scenario"]
        ) { arguments, value in arguments.junitPath = value },
        connectionOption,
        ignore,
    ]

    /// The option for a recording with several connections.
    package static let connectionOption =
        OptionSpecification<ScenarioArguments>(
            "connection", value: OptionValue("N"), requires: ["scenario"], heading: .scenario,
            summary: "Play connection N of a recording",
            manual: """
                Play connection *N* of a recording: that of client *N* if `wsx listen` or `wsx relay` made it, and \
                otherwise the *N*th, counted from 1. The default is the first one. Of a HAR file with several \
                connections, one has to be chosen.
                """,
            example: "--scenario sessions.jsonl --connection 3", seeAlso: ["scenario", "record"]
        ) { arguments, value throws(ValueProblem) in arguments.connection = try CountValue.parse(value) }

    /// The option for values that may differ.
    package static let ignore =
        OptionSpecification<ScenarioArguments>(
            "ignore", value: OptionValue("POINTERS"), repetition: .adds, requires: ["scenario"], heading: .scenario,
            summary: "Values that may differ: /time,/id",
            manual: """
                Ignore the values at these JSON Pointers (RFC 6901) when received messages are compared with \
                recorded ones. Separate several pointers with commas.
                """,
            example: "--scenario session.jsonl --ignore /time,/id", seeAlso: ["scenario"]
        ) { arguments, value throws(ValueProblem) in
            for pointer in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard pointer.utf8.first == UInt8(ascii: "/") else { throw .notAPointer }
                do throws(JSONQueryError) {
                    arguments.ignoredPointers.append(try JSONPath(String(pointer)).source)
                } catch {
                    throw .notAPath(error)
                }
            }
        }
}
