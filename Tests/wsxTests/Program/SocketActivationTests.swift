import Testing
import WSCore

@testable import UserInterface

@Suite struct SocketActivationTests {
    @Test("The sockets start at descriptor 3 if they are meant for this process")
    func descriptors() throws {
        #expect(try descriptors(["LISTEN_PID": "42", "LISTEN_FDS": "2"]) == 3..<5)
        #expect(try descriptors(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).isEmpty)
        #expect(try descriptors(["LISTEN_PID": "41", "LISTEN_FDS": "2"]).isEmpty)
        #expect(try descriptors(["LISTEN_PID": "", "LISTEN_FDS": "2"]).isEmpty)
        #expect(try descriptors(["LISTEN_PID": "42"]).isEmpty)
        #expect(try descriptors(["LISTEN_FDS": "2"]).isEmpty)
        #expect(try descriptors([:]).isEmpty)
    }

    @Test("An invalid number of sockets is rejected", arguments: ["", "x", "-1", "1025", "99999999999999999999"])
    func badNumber(text: String) throws {
        expectMessage("LISTEN_FDS: '\(text)' is not a number from 0 to 1024") { () throws(Failure) in
            _ = try descriptors(["LISTEN_PID": "42", "LISTEN_FDS": text])
        }
    }

    @Test("The error for a descriptor that is not a listening socket names it")
    func badDescriptor() throws {
        let activation = SocketActivation(
            environment: { ["LISTEN_PID": "42", "LISTEN_FDS": "1024"][$0] }, processNumber: 42)
        do throws(Failure) {
            _ = try activation.sockets()
            #expect(Bool(false), "nothing was thrown")
        } catch {
            #expect(error.message?.hasPrefix("LISTEN_FDS, descriptor ") == true)
            #expect(error.message?.contains(": it is ") == true)
        }
    }

    private func descriptors(_ environment: [String: String]) throws(Failure) -> Range<Int32> {
        try SocketActivation(environment: { environment[$0] }, processNumber: 42).descriptors()
    }
}
