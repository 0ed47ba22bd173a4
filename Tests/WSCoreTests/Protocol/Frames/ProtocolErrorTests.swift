import TestSupport
import Testing
import WSCore

@Suite struct ProtocolErrorTests {
    /// Every violation with its close code, identifier, and description.
    static let catalogue: [(error: ProtocolError, code: UInt16, identifier: String, words: String)] = [
        (
            .reservedBits(4), 1002, "reserved-bits",
            "reserved bits are set (RSV1) without an extension that uses them"
        ),
        (
            .reservedBits(7), 1002, "reserved-bits",
            "reserved bits are set (RSV1, RSV2, RSV3) without an extension that uses them"
        ),
        (
            .misplacedCompression(.continuation), 1002, "misplaced-compression",
            "RSV1 is set on a continuation frame; only the first frame of a message can have it"
        ),
        (.reservedOpcode(3), 1002, "reserved-opcode", "opcode 3 is reserved"),
        (.maskedServerFrame, 1002, "masked-server-frame", "a frame from the server is masked"),
        (.unmaskedClientFrame, 1002, "unmasked-client-frame", "a frame from the client is not masked"),
        (.fragmentedControlFrame(.ping), 1002, "fragmented-control-frame", "a ping frame is fragmented"),
        (.controlFrameTooLong(.close), 1002, "control-frame-too-long", "a close frame is longer than 125 bytes"),
        (.lengthNotMinimal, 1002, "length-not-minimal", "a frame length is not in its shortest form"),
        (.lengthTooLarge, 1002, "length-too-large", "a frame length is 2^63 or more"),
        (
            .unexpectedContinuation, 1002, "unexpected-continuation",
            "a continuation frame came without a message to continue"
        ),
        (.expectedContinuation(.text), 1002, "expected-continuation", "a text frame came inside a fragmented message"),
        (.invalidText, 1007, "invalid-text", "a text message is not valid UTF-8"),
        (
            .invalidCompressedData, 1007, "invalid-compressed-data",
            "a compressed message is not valid DEFLATE data"
        ),
        (.closePayloadTooShort, 1002, "close-payload-too-short", "a close frame has a payload of one byte"),
        (.invalidCloseCode(1005), 1002, "invalid-close-code", "close code 1005 must not be sent"),
        (.invalidCloseReason, 1007, "invalid-close-reason", "a close reason is not valid UTF-8"),
        (.messageTooBig(limit: 1024), 1009, "message-too-big", "a message is larger than 1024 bytes"),
        (.tooManyFragments(limit: 10), 1008, "too-many-fragments", "a message has more than 10 fragments"),
    ]

    @Test("the catalogue contains each violation once and in order")
    func manual() {
        var identifiers: [String] = []
        for entry in Self.catalogue where entry.identifier != identifiers.last { identifiers.append(entry.identifier) }
        expectEqual(ProtocolError.catalogue.map(\.identifier), identifiers)
    }

    @Test("RFC 6455 §7.4.1: every violation has its close code, identifier, and description")
    func catalogue() {
        for entry in Self.catalogue {
            expectEqual(entry.error.closeCode.rawValue, entry.code)
            expectEqual(entry.error.identifier, entry.identifier)
            expectEqual(entry.error.description, entry.words)
        }
    }

    @Test("RFC 6455 §5.5.1: the description of every violation fits into a close frame")
    func length() {
        let longest: [ProtocolError] = [.messageTooBig(limit: .max), .tooManyFragments(limit: .max)]
        for error in Self.catalogue.map(\.error) + longest {
            expectEqual(CloseFrame(code: error.closeCode, reason: error.description).reason, error.description)
            expectTrue(error.closeCode.mayTravel)
        }
    }
}
