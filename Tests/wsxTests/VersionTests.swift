import Testing
import WSCore

@testable import UserInterface
@testable import wsx

@Suite struct VersionTests {
    @Test("The version has three parts, and the commit follows between releases") func version() {
        #expect(UserInterface.version.split(separator: ".").count == 3)
        let texts = [("0.3.0", "1a2b3c4"), ("0.3.0-dev", "1a2b3c4"), ("0.3.0-dev", "")].map {
            VersionText.text(version: $0, commit: $1, isVerbose: false)
        }
        #expect(texts == ["wsx 0.3.0\n", "wsx 0.3.0-dev (1a2b3c4)\n", "wsx 0.3.0-dev\n"])
    }

    @Test("The verbose version has a line for each library") func libraries() {
        let text = VersionText.text(commit: "", isVerbose: true)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
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
