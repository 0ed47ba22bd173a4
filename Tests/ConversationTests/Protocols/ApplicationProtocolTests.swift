import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct ApplicationProtocolTests {
    @Test("An unknown parameter is an error that names the known ones")
    func unknownParameter() throws {
        let error = #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("socket.io", ["tokn": "1"]) }
        expectEqual(error?.description, #"unknown parameter "tokn"; expected auth, namespace, ack"#)
    }

    @Test("A parameter that must be JSON is checked")
    func parameterThatIsNotJSON() throws {
        let error = #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("socket.io", ["auth": "{a}"]) }
        expectEqual(error?.description, "the parameter auth is not JSON: unexpected character at byte 2")
    }

    @Test("Names are unique, and every protocol has complete texts")
    func descriptors() {
        let all = ApplicationProtocol.all
        expectEqual(Set(all.map(\.name)).count, all.count)
        for one in all {
            expectEqual(ApplicationProtocol(named: one.name)?.name, one.name)
            let manual = one.manual
            for text in [one.summary, manual.input, manual.automatic, manual.hidden, manual.example] {
                #expect(!text.isEmpty && !text.contains("\n"), "\(one.name): \(text)")
            }
            #expect(manual.example.contains("--protocol \(one.name)"), "\(one.name)")
            #expect(manual.example.count <= 80, "\(one.name)")
        }
        expectNil(ApplicationProtocol(named: "none")?.name)
    }
}
