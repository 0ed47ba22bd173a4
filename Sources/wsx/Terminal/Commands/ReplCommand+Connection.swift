import WSCore

extension ReplCommand {
    /// What becomes of the connection.
    static let connection = [
        ReplCommand(
            "close", "[CODE [REASON]]", "begin the closing handshake",
            details: "*CODE* is 1000 unless it is given, *REASON* at most 123 bytes.", isForServers: true
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
    ]

    private static func closeFrame(_ argument: ReplArgument) throws(ReplMistake) -> CloseFrame {
        let (word, reason) = argument.words
        guard !word.isEmpty else { return CloseFrame(code: .normalClosure) }
        let code: CloseCode
        do throws(ValueProblem) {
            code = CloseCode(rawValue: try CloseCodeValue.parse(word))
        } catch {
            throw ReplMistake(
                "'\(escapingControls(word))' is no code that may be sent; 1000 through 1003, 1007 through 1011 and 3000 through 4999 may"
            )
        }
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            throw ReplMistake("the reason is longer than \(CloseFrame.maximumReasonBytes) bytes")
        }
        return CloseFrame(code: code, reason: reason)
    }
}
