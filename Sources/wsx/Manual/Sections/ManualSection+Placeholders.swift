import CommandLine

extension ManualSection {
    /// The placeholders of messages that are sent automatically, or of all with `--template`, and those of load tests.
    static let placeholders = ManualSection(
        "PLACEHOLDERS",
        blocks: [
            .paragraph(
                """
                These placeholders in `--first-message` and `--answer` are replaced in each message. With `--template`, \
                they are replaced in all text messages, in the URL, and in the request:
                """),
            .definitions(
                definitions + [
                    variable(source: "in the row of `--data`"), json, braces,
                ]),
            .paragraph(
                """
                With `--template`, `{{last:`*PATH*`}}` in a typed or piped line, or in `--heartbeat-message`, inserts a \
                value of the last received message, and `{{seq}}` numbers all these messages. The URL and the request \
                cannot contain either. The placeholders of a message are replaced when it is sent: a request when it is \
                its turn, and a line that waits for a connection or a subscription when it is read. In the URL, \
                placeholders are possible in the path and the query, and before them only `{{env:`*NAME*`}}`; values are \
                percent-encoded. In messages of `--define`, unknown placeholders are parameters, to which `/call` gives \
                values.
                """),
            .heading("wsx bench"),
        ] + BenchManual.placeholders)

    /// The placeholder of a variable.
    /// - Parameter source: The place that has its value.
    static func variable(source: String) -> (MarkedText, MarkedText) {
        ("`{{`*NAME*`}}`", MarkedText("The value in the column *NAME* \(source)."))
    }

    /// The form of placeholders that inserts JSON.
    static let json: (MarkedText, MarkedText) = (
        "`{{json:`*NAME*`}}`",
        """
        Any of these as a JSON value: text becomes a JSON string with quotes and escapes, for example \
        `{"token":{{json:env:TOKEN}}}`.
        """
    )

    static let braces: (MarkedText, MarkedText) = (
        "`{{{{`", "Two literal braces. Regular expressions have no placeholders; in them, write `\\{\\{`."
    )

    private static let definitions: [(MarkedText, MarkedText)] = [
        (
            "`{{seq}}`",
            "The sequence number of the message among those sent automatically on its connection, from 1."
        ),
        ("`{{connection}}`", "The number of the connection or, in `wsx listen`, of the client, from 1."),
        ("`{{time}}`", "The current time in milliseconds since 1970 (UTC)."),
        ("`{{iso}}`", "The current time in RFC 3339, such as `2026-05-01T12:00:00.123Z`."),
        (
            "`{{uuid}}`",
            "A random UUID (version 4). A column named `uuid` or `iso` takes precedence."
        ),
        ("`{{random `*N*`}}`", "*N* random letters, digits, `-`, and `_`."),
        ("`{{env:`*NAME*`}}`", "The environment variable *NAME*. It must be set when `wsx` starts."),
        (
            "`{{last:`*PATH*`}}`",
            """
            In `--answer`, the value at *PATH* in the answered message, which must be JSON: a JSON Pointer \
            (`/user/id`) or a dotted path (`.user.id`). Without *PATH*, the whole message.
            """
        ),
    ]
}
