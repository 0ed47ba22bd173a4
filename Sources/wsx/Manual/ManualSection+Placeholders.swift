import CommandLine

extension ManualSection {
    /// The placeholders of messages that are sent automatically.
    static let placeholders = ManualSection(
        "PLACEHOLDERS",
        .paragraph("These placeholders in `--first-message` and `--answer` are replaced in each message:"),
        .definitions([
            (
                "`{{seq}}`",
                "The sequence number of the message among those sent automatically on its connection, from 1."
            ),
            ("`{{connection}}`", "The number of the connection or, in `wsx listen`, of the client, from 1."),
            ("`{{time}}`", "The current time in milliseconds since 1970 (UTC)."),
            ("`{{random `*N*`}}`", "*N* random letters, digits, `-`, and `_`."),
            ("`{{env:`*NAME*`}}`", "The environment variable *NAME*. It must be set when `wsx` starts."),
            (
                "`{{last:`*PATH*`}}`",
                """
                In `--answer`, the value at *PATH* in the answered message, which must be JSON: a JSON Pointer \
                (`/user/id`) or a dotted path (`.user.id`).
                """
            ),
            (
                "`{{json:`*NAME*`}}`",
                """
                Any of these as a JSON value: text becomes a JSON string with quotes and escapes, for example \
                `{"token":{{json:env:TOKEN}}}`.
                """
            ),
            ("`{{{{`", "Two literal braces."),
        ]))
}
