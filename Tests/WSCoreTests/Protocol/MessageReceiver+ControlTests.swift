import Testing
import WSCore

@Suite struct MessageReceiverControlTests {
    @Test("RFC 6455 §5.5.2: a ping is answered with a pong that has the same payload", arguments: [0, 1, 5, 124, 125])
    func ping(count: Int) {
        let payload = (0..<count).map { UInt8(0xFF - $0) }
        expectReceived([frame(0x89, payload)], events: [.ping(payload)], answers: [frame(0x8A, payload)])
    }

    @Test("RFC 6455 §5.5.2: ten pings are answered with ten pongs in order")
    func tenPings() {
        let payloads = (0..<10).map { [UInt8]("payload-\($0)".utf8) }
        expectReceived(
            payloads.map { frame(0x89, $0) }, events: payloads.map { .ping($0) },
            answers: payloads.map { frame(0x8A, $0) })
    }

    @Test("RFC 6455 §5.5.3: an unsolicited pong is delivered and not answered")
    func unsolicitedPong() {
        expectReceived([frame(0x8A)], events: [.pong([])])
        expectReceived([frame(0x8A, "unsolicited")], events: [.pong(Array("unsolicited".utf8))])
        expectReceived(
            [frame(0x8A, "a"), frame(0x89, "b")], events: [.pong(Array("a".utf8)), .ping(Array("b".utf8))],
            answers: [frame(0x8A, "b")])
    }

    @Test("RFC 6455 §5.5.1: a close frame is delivered and answered with its code only")
    func close() {
        expectReceived([frame(0x88)], events: [.close(nil)], answers: [frame(0x88)])
        expectReceived([closeFrame(1000)], events: [.close(1000)], answers: [closeFrame(1000)])
        expectReceived([closeFrame(1001, "bye 🦜")], events: [.close(1001, "bye 🦜")], answers: [closeFrame(1001)])
        let reason = String(repeating: "*", count: 123)
        expectReceived([closeFrame(1000, reason)], events: [.close(1000, reason)], answers: [closeFrame(1000)])
    }

    static let validCodesCases: [UInt16] = [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
    ]

    @Test("RFC 6455 §7.4: valid close codes are echoed", arguments: Self.validCodesCases)
    func validCodes(code: UInt16) {
        expectReceived([closeFrame(code)], events: [.close(code)], answers: [closeFrame(code)])
        expectReceived([closeFrame(code, "x")], events: [.close(code, "x")], answers: [closeFrame(code)])
    }

    @Test("RFC 6455 §1.4: data after a close frame is ignored, valid or not")
    func afterClose() {
        let followers: [[UInt8]] = [
            frame(0x81, "late"), frame(0x89, "late"), closeFrame(1000), frame(0x80, "late"), [0xFF, 0xFF, 0xFF],
        ]
        for follower in followers {
            expectReceived(
                [frame(0x81, "in time"), closeFrame(1000, "end"), follower],
                events: [.text("in time"), .close(1000, "end")], answers: [closeFrame(1000)])
        }
    }

    @Test("RFC 6455 §5.5.1: a close frame within a fragmented message ends the connection and discards the message")
    func closeInsideMessage() {
        expectReceived(
            [frame(0x01, "never"), closeFrame(1001), frame(0x80, "finished")], events: [.close(1001)],
            answers: [closeFrame(1001)])
    }

    @Test("RFC 6455 §7.1.7: data after a violation is ignored, including further violations")
    func afterViolation() {
        expectViolation(
            [frame(0x83), frame(0x81, "late"), closeFrame(1000), frame(0x8B)], .reservedOpcode(3), code: 1002,
            reason: "opcode 3 is reserved")
    }
}
