import UserInterface
import WSCore

/// The names of header fields that are hardly the beginning of a message.
private let headerNames = ["authorization", "cookie", "origin", "user-agent", "x-api-key", "x-auth-token"]

extension ConnectArguments {
    /// Notices about messages that were probably meant otherwise: a file, a member of JSON, or JSON whose quotes a shell
    /// removed. They are sent as they are; only a person needs the notices.
    package var doubts: [String] {
        // Lines of protocols and calls may have these forms.
        guard protocols.choice == nil, replies.calls == nil else { return [] }
        let operands = messages.texts.prefix(messages.operandCount)
        let whole = operands.joined(separator: " ")
        if whole.hasPrefix("{"), !whole.hasPrefix("{{"), whole.hasSuffix("}"), !whole.utf8.contains(UInt8(ascii: "\"")),
            whole.dropFirst().dropLast().contains(where: { !$0.isWhitespace })
        {
            return ["'\(escapingControls(whole))' is sent as it is; for JSON, quote it for the shell: '{\"a\":1}'"]
        }
        return operands.compactMap { text in
            if ["cmd:", "exec:"].contains(where: text.hasPrefix) {
                let shown = escapingControls(text)
                return "'\(shown)' is sent as it is; 'wsx connect --exec URL -- PROGRAM' starts a program"
            }
            if text == "-" { return "'-' is sent as it is; without a message, standard input is read" }
            let name = text.utf8.prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_".utf8.contains($0) }
            let value = text.utf8.dropFirst(name.count)
            if headerNames.contains(Substring(name).lowercased()), value.count > 1, value.first == UInt8(ascii: ":") {
                return "a header field is sent as a message; -H '\(Substring(name)): VALUE' sends it in the request"
            }
            guard !text.utf8.contains(where: { " \n{".utf8.contains($0) }) else { return nil }
            if text.hasPrefix("@"),
                text.utf8.contains(UInt8(ascii: "/")) || !File.isMissing(String(text.dropFirst()))
            {
                let path = escapingControls(String(text.dropFirst()))
                return "'@\(path)' is sent as it is; --file \(path) sends the file"
            }
            // HTTPie's query parameters and header fields.
            if !name.isEmpty, value.count > 2, value.starts(with: "==".utf8) {
                let shown = escapingControls(text)
                return "'\(shown)' is sent as it is; for a parameter, write ?\(Substring(name))=... in the URL"
            }
            // Parameters of a form are no member of JSON.
            guard !name.isEmpty, !value.contains(UInt8(ascii: "&")), value.count > 1, value.first == UInt8(ascii: "="),
                value.last != UInt8(ascii: "=")
            else {
                return nil
            }
            return "'\(escapingControls(text))' is sent as it is; for JSON, write '{\"\(Substring(name))\":...}'"
        }
    }
}
