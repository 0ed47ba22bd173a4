import WSCore

/// Asks for a password or passphrase on the terminal without showing the input.
///
/// It blocks, so it must run before the event loop starts.
package enum PasswordPrompt {
    /// Returns the answer to a prompt, or nil if there is no terminal or no input.
    ///
    /// Throws ``Failure/interrupted``, ``Failure/terminated``, or ``Failure/badArgument(what:why:)`` if the answer is
    /// not text.
    package static func answer(to prompt: String) throws(Failure) -> String? {
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
