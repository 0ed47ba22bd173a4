import WSCore

/// Where a message of a load test comes from.
enum MessageSource: Equatable, Sendable {
    /// `--message`, as a template.
    case text(MessageTemplate)
    /// `--file`: the file's path.
    case file(String)

    /// Reads the message; a text in a file may have placeholders, too. Throws ``Failure/badArgument(what:why:)``.
    func template(as kind: MessageKind) throws(Failure) -> MessageTemplate {
        switch self {
        case .text(let template): return template
        case .file(let path): return try Self.template(in: path, as: kind)
        }
    }

    /// What is larger was not meant, such as /dev/zero.
    private static let mostBytes = 1 << 30

    private static func template(in path: String, as kind: MessageKind) throws(Failure) -> MessageTemplate {
        let bytes = try HeaderFiles.contents(of: path, for: "--file", maximumBytes: mostBytes)
        func problem(_ why: String) -> Failure {
            .badArgument(what: "--file \(escapingControls(path))", why: why)
        }
        guard !bytes.isEmpty else { throw problem("it is empty") }
        guard kind == .text else { return MessageTemplate(literal: bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem("it is not UTF-8 text; send it with --binary")
        }
        do throws(MessageTemplateError) {
            return try MessageTemplate(text)
        } catch {
            throw problem("\(error)")
        }
    }
}
