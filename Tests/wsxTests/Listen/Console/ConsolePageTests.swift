import Testing
import WSCore

@testable import Listen
@testable import UserInterface

@Suite struct ConsolePageTests {
    @Test("Each import is on its own line and refers to an earlier module")
    func order() {
        var earlier: Set<Substring> = []
        for module in EmbeddedPage.console.modules {
            for line in EmbeddedPage.contents(of: module).split(separator: "\n") {
                #expect(!line.hasPrefix("import ") || line.hasSuffix(".js\";"), "\(module): \(line)")
                guard line.hasPrefix("import ") else { continue }
                let name = line.dropLast("\";".count).split(separator: "/").last
                #expect(name.map(earlier.contains) == true, "\(module): \(line)")
            }
            earlier.insert(module[...])
        }
    }

    @Test("The page contains its style and script, and refers to no file")
    func joined() {
        let text = ConsolePage(path: "/").text
        #expect(text.split(separator: "\n").contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") } == false)
        for name in ["console.css", "base.css", #"src="console.js""#, "/text.js"] {
            #expect(text.contains(name) == false)
        }
        #expect(text.contains("<style>\n:root {"))
        #expect(text.contains("export class") == false)
        #expect(text.contains("\nclass Connection {"))
    }

    @Test("Any server path appears in the page as text")
    func path() {
        let text = ConsolePage(path: #"/a"><b>&c"#).text
        #expect(text.contains(#"<meta name="wsx-path" content="/a&quot;&gt;&lt;b&gt;&amp;c">"#))
    }

    @Test(
        "The page's URL has the address, or localhost for a wildcard address",
        arguments: [
            ("127.0.0.1", false, "http://127.0.0.1:8080/"), ("::1", true, "https://[::1]:8080/"),
            ("0.0.0.0", false, "http://localhost:8080/"), ("::", true, "https://localhost:8080/"),
        ])
    func url(host: String, isSecure: Bool, expected: String) throws {
        let address = try #require(SocketAddress(numeric: host, port: 8080))
        #expect(ListeningPlace(.tcp(address), boundTo: address, isSecure: isSecure).webURL == expected)
    }
}
