import TestSupport
import Testing

@testable import WSCore

@Suite struct PreconditionsTests {
    private static let now = 1_800_000_000
    private static let modified = 1_700_000_000
    private static let same = HTTPDate.text(ofSeconds: modified)
    private static let earlier = HTTPDate.text(ofSeconds: modified - 1)
    private static let later = HTTPDate.text(ofSeconds: modified + 1)

    private static func conditions(_ lines: [String], isWeak: Bool = false) throws -> Preconditions {
        Preconditions(
            HTTPFields(try lines.map { try HeaderField(parsing: $0) }), tag: EntityTag(opaque: "t", isWeak: isWeak),
            modifiedSeconds: modified, now: now)
    }

    @Test(
        "each condition is evaluated on its own (RFC 9110 §13.1)",
        arguments: [
            ([], .hold), (["If-Match: \"t\""], .hold), (["If-Match: *"], .hold), (["If-Match: \"u\", \"t\""], .hold),
            (["If-Match: \"u\""], .failed), (["If-Match: W/\"t\""], .failed), (["If-Match: t"], .failed),
            (["If-Unmodified-Since: \(same)"], .hold), (["If-Unmodified-Since: \(later)"], .hold),
            (["If-Unmodified-Since: \(earlier)"], .failed), (["If-Unmodified-Since: x"], .hold),
            (["If-None-Match: \"t\""], .notModified), (["If-None-Match: W/\"t\""], .notModified),
            (["If-None-Match: *"], .notModified), (["If-None-Match: \"u\"", "If-None-Match: \"t\""], .notModified),
            (["If-None-Match: \"u\""], .hold), (["If-None-Match: t"], .hold),
            (["If-Modified-Since: \(same)"], .notModified), (["If-Modified-Since: \(later)"], .notModified),
            (["If-Modified-Since: \(earlier)"], .hold), (["If-Modified-Since: x"], .hold),
            (["If-Modified-Since: \(same)", "If-Modified-Since: \(same)"], .hold),
        ] as [([String], Preconditions.Outcome)])
    func alone(lines: [String], outcome: Preconditions.Outcome) throws {
        try expectEqual(Self.conditions(lines).outcome, outcome)
    }

    @Test(
        "several conditions are evaluated in the order of RFC 9110 §13.2.2",
        arguments: [
            (["If-Match: \"t\"", "If-Unmodified-Since: \(earlier)"], .hold),
            (["If-Match: \"u\"", "If-Unmodified-Since: \(later)"], .failed),
            (["If-None-Match: \"u\"", "If-Modified-Since: \(same)"], .hold),
            (["If-None-Match: \"t\"", "If-Modified-Since: \(earlier)"], .notModified),
            (["If-Match: \"u\"", "If-None-Match: \"t\""], .failed),
            (["If-Match: \"t\"", "If-None-Match: \"t\""], .notModified),
            (["If-Unmodified-Since: \(earlier)", "If-None-Match: \"t\""], .failed),
        ] as [([String], Preconditions.Outcome)])
    func together(lines: [String], outcome: Preconditions.Outcome) throws {
        try expectEqual(Self.conditions(lines).outcome, outcome)
    }

    @Test("a weak tag matches in If-None-Match, but in If-Match only *")
    func weak() throws {
        try expectEqual(Self.conditions(["If-None-Match: W/\"t\""], isWeak: true).outcome, .notModified)
        try expectEqual(Self.conditions(["If-Match: W/\"t\""], isWeak: true).outcome, .failed)
        try expectEqual(Self.conditions(["If-Match: *"], isWeak: true).outcome, .hold)
    }

    @Test(
        "a range applies if If-Range has a strong match (RFC 9110 §13.1.5)",
        arguments: [
            ([], true), (["If-Range: \"t\""], true), (["If-Range: \"u\""], false), (["If-Range: W/\"t\""], false),
            (["If-Range: \"t\", \"u\""], false), (["If-Range: \(same)"], true), (["If-Range: \(later)"], false),
            (["If-Range: \(earlier)"], false), (["If-Range: *"], false),
            (["If-Range: \"t\"", "If-Range: \"t\""], false),
        ] as [([String], Bool)])
    func ranges(lines: [String], isHeeded: Bool) throws {
        try expectEqual(Self.conditions(lines).allowRange, isHeeded)
        try expectFalse(Self.conditions(["If-Range: \(Self.same)"], isWeak: true).allowRange)
    }

    @Test("a recently modified file has a weak tag, and no modification time in the future")
    func validators() {
        func validators(now: Int, size: Int = 5, nanoseconds: Int = 7) -> FileValidators {
            FileValidators(
                number: 3, size: size, modifiedSeconds: 100, modifiedNanoseconds: nanoseconds, now: now)
        }
        expectEqual(validators(now: 102).tag.text, "\"3-5-2s-7\"")
        expectEqual(validators(now: 101).tag.text, "W/\"3-5-2s-7\"")
        expectEqual(validators(now: 50).modifiedSeconds, 50)
        expectEqual(validators(now: 200).modifiedSeconds, 100)
        expectNotEqual(validators(now: 200).tag, validators(now: 200, size: 6).tag)
        expectNotEqual(validators(now: 200).tag, validators(now: 200, nanoseconds: 8).tag)
    }
}
