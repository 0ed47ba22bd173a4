import Testing
import WSCore

@testable import wsx

@Suite struct PasswordPromptTests {
    @Test("what was typed is the password, byte for byte, and none is the end of input")
    func text() throws {
        #expect(try PasswordPrompt.text(of: .line(Array("pä ss: \u{7F}".utf8))) == "pä ss: \u{7F}")
        #expect(try PasswordPrompt.text(of: .line([])) == "")
        #expect(try PasswordPrompt.text(of: .end) == nil)
    }

    @Test("Ctrl-C ends the run with 130, and SIGTERM with 143; bytes that are no text are bad usage")
    func ends() {
        func status(_ answer: ControllingTerminal.Answer) -> wsx.ExitStatus? {
            do throws(Failure) {
                _ = try PasswordPrompt.text(of: answer)
                return nil
            } catch {
                return error.status
            }
        }
        #expect(status(.interrupted) == .interrupted)
        #expect(status(.terminated) == .terminated)
        #expect(status(.line([0x70, 0xFF])) == .usage)
    }
}
