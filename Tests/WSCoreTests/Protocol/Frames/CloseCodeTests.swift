import TestSupport
import Testing
import WSCore

@Suite struct CloseCodeTests {
    @Test("RFC 6455 §7.4: a close frame may carry the registered codes except the reserved ones, and 3000 to 4999")
    func mayTravel() {
        let registered: Set<UInt16> = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]
        for code in UInt16.min...UInt16.max {
            let expected = registered.contains(code) || (3000...4999).contains(code)
            guard CloseCode(rawValue: code).mayTravel == expected else {
                Issue.record("\(code)")
                return
            }
        }
    }

    @Test(
        "RFC 6455 §7.4.2: unregistered library and application codes have no meaning",
        arguments: [3001, 3999, 4000, 4999])
    func meaning(code: UInt16) {
        expectNil(CloseCode(rawValue: code).meaning)
    }

    @Test("RFC 6455 §11.7: registered library codes have meanings")
    func registered() {
        let meanings = [3000, 3003, 3008].map { CloseCode(rawValue: $0).meaning }
        expectEqual(meanings, ["unauthorized", "forbidden", "timeout"])
    }
}
