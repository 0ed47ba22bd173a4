import TestSupport
import Testing

@testable import CommandLine

@Suite struct EditDistanceTests {
    static let distanceCases: [(String, String, Int)] = [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("output", "output", 0), ("outptu", "output", 1),
        ("ouput", "output", 1), ("outputt", "output", 1), ("outbut", "output", 1), ("ca", "abc", 3),
        ("kitten", "sitting", 3),
    ]

    @Test("Insertion, deletion, substitution, and transposition cost one each", arguments: Self.distanceCases)
    func distance(first: String, second: String, distance: Int) {
        expectEqual(EditDistance.between(first, second), distance)
        expectEqual(EditDistance.between(second, first), distance)
    }

    @Test("The nearest name has the word as a unique prefix, or differs by few edits") func nearest() {
        let names = ["close-code", "close-reason", "count", "color"]
        expectEqual(EditDistance.nearest(to: "close-c", among: names), "close-code")
        expectEqual(EditDistance.nearest(to: "colour", among: names), "color")
        expectEqual(EditDistance.nearest(to: "coutn", among: names), "count")
        expectNil(EditDistance.nearest(to: "bananas", among: names))
        expectNil(EditDistance.nearest(to: "", among: names))
        expectEqual(EditDistance.nearest(to: "COUNT", among: names), "count")
        expectEqual(EditDistance.nearest(to: "Close-R", among: names), "close-reason")
        expectEqual(EditDistance.nearest(to: "ON", among: ["on", "off"]), "on")
        expectEqual(EditDistance.nearest(to: "ID", among: ["id", "Id", "ID2"]), "Id")
        expectNil(EditDistance.nearest(to: String(repeating: "c", count: 100_000), among: names))
    }
}
