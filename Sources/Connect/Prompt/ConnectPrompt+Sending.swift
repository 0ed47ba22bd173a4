import Peer
import UserInterface
import WSCore

// Sending typed messages.
extension ConnectPrompt {
    /// Sends a typed line, with the end that was requested.
    func send(line: [UInt8]) {
        send(message: line + (settings.arguments.messages.lineEnd?.bytes ?? []), as: settings.kind)
    }

    /// Sends a message, or queues it for the next connection.
    /// - Parameter isTyped: Whether the user has just typed it, as opposed to a repetition, which may be a flood.
    func send(message: [UInt8], as kind: MessageKind, isTyped: Bool = true) {
        message.withUnsafeBytes { bytes in
            guard kind == .binary || UTF8Validator.isValid(bytes.bytes) else {
                return diagnostics.error(
                    "the line was not sent: it is not UTF-8 text; send it with /binary, or check the terminal's encoding"
                )
            }
            switch connection.link {
            case .open, .pending(keepsMessages: true): break
            case .pending(keepsMessages: false), .none: return reportDisconnected("message")
            }
            lastMessage = (message, kind)
            if kind == .text { remember(bytes.bytes) }
            view.isTyped = isTyped
            connection.sendTyped(bytes.bytes, as: kind)
            view.isTyped = false
            if message.count > TransferProgress.largeBytes { status.watchSending() }
        }
    }

    /// Sends a saved message like a typed line.
    func send(_ call: MessageCall) {
        do throws(TemplateProblem) {
            send(line: try connection.text(of: call))
        } catch {
            diagnostics.error("/call: \(error.words)")
        }
    }

    /// Lists the saved messages with their parameters.
    func showSavedMessages() {
        let saved = settings.saved
        guard !saved.isEmpty else {
            return diagnostics.error("/call: no message is saved; --define NAME=TEXT saves one")
        }
        let rows = saved.map { ("/call \($0.usage)", diagnostics.secrets.masking(escapingControls($0.text))) }
        diagnostics.show(TermList.text(of: rows, columns: diagnostics.columns, style: diagnostics.palette.quiet))
    }

    /// The maximum size of a file sent as one message, in bytes. The file is in memory several times.
    private static let maximumFileBytes = 1 << 30

    /// Sends a file as one message.
    /// - Parameter kind: The kind of message. With `nil`, the run's default applies, except that a file that is not
    ///   UTF-8 is sent as binary.
    func sendFile(_ path: String, as kind: MessageKind?) {
        let path = UserFiles.expandingHome(path)
        let contents: [UInt8]
        do throws(IOError) {
            contents = try File.readRegular(path, maximumBytes: Self.maximumFileBytes)
        } catch {
            return diagnostics.error("/file: \(escapingControls(path)): \(error)")
        }
        let isText = contents.withUnsafeBytes { UTF8Validator.isValid($0.bytes) }
        guard isText || kind != .text else {
            return diagnostics.error("/file: \(escapingControls(path)): it is not UTF-8 text; use /file binary FILE")
        }
        send(message: contents, as: kind ?? (isText ? settings.kind : .binary))
    }

    /// Keeps a value of messages for typed lines.
    func set(_ variable: SetVariableValue) {
        if let problem = connection.set(variable) { diagnostics.error("/set: \(problem)") }
    }

    /// Sends a ping or a pong. The pong that answers a ping is shown with its round trip.
    func send(control opcode: Opcode, _ payload: [UInt8]) {
        guard connection.link == .open else { return reportDisconnected("\(opcode)") }
        guard connection.send(control: opcode, payload.span.bytes) else {
            return diagnostics.error("the \(opcode) was not sent: the connection is closing; /reconnect connects again")
        }
    }
}
