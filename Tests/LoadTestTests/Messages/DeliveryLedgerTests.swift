import TestSupport
import Testing

@testable import LoadTest

@Suite struct DeliveryLedgerTests {
    private static func arrivals(_ numbers: [UInt32]) -> [DeliveryLedger.Arrival] {
        var ledger = DeliveryLedger()
        return numbers.map { ledger.receive($0) }
    }

    @Test("Messages received once and in order are in order")
    func order() {
        expectEqual(Self.arrivals([0, 1, 2, 3]), [.inOrder, .inOrder, .inOrder, .inOrder])
    }

    @Test("A message after a later one is reordered, and a repeated one is a duplicate")
    func faults() {
        expectEqual(Self.arrivals([0, 2, 1, 3]), [.inOrder, .inOrder, .reordered, .inOrder])
        expectEqual(
            Self.arrivals([0, 0, 2, 1, 1, 2]), [.inOrder, .duplicate, .inOrder, .reordered, .duplicate, .duplicate])
    }

    @Test("A gap of any size has a bounded cost, and its last numbers are remembered")
    func gaps() {
        var ledger = DeliveryLedger()
        expectEqual(ledger.receive(2_000_000_000), .inOrder)
        expectEqual(ledger.receive(1_999_999_999), .reordered)
        expectEqual(ledger.receive(5), .duplicate)
        for number in stride(from: UInt32(2_000_000_002), to: 2_000_040_000, by: 2) {
            expectEqual(ledger.receive(number), .inOrder)
        }
        expectEqual(ledger.receive(2_000_039_997), .reordered)
    }

    @Test("Numbers wrap around after the maximum")
    func overflow() {
        var ledger = DeliveryLedger()
        for number in [UInt32(1) << 30, 1 << 31 - 1, 3 << 30, .max] { expectEqual(ledger.receive(number), .inOrder) }
        expectEqual(ledger.receive(0), .inOrder)
        expectEqual(ledger.receive(.max), .duplicate)
    }
}
