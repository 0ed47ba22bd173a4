import WSCore

/// Asks for a password or passphrase on the terminal, without showing it.
///
/// For use before the event loop starts: it waits.
enum PasswordPrompt {
    /// What is typed after a prompt, or nil when there is no terminal, or nothing to come on it.
    ///
    /// Throws ``Failure/interrupted``, ``Failure/terminated``, and ``Failure/badArgument(what:why:)`` when what was
    /// typed is not text.
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
                throw .badArgument(what: "terminal input", why: "it is not UTF-8 text; check the terminal's encoding")
            }
            return text
        case .end: return nil
        case .interrupted: throw .interrupted
        case .terminated: throw .terminated
        }
    }
}
