import Conversation
import Peer
import UserInterface
import WSCore

/// A message that the connection begins with.
struct InitialMessage: Equatable {
    var payload: [UInt8]
    var kind: MessageKind
    /// Whether `--wrap` is around it.
    var isPiece = false
}

// The messages of the command line, and saved ones.
extension ConnectSettings {
    /// The messages of `--define`. Of several with the same name, the last one counts.
    static func savedMessages(
        _ definitions: [MessageDefinition], _ columns: VariableNames, _ secrets: Secrets
    ) throws(Failure) -> [SavedMessage] {
        var saved: [SavedMessage] = []
        for definition in definitions {
            let option = "--define \(definition.name)"
            var text = definition.text
            if text.hasPrefix("@") { text = try secrets.text(of: text, for: option) }
            secrets.record.add(message: text)
            saved.removeAll { $0.name == definition.name }
            do throws(TemplateError) {
                saved.append(try SavedMessage(definition.name, text: text, columns: columns))
            } catch {
                throw .badArgument(what: option, why: error.suggestion)
            }
        }
        return saved
    }

    /// The text of an option, which may be the content of a file.
    static func text(of argument: String, for option: String, _ secrets: Secrets) throws(Failure) -> String {
        var text = argument
        if text.hasPrefix("@") {
            text = try secrets.text(of: text, for: option)
            secrets.record.addMessage(of: option)
        }
        secrets.record.add(message: text)
        return text
    }

    /// The text of `--last-message`, a template.
    static func lastMessage(
        _ argument: String, _ columns: VariableNames, _ secrets: Secrets
    ) throws(Failure) -> String {
        let option = "--last-message"
        let text = try text(of: argument, for: option, secrets)
        _ = try Template.make(
            text, of: option, variables: columns, isTyped: !argument.hasPrefix("@"), secrets: secrets)
        return text
    }

    /// Creates a writer of messages with placeholders, or returns `nil` if there are none.
    func makeTemplateWriter() -> TemplateWriter? {
        let usesTemplates =
            arguments.data.usesTemplates || wrapKind != nil || arguments.messages.input.lastMessage != nil
        guard usesTemplates || !saved.isEmpty || !data.extractions.isEmpty else { return nil }
        // Lines are parsed when they are typed or read.
        let usesLastMessage =
            arguments.linesAreTemplates && (readsPipe || hasPrompt) || hasPrompt && !saved.isEmpty
        return TemplateWriter(
            data, saved: saved, wraps: wrapKind != nil, usesLastMessage: usesLastMessage, secrets: secrets)
    }

    /// The messages of the command line, the saved one first.
    /// - Throws: ``Failure/badArgument(what:why:)`` or ``Failure/badInput(what:why:)``.
    static func messages(
        _ arguments: ConnectArguments, _ writer: TemplateWriter
    ) throws(Failure) -> [InitialMessage] {
        let kind: MessageKind = arguments.format.payload == .binary ? .binary : .text
        let lineEnd = arguments.messages.lineEnd?.bytes ?? []
        var messages = arguments.messages.texts.map { InitialMessage(payload: Array($0.utf8) + lineEnd, kind: kind) }
        if let call = arguments.messages.call {
            do throws(TemplateProblem) {
                var text = try writer.text(of: call)
                // It would be evaluated again.
                if arguments.data.usesTemplates { text = Template.escaping(text) }
                messages.insert(InitialMessage(payload: text + lineEnd, kind: kind), at: 0)
            } catch {
                throw .badArgument(what: "MESSAGE", why: error.words)
            }
        }
        if let path = arguments.messages.file {
            let contents = try HeaderFiles.contents(of: path, for: "--file")
            let isText = contents.withUnsafeBytes { UTF8Validator.isValid($0.bytes) }
            let isPiece = arguments.messages.input.wrap != nil
            guard kind == .binary || isText || isPiece else {
                // `--binary` and `--protocol` exclude each other.
                let remedy =
                    arguments.protocols.choice == nil ? "send it with --binary" : "convert the file to UTF-8"
                throw .badInput(
                    what: "--file \(escapingControls(path))", why: "it is not UTF-8 text; \(remedy)")
            }
            messages.append(InitialMessage(payload: contents, kind: kind, isPiece: isPiece))
        }
        return messages
    }
}

extension InputArguments {
    /// Checks that there is input for the options.
    /// - Parameter hasFile: Whether a file is sent as a message.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func check(_ source: ConnectSettings.Source, hasFile: Bool) throws(Failure) {
        let unread = "standard input is not read; omit MESSAGE and --no-stdin, or add --interactive"
        switch source {
        case .none:
            if interval != nil { throw .badArgument(what: "--every", why: unread) }
            if wrap != nil, !hasFile { throw .badArgument(what: "--wrap", why: unread) }
        case .prompt:
            let terminal = "standard input is a terminal; use a pipe or a file: < FILE"
            if interval != nil { throw .badArgument(what: "--every", why: terminal) }
            if lastMessage != nil { throw .badArgument(what: "--last-message", why: terminal) }
        case .pipe, .program: break
        }
    }
}
