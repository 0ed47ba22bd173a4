import Testing

@testable import CommandLine

@Suite struct EditDistanceTests {
    @Test(
        "Insertion, deletion, substitution, and transposition cost one each",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "abc", 3), ("output", "output", 0), ("outptu", "output", 1),
            ("ouput", "output", 1), ("outputt", "output", 1), ("outbut", "output", 1), ("ca", "abc", 3),
            ("kitten", "sitting", 3),
        ])
    func distance(first: String, second: String, distance: Int) {
        #expect(EditDistance.between(first, second) == distance)
        #expect(EditDistance.between(second, first) == distance)
    }

    @Test("The nearest name has the word as a unique prefix, or differs by few edits") func nearest() {
        let names = ["close-code", "close-reason", "count", "color"]
        #expect(EditDistance.nearest(to: "close-c", among: names) == "close-code")
        #expect(EditDistance.nearest(to: "colour", among: names) == "color")
        #expect(EditDistance.nearest(to: "coutn", among: names) == "count")
        #expect(EditDistance.nearest(to: "bananas", among: names) == nil)
        #expect(EditDistance.nearest(to: "", among: names) == nil)
        #expect(EditDistance.nearest(to: "COUNT", among: names) == "count")
        #expect(EditDistance.nearest(to: "Close-R", among: names) == "close-reason")
        #expect(EditDistance.nearest(to: "ON", among: ["on", "off"]) == "on")
        #expect(EditDistance.nearest(to: "ID", among: ["id", "Id", "ID2"]) == "Id")
        #expect(EditDistance.nearest(to: String(repeating: "c", count: 100_000), among: names) == nil)
    }
}
