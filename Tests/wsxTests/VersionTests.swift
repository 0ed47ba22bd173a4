import Testing
import WSCore

@testable import UserInterface
@testable import wsx

@Suite struct VersionTests {
    @Test("The version has three parts") func version() {
        #expect(UserInterface.version.split(separator: ".").count == 3)
    }

    @Test("The verbose version has a line for each library") func libraries() {
        let lines = VersionText.text(isVerbose: true).split(separator: "\n").map { $0.split(separator: " ") }
        #expect(
            lines.map(\.first) == ["wsx", "libidn2", "msgpack-c", "nghttp2", "OpenSSL", "PCRE2", "readline", "zlib"])
        for line in lines {
            #expect(line.count == 2)
            #expect(line.last?.first?.isNumber == true && line.last?.contains(".") == true)
        }
    }

    @Test("A date after a library's version is dropped") func dates() {
        #expect(LibraryVersion(name: "PCRE2", text: "10.42 2022-12-11").version == "10.42")
        #expect(LibraryVersion(name: "x", text: "").version == "")
    }
}
