import CommandLine

extension BenchManual {
    /// The scenarios of `wsx bench`.
    static let scenarios: [ManualBlock] =
        [
            .paragraph(
                """
                A scenario is a file with one JSON object per line, in the format of `wsx connect --record`. Each line \
                is a step: `"direction":"out"` sends, and `"direction":"in"` waits. A recorded session is therefore a \
                load test. Steps wait up to `--reply-timeout`, or for their `timeout`.
                """),
            .listing([
                "wsx connect --record session.jsonl wss://chat.example/room",
                "wsx bench --scenario session.jsonl --ignore /time -c 100 wss://chat.example/room",
            ]),
        ] + [
            .paragraph(
                """
                The steps before `repeat`, such as a login, are played once on each connection. The load begins when \
                they have passed on all connections; the results report how long they take. The other steps form an \
                iteration. Without `repeat`, all steps do. `--messages` and `--rate` count iterations, and latencies \
                are durations of iterations. After `--duration`, iterations may end within `--reply-timeout`, but \
                pauses are not waited for.
                """),
            .paragraph(
                """
                A step that fails ends its iteration and closes the connection. During the load, a new connection \
                with the same number takes its place, after 1 second if the steps before `repeat` have not passed. \
                The same applies if a step closes the connection: each iteration then has its own. A connection whose \
                login fails before the load begins is not replaced; the test continues with the others. The first \
                failure of each step is reported on standard error. Steps before `repeat` that are interrupted by the \
                end of the run are not counted.
                """),
            .paragraph(
                """
                The results list each step that has a name or faults, as `line `*N* if it has no name. Steps with the \
                same name are added up. With `--rate`, the first step that waits counts from the time at which its \
                iteration was due. The other durations are service times, from the beginning of the step.
                """),
            .definitions([
                ("passed", "The expected message arrived. Only these steps of named ones have durations."),
                (
                    "wrong",
                    """
                    A message did not satisfy `expect`, `strict`, or `set`, or a value to send was missing. The \
                    iteration counts as mismatched.
                    """
                ),
                ("timed out", "The expected message did not arrive in time. The iteration counts as lost."),
                ("closed", "The connection ended, or the run did. The iteration counts as lost."),
            ]),
            .paragraph(
                """
                A message that matches `match` but not `expect` is wrong, and any other message is skipped and counted \
                in `pushes`. Use both to tell a wrong reply from an unrelated message. `--answer` answers messages \
                before the steps see them.
                """),
        ]
}
