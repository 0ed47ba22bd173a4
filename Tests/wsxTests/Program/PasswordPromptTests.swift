import Testing
import WSCore

@testable import UserInterface

@Suite struct PasswordPromptTests {
    @Test("The password is the typed text byte for byte, and no text is the end of input")
    func text() throws {
        #expect(try PasswordPrompt.text(of: .line(Array("pä ss: \u{7F}".utf8))) == "pä ss: \u{7F}")
        #expect(try PasswordPrompt.text(of: .line([])) == "")
        #expect(try PasswordPrompt.text(of: .end) == nil)
    }

    @Test("Ctrl-C exits with 130 and SIGTERM with 143; invalid UTF-8 is a usage error")
    func ends() {
        func status(_ answer: ControllingTerminal.Answer) -> UserInterface.ExitStatus? {
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
