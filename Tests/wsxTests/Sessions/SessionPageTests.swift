import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct SessionPageTests {
    /// The page of a connection with text messages.
    private static func page(
        of messages: [String], url: String = "ws://h.example/", marks: [StaticString] = []
    ) throws -> String {
        var page = SessionPage()
        var opening = RecordedOpening()
        opening.url = url
        page.begin(RecordedConnection(client: nil, codecs: RecordedCodecs()), opening)
        for (index, message) in messages.enumerated() {
            page.add(
                Array(message.utf8).span.bytes, as: .text, isSent: true, time: .zero, number: index + 1, marks: marks)
        }
        page.end()
        page.finish()
        var text = ""
        try page.withText { buffer in
            text = buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        }
        return text
    }

    @Test("Each import is on its own line and refers to an earlier module")
    func order() {
        var earlier: Set<Substring> = []
        for module in EmbeddedPage.session.modules {
            for line in EmbeddedPage.contents(of: module).split(separator: "\n")
            where line.hasPrefix("import ") {
                let name = line.dropLast("\";".count).split(separator: "/").last
                #expect(line.hasSuffix(".js\";") && name.map(earlier.contains) == true, "\(module): \(line)")
            }
            earlier.insert(module[...])
        }
    }

    @Test("The page contains its style, script, and policy, and refers to no file")
    func joined() throws {
        let page = try Self.page(of: [])
        for name in ["session.css", "session.js", "base.css", "default-src 'self'"] {
            #expect(page.contains(name) == false, "\(name)")
        }
        #expect(page.contains("\nclass List {"))
        #expect(page.split(separator: "\n").contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") } == false)
        #expect(page.contains(#"content="default-src 'none'; script-src 'sha256-"#))
        #expect(page.hasSuffix("</html>\n"))
    }

    @Test(
        "A hostile text appears in the page only as data",
        arguments: ["</script>", "<!--", "\u{2028}", "<script>", "\u{202E}", "&amp;"])
    func hostile(text: String) throws {
        let harmless = try Self.page(of: ["x"], url: "ws://h.example/x")
        let page = try Self.page(of: [text], url: "ws://h.example/" + text)
        let marks = Array("<>&\u{2028}\u{202E}".unicodeScalars)
        let markup = { (page: String) in page.unicodeScalars.count { marks.contains($0) } }
        #expect(markup(page) == markup(harmless))
    }

    @Test("Large sessions are split into several script elements, each of which is a JSON array")
    func chunks() throws {
        let message = String(repeating: "x", count: 3 << 20)
        let page = try Self.page(of: [message, message, message])
        #expect(page.ranges(of: #"<script type="application/json" class="events">["#).count == 2)
        #expect(page.ranges(of: "\n]</script>\n").count == 2)
    }

    @Test("What a relay did to a message follows its type")
    func marks() throws {
        let page = try Self.page(of: ["x"], marks: ["edited", "answered"])
        #expect(page.contains(#"[0,"out text edited answered",1,1,"x"]"#))
    }
}
