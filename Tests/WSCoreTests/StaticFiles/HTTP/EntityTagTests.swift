import Testing

@testable import WSCore

@Suite struct EntityTagTests {
    private static func tag(_ opaque: String, weak: Bool = false) -> EntityTag {
        EntityTag(opaque: opaque, isWeak: weak)
    }

    @Test("tags in a list are parsed, even with commas in them (RFC 9110 §8.8.3)")
    func lists() {
        let (a, comma, weak) = (Self.tag("a"), Self.tag("b,c"), Self.tag("d", weak: true))
        #expect(EntityTagCondition(parsing: ["\"a\""]) == .oneOf([a]))
        #expect(EntityTagCondition(parsing: [" , \"a\" ,\"b,c\",, W/\"d\","]) == .oneOf([a, comma, weak]))
        #expect(EntityTagCondition(parsing: ["\"a\"", "W/\"d\""]) == .oneOf([a, weak]))
        #expect(EntityTagCondition(parsing: ["\"\""]) == .oneOf([Self.tag("")]))
        #expect(EntityTagCondition(parsing: ["*"]) == .any)
    }

    @Test(
        "everything after a malformed tag is ignored",
        arguments: ["", "a", "\"a", "w/\"b\"", "\"b c\"", "*, \"a\"", "\"b\u{7F}\"", "W/", "\"", ","])
    func malformed(value: String) {
        #expect(EntityTagCondition(parsing: [value]) == .oneOf([]))
        #expect(EntityTagCondition(parsing: ["\"a\" \"b\""]) == .oneOf([Self.tag("a")]))
    }

    @Test("tags are compared by the rules of RFC 9110 §8.8.3.2")
    func comparisons() {
        for (left, right, isStrong, isWeak) in [
            (Self.tag("1", weak: true), Self.tag("1", weak: true), false, true),
            (Self.tag("1", weak: true), Self.tag("2", weak: true), false, false),
            (Self.tag("1", weak: true), Self.tag("1"), false, true), (Self.tag("1"), Self.tag("1"), true, true),
        ] {
            #expect(left.isStronglyEqual(to: right) == isStrong)
            #expect(left.isWeaklyEqual(to: right) == isWeak)
        }
        #expect(Self.tag("x", weak: true).text == "W/\"x\"")
        #expect(Self.tag("x").text == "\"x\"")
    }
}
