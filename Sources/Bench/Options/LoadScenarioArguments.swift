import CommandLine
import LoadTest
import UserInterface

extension ScenarioArguments {
    /// The options of a load test.
    static let loadOptions: [OptionSpecification<ScenarioArguments>] = [
        OptionSpecification(
            "scenario", value: OptionValue("FILE", .file), conflicts: .values(of: "mode") { $0 != BenchMode.scenario },
            heading: .scenario, summary: "Play FILE on each connection, repeatedly",
            manual: """
                Play the steps of *FILE* on each connection, again and again, as with `--mode scenario`. Every \
                recording is a scenario. `-` is standard input. See SCENARIOS.
                """,
            example: "--scenario session.jsonl --threshold 'query.p99<50ms'", seeAlso: ["mode", "ignore", "threshold"]
        ) { arguments, value in arguments.path = value },
        ignore,
    ]
}
