import TestSupport
import Testing

@testable import WSCore

@Suite struct EntityTagTests {
    private static func tag(_ opaque: String, weak: Bool = false) -> EntityTag {
        EntityTag(opaque: opaque, isWeak: weak)
    }

    @Test("tags in a list are parsed, even with commas in them (RFC 9110 §8.8.3)")
    func lists() {
        let (a, comma, weak) = (Self.tag("a"), Self.tag("b,c"), Self.tag("d", weak: true))
        expectEqual(EntityTagCondition(parsing: ["\"a\""]), .oneOf([a]))
        expectEqual(EntityTagCondition(parsing: [" , \"a\" ,\"b,c\",, W/\"d\","]), .oneOf([a, comma, weak]))
        expectEqual(EntityTagCondition(parsing: ["\"a\"", "W/\"d\""]), .oneOf([a, weak]))
        expectEqual(EntityTagCondition(parsing: ["\"\""]), .oneOf([Self.tag("")]))
        expectEqual(EntityTagCondition(parsing: ["*"]), .any)
    }

    static let malformedCases: [String] = [
        "", "a", "\"a", "w/\"b\"", "\"b c\"", "*, \"a\"", "\"b\u{7F}\"", "W/", "\"", ",",
    ]

    @Test("everything after a malformed tag is ignored", arguments: Self.malformedCases)
    func malformed(value: String) {
        expectEqual(EntityTagCondition(parsing: [value]), .oneOf([]))
        expectEqual(EntityTagCondition(parsing: ["\"a\" \"b\""]), .oneOf([Self.tag("a")]))
    }

    @Test("tags are compared by the rules of RFC 9110 §8.8.3.2")
    func comparisons() {
        for (left, right, isStrong, isWeak) in [
            (Self.tag("1", weak: true), Self.tag("1", weak: true), false, true),
            (Self.tag("1", weak: true), Self.tag("2", weak: true), false, false),
            (Self.tag("1", weak: true), Self.tag("1"), false, true), (Self.tag("1"), Self.tag("1"), true, true),
        ] {
            expectEqual(left.isStronglyEqual(to: right), isStrong)
            expectEqual(left.isWeaklyEqual(to: right), isWeak)
        }
        expectEqual(Self.tag("x", weak: true).text, "W/\"x\"")
        expectEqual(Self.tag("x").text, "\"x\"")
    }
}
