import CommandLine

extension ManualSection {
    /// The format of scenarios.
    static let scenarios = ManualSection(
        "SCENARIOS",
        .paragraph(
            """
            A scenario is a file with one JSON object per line, in the format of RECORDINGS. Each line is a step: \
            `"direction":"out"` sends, and `"direction":"in"` waits. A recorded session is therefore a test. Steps \
            wait up to 10 seconds, or for their `timeout`.
            """),
        .listing([
            #"{"type":"message","direction":"out","data":"{\"token\":\"{{env:TOKEN}}\"}"}"#,
            #"{"type":"message","direction":"in","match":{"/type":"ready"},"set":{"sid":"/session"},"name":"login"}"#,
            #"{"type":"pause","for":"1s-3s"}"#,
            #"{"type":"message","direction":"out","data":"{\"sid\":\"{{sid}}\",\"id\":{{seq}}}"}"#,
            #"{"type":"message","direction":"in","match":{"/id":"{{seq}}"},"timeout":"2s"}"#,
        ]),
        .definitions([
            (
                "`message`",
                """
                Outgoing: `data` is the text, with PLACEHOLDERS, or `base64` the bytes of a binary message. Incoming: \
                `match` is a regular expression or an object that maps JSON Pointers to values. Without it, the \
                message must equal `data` or `base64`; JSON is compared by value. Other messages are skipped, or fail \
                the step with `"strict":true`. `set` maps names of variables to JSON Pointers; later steps insert the \
                values as `{{`*name*`}}`.
                """
            ),
            ("`ping`, `pong`", "Outgoing: sends the frame with `data`. Incoming: waits for one."),
            (
                "`close`",
                """
                Outgoing: closes the connection with `code` and `reason`. Incoming: waits until the peer closes it, \
                with `code` if given.
                """
            ),
            ("`pause`", "Waits for the duration in `for`, or a random one in a range such as `1s-3s`."),
            ("`repeat`", "Marks the first step that a load test repeats. `wsx connect` ignores it."),
            ("`recording`, `open`, `listening`, `error`", "Ignored."),
        ]),
        .paragraph(
            """
            In a step, `name` appears in reports. Of a recording made by `wsx listen`, only the first client's \
            messages are played. In `data`, write `{{{{` for two literal braces.
            """))
}
