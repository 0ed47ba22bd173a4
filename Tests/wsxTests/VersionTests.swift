import Testing

@testable import wsx

@Suite struct VersionTests {
    @Test("The version has three parts") func version() { #expect(wsx.version.split(separator: ".").count == 3) }
}
