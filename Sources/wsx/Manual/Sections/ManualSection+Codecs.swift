import CommandLine

extension ManualSection {
    /// Binary formats and their JSON.
    static let codecs = ManualSection(
        "CODECS",
        .paragraph(
            """
            `--decode` turns received binary messages into text, usually JSON. The prompt, standard output, `--until`, \
            `--expect`, `--pick`, `--correlate`, `--answer`, and everything else that inspects messages use this text. \
            Recordings, `--output raw`, `hex`, and `base64`, and `-vv` keep the original bytes. Text messages are \
            never decoded. `--encode` does the opposite for messages to send; binary messages, for instance of \
            `/binary`, are sent unchanged. `wsx listen` has no codecs, and `wsx relay` decodes only what it shows.
            """),
        .paragraph(
            """
            A message that cannot be decoded stays binary. The prompt shows the reason before the message. Elsewhere, \
            standard error reports the first 10. JSON events also have `decode_error`. This includes messages that \
            would exceed `--max-message-size` when decoded; the connection continues, because the message itself has \
            an acceptable size. After such a message, the rest of a zlib stream is lost. A message of the stream that \
            is incomplete at the end of the connection is reported, too.
            """),
        .paragraph(
            """
            Text that `--encode` cannot encode is invalid input, with status 2. Texts of `--first-message` and \
            `--answer` without placeholders are checked before wsx connects. An unencodable line of a program \
            (`--exec`) ends the run with status 1. The prompt reports the line and continues.
            """),
        .paragraph(
            """
            `auto` tries a zlib stream (first message only), gzip and zlib, JSON, MessagePack, and CBOR, in this \
            order. A single number or string is not recognized as MessagePack or CBOR, and `deflate` and `text` are \
            never. Name the codec if you know it.
            """),
        .paragraph(
            """
            Decoded numbers keep all their digits. `--encode` keeps those of integers, and rounds other numbers to \
            64-bit floating point. An object with a single member that begins with `$` stands for a value that JSON \
            lacks, in both directions:
            """),
        .definitions([
            (#"`{"$bytes":"AAEC"}`"#, "Bytes, in Base64. `$text` is the same for a text that is not UTF-8."),
            (#"`{"$float":"NaN"}`"#, "NaN, `Infinity`, or `-Infinity`."),
            (#"`{"$ext":[5,"AAEC"]}`"#, "An extension of MessagePack: its type, and its bytes in Base64."),
            (#"`{"$tag":[0,"2013-03-21"]}`"#, "A tagged value of CBOR: the tag and the value."),
            (#"`{"$undefined":true}`, `{"$simple":99}`"#, "Undefined and other simple values of CBOR."),
            (#"`"$1"`"#, "The key 1, a number. Keys that begin with a dollar sign get a second one."),
        ]),
        .paragraph(
            """
            `exec:`*PROGRAM* passes each message to one program that runs as long as `wsx`. *PROGRAM* is its name or \
            path and its arguments, separated by spaces, without a shell. The program reads each message as a line of \
            Base64, and writes one line of text for it, in the same order. With an additional line, the answers no longer \
            match the messages: `wsx` stops using the program when it notices this. An empty line means that it \
            cannot decode the message. The program must not buffer its output. For example, in Python:
            """),
        .listing([
            #"import base64, sys, mycodec"#,
            #"for line in sys.stdin:"#,
            #"    print(mycodec.to_json(base64.b64decode(line)), flush=True)"#,
        ]),
        .paragraph("Programs that decode one message and exit, such as `protoc`, need a loop around them:"),
        .listing([
            #"#!/bin/sh"#,
            #"while read -r line; do"#,
            #"    printf %s "$line" | base64 -d | protoc --decode=Quote quote.proto | tr '\n' ' '"#,
            #"    echo"#,
            #"done"#,
        ]),
        .paragraph(
            """
            With `--encode`, the program works the other way round: it reads each text message as a line, and writes \
            one line of Base64 for it, which is sent as a binary message. An empty line means that it cannot encode the \
            message, and a line with a space is an empty message. A message with a line break is an error. An answer may \
            depend only on its line: `wsx` asks again when it sends a message again, and once for equal messages in a \
            row.
            """),
        .listing([
            #"for line in sys.stdin:"#,
            #"    print(base64.b64encode(mycodec.from_json(line)).decode(), flush=True)"#,
        ]),
        .paragraph(
            """
            The program's standard error goes to the standard error of `wsx`. Decoded messages wait for the answers to \
            earlier ones; beyond 1 MiB, reading from the peer pauses. If the program exits, or does not answer within \
            `--close-timeout` after the connection has ended, the run ends with status 1. A prompt continues with \
            undecoded messages.
            """),
        .paragraph(
            """
            With `--encode`, `wsx` does nothing else until the program has answered. Messages of the command line are \
            encoded before `wsx` connects. If the program exits, or does not answer within `--close-timeout`, the run \
            ends with status 1; at the prompt, the message is not sent, and the next one starts the program again. \
            Scenarios and `wsx bench` run no programs.
            """))

    /// What `--diff` shows.
    static let changes = ManualSection(
        "CHANGES",
        .paragraph(
            """
            `--diff` and `/diff` show the changes in a JSON message since the previous one of the same kind. At the \
            prompt, only messages that were shown count. With `--protocol`, the default kind is the event's topic and \
            name.
            """),
        .listing([
            #"{"type":"ticker","price":101.5,"bids":[[101,2]],"old":1}"#,
            #"ticker: .price 101.5 → 101.7  +.bids[1] [100,7]  -.old"#,
            #"ticker: no changes"#,
        ]),
        .paragraph(
            """
            A path with an arrow is a changed value, `+` an added one, and `-` a removed one. Paths are those of \
            `--pick`. Values are compared exactly: every digit of a number counts, but 1 and 1.0 are equal. Elements \
            of arrays are compared by their positions, after the equal ones at both ends. Long values are abbreviated, \
            and at most 100 changes are listed.
            """),
        .paragraph(
            """
            Messages that are not JSON or exceed 256 KiB are shown as a whole. Up to 1,000 kinds and 16 MiB are \
            remembered; beyond that, the oldest kinds are forgotten.
            """))
}
