import CommandLine
import Formats
import WSCore

extension ReplCommand {
    /// Messages and control frames. A line that is no command is sent as it is typed.
    static let sending = [
        ReplCommand(
            "send", "TEXT", "send a message, even an empty one",
            details: """
                Sends *TEXT* as typed; `/send ""` sends an empty message. Enter on an empty line sends nothing.
                """,
            audience: .both
        ) { (argument) throws(ReplMistake) in try message(argument) },
        ReplCommand("ping", "[TEXT]", "send a ping", details: "*TEXT* is at most 125 bytes.", audience: .both) {
            (argument) throws(ReplMistake) in .ping(try controlPayload(argument))
        },
        ReplCommand(
            "pong", "[TEXT]", "send a pong that answers no ping", details: "*TEXT* is at most 125 bytes.",
            audience: .both
        ) { (argument) throws(ReplMistake) in .pong(try controlPayload(argument)) },
        ReplCommand(
            "binary", "hex|base64 BYTES", "send a binary message",
            details: """
                As `/binary hex 00 ff 7a` or `/binary base64 AP96`. The hexadecimal digits may have blanks between the bytes.
                """
        ) { (argument) throws(ReplMistake) in try binary(argument) },
        ReplCommand(
            "file", "[text|binary] PATH", "send a file as one message",
            details: """
                Without `text` or `binary` it is a text message where it is UTF-8 and `--binary` was not given. A \
                *PATH* that begins with `~/` begins in the home directory.
                """,
            completion: .file
        ) { (argument) throws(ReplMistake) in try file(argument) },
        ReplCommand(
            "send-json", "JSON", "send a text message, if it is JSON",
            details: "It is sent as typed; what is no JSON is not sent.", takesJSON: true
        ) { (argument) throws(ReplMistake) in try json(argument) },
        ReplCommand(
            "repeat", "N [INTERVAL]", "send the last message N more times",
            details: """
                With an *INTERVAL*, for instance `500ms`, as far apart as that; without one as fast as they are taken. \
                Ctrl-C ends it.
                """
        ) { (argument) throws(ReplMistake) in try repetition(argument) },
    ]

    private static func message(_ argument: ReplArgument) throws(ReplMistake) -> ReplAction {
        guard !argument.bytes.isEmpty else {
            throw ReplMistake("the text is missing; /send \"\" sends an empty message")
        }
        return .send(argument.text == "\"\"" ? [] : argument.bytes)
    }

    private static func controlPayload(_ argument: ReplArgument) throws(ReplMistake) -> [UInt8] {
        guard argument.bytes.count <= FrameHeader.maximumControlPayloadBytes else {
            throw ReplMistake("the text is longer than \(FrameHeader.maximumControlPayloadBytes) bytes")
        }
        return argument.bytes
    }

    private static func binary(_ argument: ReplArgument) throws(ReplMistake) -> ReplAction {
        let (word, rest) = argument.words
        guard word == "hex" || word == "base64" else { throw ReplMistake("write hex or base64, then the bytes") }
        let text = Array(rest.utf8)
        var bytes = ByteBuffer()
        do throws(EncodedTextError) {
            let span = text.span.bytes
            if word == "hex" {
                try HexDigits.appendDecoded(span, to: &bytes)
            } else {
                try Base64.appendDecoded(span, to: &bytes)
            }
        } catch .unexpected(let offset) {
            throw ReplMistake("character \(offset + 1) of the bytes is not \(word)")
        } catch {
            throw ReplMistake("this is no whole number of bytes in \(word)")
        }
        return .binary(bytes.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } })
    }

    private static func file(_ argument: ReplArgument) throws(ReplMistake) -> ReplAction {
        let (word, rest) = argument.words
        let kind: MessageKind? = word == "text" ? .text : word == "binary" ? .binary : nil
        let path = kind == nil ? argument.text : rest
        guard !path.isEmpty else { throw ReplMistake("the path is missing") }
        return .file(path: path, kind)
    }

    private static func json(_ argument: ReplArgument) throws(ReplMistake) -> ReplAction {
        guard !argument.text.isEmpty else { throw ReplMistake("the message is missing") }
        if let problem = argument.bytes.withUnsafeBytes({ JSONReader.problem(in: $0.bytes) }) {
            throw ReplMistake("this is no JSON: \(problem)")
        }
        return .sendJSON(argument.bytes)
    }

    private static func repetition(_ argument: ReplArgument) throws(ReplMistake) -> ReplAction {
        let (word, rest) = argument.words
        do throws(ValueProblem) {
            return .repeatMessage(
                count: try CountValue.parse(word), interval: rest.isEmpty ? .zero : try DurationValue.parse(rest))
        } catch {
            throw ReplMistake(
                "'\(escapingControls(argument.text))' is no count, as 10 or 5k, with an interval, as 500ms")
        }
    }
}
