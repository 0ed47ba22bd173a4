import CommandLine
import WSCore

extension ReplCommand {
    /// What becomes of the connection.
    static let connection = [
        ReplCommand(
            "close", "[CODE [REASON]]", "begin the closing handshake",
            details: "*CODE* is 1000 unless it is given, *REASON* at most 123 bytes.", audience: .both
        ) { (argument) throws(ReplMistake) in .close(try closeFrame(argument)) },
        ReplCommand(
            "reconnect", "", "connect again",
            details: """
                Closes the connection first, where there is one. Where the next try is waited for (`--reconnect`), it \
                follows at once.
                """
        ) { (argument) throws(ReplMistake) in
            try argument.checkEmpty()
            return .reconnect
        },
        ReplCommand(
            "connect", "URL", "connect to another server",
            details: """
                Closes the connection first, where there is one. The options stay, but no other origin than the \
                first gets what logs in, or may: `--auth`, `--bearer`, `--cookie`, `--cert`, `--subprotocol`, the text \
                of `--heartbeat-message` (pings take its place), and the fields of `--header` but for User-Agent, \
                Origin, Cache-Control, Pragma, DNT and those that begin with Accept. The messages of the command line \
                are not sent again.
                """
        ) { (argument) throws(ReplMistake) in
            guard !argument.text.isEmpty else { throw ReplMistake("the URL is missing") }
            return .connect(url: argument.text)
        },
        ReplCommand(
            "record", "[FILE]", "record the session from now on, or end that",
            details: """
                In *FILE*, as JSON events of both directions, as `--record` does. The file is made for you alone; one \
                that is there is left alone, and another name asked for. A recording before this one ends.
                """,
            completion: .file
        ) { .record(path: $0.text.isEmpty ? nil : $0.text) },
        ReplCommand(
            "clients", "", "list the clients",
            details: "With their numbers, where they come from, since when, and what went each way.", audience: .server
        ) { (argument) throws(ReplMistake) in
            try argument.checkEmpty()
            return .clients
        },
        ReplCommand("headers", "", "show the opening handshake", details: "Secrets are shown as dots.") {
            (argument) throws(ReplMistake) in
            try argument.checkEmpty()
            return .headers
        },
        ReplCommand(
            "info", "", "show address, TLS, compression, counts and round trip",
            details: "The round trip is that of the latest ping that was answered; `/ping` measures it."
        ) { (argument) throws(ReplMistake) in
            try argument.checkEmpty()
            return .info
        },
    ]

    private static func closeFrame(_ argument: ReplArgument) throws(ReplMistake) -> CloseFrame {
        let (word, reason) = argument.words
        guard !word.isEmpty else { return CloseFrame(code: .normalClosure) }
        let code: CloseCode
        do throws(ValueProblem) {
            code = CloseCode(rawValue: try CloseCodeValue.parse(word))
        } catch {
            throw ReplMistake(
                "'\(escapingControls(word))' is no code that may be sent; 1000 through 1003, 1007 through 1014 and 3000 through 4999 may"
            )
        }
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            throw ReplMistake("the reason is longer than \(CloseFrame.maximumReasonBytes) bytes")
        }
        return CloseFrame(code: code, reason: reason)
    }
}
