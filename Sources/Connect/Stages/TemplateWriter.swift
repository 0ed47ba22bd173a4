import CommandLine
import Conversation
import Peer
import UserInterface
import WSCore

/// Writes templates with the values of a run: its row of the data file, the last received message, and numbers.
final class TemplateWriter {
    private var columns: VariableNames
    private let saved: [SavedMessage]
    /// The columns, followed by `input` with `--wrap`.
    let wrapNames: VariableNames
    /// The slot of `input`, or `nil` without `--wrap`.
    let inputSlot: Int?
    /// The same, followed by the parameters of all saved messages.
    private var names: VariableNames
    /// The variables that received messages set.
    private var extractions: [Extraction]
    private let secrets: Secrets
    private var variables: TemplateVariables
    private var stamp = Template.Stamp(sequence: 0, connection: 1, time: 0, seed: 0)
    private var random = SeededRandom(seed: .random(in: .min ... .max))
    private var buffer = ByteBuffer()
    /// Whether templates may insert values of the last message.
    var usesLastMessage: Bool
    /// The variable for a piece of the input.
    static let inputName = "input"
    /// The URL to which the connection was redirected, if secrets must not follow.
    private var otherOrigin: WebSocketURL?

    /// - Parameters:
    ///   - wraps: Whether there is the variable `input`.
    ///   - usesLastMessage: Whether templates may insert values of the last message.
    init(_ data: ChosenRow, saved: [SavedMessage], wraps: Bool = false, usesLastMessage: Bool, secrets: Secrets) {
        columns = data.columns
        extractions = data.extractions
        self.saved = saved
        self.usesLastMessage = usesLastMessage
        self.secrets = secrets
        var names = data.columns
        inputSlot = wraps ? try? names.add(Self.inputName) : nil
        wrapNames = names
        // A parameter is the name of a variable.
        for parameter in saved.flatMap(\.parameters) { _ = try? names.add(parameter) }
        self.names = names
        variables = TemplateVariables(names)
        data.set(&variables)
    }

    /// Begins a connection.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - otherOrigin: The URL to which it was redirected, if secrets must not follow.
    func connectionOpened(_ number: Int, at otherOrigin: WebSocketURL?) {
        stamp.connection = UInt64(number)
        self.otherOrigin = otherOrigin
    }

    /// Handles a received message, which the next templates can refer to.
    func received(_ payload: RawSpan) {
        if usesLastMessage { variables.setLastMessage(payload) }
        for extraction in extractions { extraction.update(&variables, from: payload) }
    }

    /// The latest values of the variables that received messages set.
    var received: [(slot: Int, value: TemplateVariables.Value)] {
        extractions.map { ($0.slot, variables.value($0.slot)) }
    }

    /// Whether a template contains values of received messages.
    func followsMessage(_ template: Template) -> Bool {
        template.usesLastMessage || template.uses(variables: extractions.map(\.slot))
    }

    /// Sets a variable by messages that arrive from now on, at another location than before if it exists.
    /// - Throws: ``VariableNameError`` if the name is that of another value.
    func set(_ variable: SetVariableValue) throws(VariableNameError) {
        if let slot = names.slot(of: variable.name),
            let index = extractions.firstIndex(where: { $0.slot == slot })
        {
            return extractions[index] = Extraction(slot: slot, path: variable.path)
        }
        let slot = try names.add(own: variable.name)
        variables.add(variable.name)
        // The names of lines have the same slots.
        columns = names
        extractions.append(Extraction(slot: slot, path: variable.path))
    }

    /// Parses a message.
    /// - Parameter text: The message in UTF-8.
    func template(_ text: RawSpan) throws(TemplateProblem) -> Template {
        try template(text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, columns)
    }

    private func template(_ text: String, _ names: VariableNames) throws(TemplateProblem) -> Template {
        let template: Template
        do throws(TemplateError) {
            template = try Template(
                text, variables: secrets.names(names, isTyped: true), environment: secrets.inserted)
            // Lines of the input start no programs.
            let outputs = secrets.outputs.programs
            guard template.commands.allSatisfy({ outputs[$0] != nil }) else { throw TemplateError(.noPrograms, at: 0) }
        } catch {
            throw TemplateProblem(words: error.suggestion(mayBeColumn: columns.names.isEmpty))
        }
        guard template.insertsSecret else { return template }
        guard let otherOrigin else {
            secrets.record.addMessage(of: "MESSAGE")
            return template
        }
        let redirect = RedirectError.wouldSendSecrets(
            otherOrigin, of: ["a line with {{env:…}} or a secret column of --data"])
        throw TemplateProblem(words: "\(redirect)", redirect: redirect)
    }

    /// Sets `{{input}}`, which may be any bytes.
    func set(input piece: RawSpan) {
        if let inputSlot { variables.set(inputSlot, to: piece) }
    }

    /// Writes a template.
    func text(of template: Template) throws(TemplateProblem) -> [UInt8] {
        stamp.sequence += 1
        stamp.time = WallTime.now.millisecondsSinceEpoch
        stamp.seed = random.next()
        buffer.removeAll()
        do throws(TemplateValueError) {
            try template.write(to: &buffer, stamp: stamp, variables: variables)
        } catch {
            stamp.sequence -= 1
            throw TemplateProblem(words: "\(error)")
        }
        return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    /// Checks that a template can be written, without counting it.
    func check(_ template: Template) throws(TemplateProblem) {
        let first = stamp
        defer { stamp = first }
        _ = try text(of: template)
    }

    /// Writes a saved message.
    func text(of call: MessageCall) throws(TemplateProblem) -> [UInt8] {
        guard let message = saved.first(where: { $0.name == call.name }) else {
            throw Self.unknown(call.name, among: saved)
        }
        for (name, value) in call.values.sorted(by: { $0.key < $1.key }) {
            guard message.parameters.contains(name), let slot = names.slot(of: name) else {
                throw TemplateProblem(words: unknown(parameter: name, of: message))
            }
            if SecretName.isSecret(name) { secrets.record.add(inserted: value) }
            variables.set(slot, to: Array(value.utf8).span.bytes)
        }
        if let missing = message.parameters.first(where: { call.values[$0] == nil }) {
            throw TemplateProblem(words: "the value of \(quoted(missing)) is missing; write '\(message.usage)'")
        }
        return try text(of: template(message.text, names))
    }

    /// The problem of a name that no saved message has.
    static func unknown(_ name: String, among saved: [SavedMessage]) -> TemplateProblem {
        let names = saved.map(\.name)
        let nearest = EditDistance.nearest(to: name, among: names)
        let remedy =
            nearest.map { "did you mean '\($0)'?" }
            ?? (names.isEmpty ? "define one with --define NAME=TEXT" : "there are " + names.joined(separator: ", "))
        return TemplateProblem(words: "there is no saved message \(quoted(name)); \(remedy)")
    }

    private func unknown(parameter name: String, of message: SavedMessage) -> String {
        let problem = "\(quoted(message.name)) has no placeholder {{\(escapingControls(name))}}; "
        let nearest = EditDistance.nearest(to: name, among: message.parameters)
        return problem + (nearest.map { "did you mean '\($0)'?" } ?? "write '\(message.usage)'")
    }
}
