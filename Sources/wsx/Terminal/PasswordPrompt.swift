import WSCore

/// Asks for a password on the terminal, without showing it.
///
/// For use before the event loop starts: it waits.
enum PasswordPrompt {
    /// Why there is no password, where none was typed either.
    static let noPassword = "there is no password and no terminal to ask on; write USER:PASSWORD, @FILE or env:NAME"

    /// The password of a user at a host, or nil when there is no terminal, or nothing to come on it.
    ///
    /// Throws ``Failure/interrupted``, ``Failure/terminated``, and ``Failure/badArgument(what:why:)`` when what was
    /// typed is not text.
    static func password(of user: String, at host: String) throws(Failure) -> String? {
        try answer(to: "Password for \(escapingControls(user)) at \(escapingControls(host)): ")
    }

    /// What is typed on the terminal after a prompt; as ``password(of:at:)``.
    static func answer(to prompt: String) throws(Failure) -> String? {
        let answer: ControllingTerminal.Answer
        do throws(IOError) {
            answer = try ControllingTerminal.readSecret(prompt: prompt)
        } catch {
            return nil
        }
        return try text(of: answer)
    }

    static func text(of answer: ControllingTerminal.Answer) throws(Failure) -> String? {
        switch answer {
        case .line(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .badArgument(what: "the password", why: "it is not UTF-8 text; check the terminal's encoding")
            }
            return text
        case .end: return nil
        case .interrupted: throw .interrupted
        case .terminated: throw .terminated
        }
    }
}
