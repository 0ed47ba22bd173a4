import CommandLine
import LoadTest
import UserInterface

extension ScenarioArguments {
    /// The options of a load test.
    static let loadOptions: [OptionSpecification<ScenarioArguments>] = [
        OptionSpecification(
            "scenario", value: OptionValue("FILE[:WEIGHT]", .file), repetition: .adds,
            conflicts: .values(of: "mode") { $0 != BenchMode.scenario },
            heading: .scenario, summary: "Play FILE on each connection, repeatedly",
            manual: """
                Play the steps of *FILE* on each connection, again and again, as with `--mode scenario`. Every \
                recording is a scenario. `-` is standard input. If the option is repeated, each connection plays one of \
                the scenarios; *WEIGHT* determines its share of the connections. See SCENARIOS.
                """,
            example: "--scenario session.jsonl --threshold 'query.p99<50ms'", seeAlso: ["mode", "ignore", "threshold"]
        ) { arguments, value in arguments.loadFiles.append(value) },
        ignore,
    ]
}
