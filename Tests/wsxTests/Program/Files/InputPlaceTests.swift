import Testing

@testable import UserInterface

@Suite struct InputPlaceTests {
    @Test("Only one option reads standard input, and only if no messages are read from it")
    func conflicts() throws {
        try InputPlace.check([("--data", "a"), ("--file", nil)], isInputRead: true)
        try InputPlace.check([("--data", "a"), ("--scenario", "-")])
        expectMessage("--scenario -: messages are read from standard input; name a file, or add --no-stdin") {
            () throws(Failure) in try InputPlace.check([("--data", "a"), ("--scenario", "-")], isInputRead: true)
        }
        expectMessage("--scenario -: --data reads standard input, too; name a file") {
            () throws(Failure) in try InputPlace.check([("--data", "-"), ("--scenario", "-")])
        }
        #expect(InputPlace.path("-") == "/dev/stdin" && InputPlace.path("./-") == "./-")
    }
}
