import TestSupport
import Testing

@testable import WSCore

@Suite struct SiteTests {
    private static func request(_ target: String, method: String = "GET", _ fields: [String] = []) throws -> RequestHead
    {
        RequestHead(
            method: method, target: target,
            fields: HTTPFields(try (["Host: localhost:80"] + fields).map { try HeaderField(parsing: $0) }))
    }

    private static func field(_ name: String, of response: WebResponse) -> String? {
        HTTPFields(response.fields).first(named: name)
    }

    private static func text(of response: WebResponse) -> String {
        switch response.content {
        case .none: return ""
        case .bytes, .shared, .file:
            var buffer = ByteBuffer()
            if response.contentByteCount > 0 { _ = response.content.append(response.contentRange, to: &buffer) }
            return buffer.withReadableBytes { bytes in
                bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    static let statusesCases: [(String?, String, Int)] = [
        (nil, "/", 200), (nil, "/x", 426), (nil, "/../x", 426), ("/ws", "/", 200), ("/ws", "/ws", 426),
        ("/ws", "/ws?q", 426), ("/ws", "/x", 404), ("/", "/", 200),
    ]

    @Test(
        "without pages and files, the root has a help text and other paths have an error status",
        arguments: Self.statusesCases)
    func statuses(path: String?, target: String, status: Int) throws {
        let site = Site(policy: try ServerPolicy(path: path))
        let response = site.response(to: try Self.request(target))
        expectEqual(response.status, status)
        expectEqual((Self.field("Upgrade", of: response) == "websocket"), (status == 426))
        expectEqual(Self.field("Content-Type", of: response), "text/plain; charset=utf-8")
        expectEqual(Self.field("X-Content-Type-Options", of: response), "nosniff")
        let url = "ws://localhost:80\(path ?? "/")"
        expectEqual(Self.text(of: response).contains("wsx connect \(url)"), (status != 404))
        let other = site.response(to: try Self.request(target, method: "DELETE"))
        expectEqual(other.status, 405)
        expectEqual(Self.field("Allow", of: other), "GET, HEAD")
    }

    @Test("the help text contains no host that is unsafe in a shell or script")
    func hosts() throws {
        let site = Site(policy: try ServerPolicy(isSecure: true))
        for host in ["$(reboot)", "a';x", "a\")", "%3C"] {
            let fields = HTTPFields([try HeaderField(name: "Host", value: host)])
            let text = Self.text(of: site.response(to: RequestHead(method: "GET", target: "/", fields: fields)))
            #expect(text.contains("wsx connect wss://HOST/\n"))
            expectFalse(text.contains(host))
        }
    }

    @Test("a built-in page takes precedence over the help text and over files")
    func pages() throws {
        try TreeFixture.with { fixture in
            try fixture.file("index.html", "file")
            try fixture.file("other", "file")
            let policy = HeaderField(wellFormedName: "Content-Security-Policy", value: "default-src 'self'")
            let page = WebPage(path: "/", mediaType: "text/html", fields: [policy], bytes: Array("page".utf8))
            let site = Site(policy: try ServerPolicy(), pages: [page], files: try FileTree(fixture.root))
            let response = site.response(to: try Self.request("/?q"))
            expectEqual(response.status, 200)
            expectEqual(Self.text(of: response), "page")
            expectEqual(Self.field("Content-Security-Policy", of: response), "default-src 'self'")
            expectEqual(Self.field("Content-Type", of: response), "text/html")
            expectEqual(Self.text(of: site.response(to: try Self.request("/other"))), "file")
        }
    }

    @Test("the index of a directory is made once per change of the directory, and counted; an open file is shared")
    func cache() throws {
        try TreeFixture.with { fixture in
            try fixture.file("a", "file")
            let site = Site(policy: try ServerPolicy(), files: try FileTree(fixture.root))
            let counter = BroadcastCounter()
            let cache = SiteCache(countedBy: counter)
            func page(_ target: String = "/") throws -> SharedBytes? {
                guard case .shared(let page) = site.response(to: try Self.request(target), cache: cache).content else {
                    return nil
                }
                return page
            }
            func file() throws -> OpenFile? {
                guard case .file(let file, _) = site.response(to: try Self.request("/a"), cache: cache).content else {
                    return nil
                }
                return file
            }
            let first = try #require(try page())
            // The page is made again if the time passes meanwhile.
            let isShared = try (0..<3).contains { _ in try page() === (try page()) }
            #expect(isShared && counter.byteCount >= first.count)
            // Changes within a tick of the kernel's clock look like one.
            var (second, number) = (first, 0)
            while second === first {
                try fixture.file("b\(number)", "file")
                number += 1
                second = try #require(try page())
            }
            let (one, other) = (try file(), try file())
            #expect(one != nil && one === other)
            cache.removePages()
            expectEqual(counter.byteCount, first.count + second.count)
        }
    }

    @Test("the policy's fields are added, and override only the defaults")
    func extraFields() throws {
        let fields = try ["Access-Control-Allow-Origin: *", "Cache-Control: max-age=1", "Content-Type: x/y"]
            .map { try HeaderField(parsing: $0) }
        let site = Site(policy: try ServerPolicy(extraFields: fields))
        let response = HTTPFields(site.response(to: try Self.request("/")).fields)
        expectEqual(response.all(named: "Access-Control-Allow-Origin"), ["*"])
        expectEqual(response.all(named: "Cache-Control"), ["max-age=1"])
        expectEqual(response.all(named: "Content-Type"), ["text/plain; charset=utf-8"])
        expectEqual(response.all(named: "Cross-Origin-Resource-Policy"), ["same-site"])
    }

    @Test("a policy field can have several values")
    func repeatedExtraFields() throws {
        let fields = try ["Link: </a>", "link: </b>"].map { try HeaderField(parsing: $0) }
        let site = Site(policy: try ServerPolicy(extraFields: fields))
        expectEqual(HTTPFields(site.response(to: try Self.request("/")).fields).all(named: "Link"), ["</a>", "</b>"])
    }

    @Test("the WebSocket path matches regardless of its escapes (RFC 3986 §6.2.2)")
    func equivalentPaths() throws {
        let site = Site(policy: try ServerPolicy(path: "/a%2fb"))
        for (target, status) in [("/%61%2Fb", 426), ("/a%2fb", 426), ("/a/b", 404), ("/a%252fb", 404), ("/a%2", 404)] {
            expectEqual(site.response(to: try Self.request(target)).status, status, "\(target)")
        }
    }

    @Test("files take precedence over everything except pages, and missing files get 404")
    func files() throws {
        try TreeFixture.with { fixture in
            try fixture.file("a.html", "A")
            try fixture.file("ws", "W")
            try fixture.file("sub/index.html", "I")
            try fixture.file("list/x", "X")
            try fixture.file(".env", "hidden")
            try fixture.file(".git/config", "hidden")
            try fixture.file(".well-known/x", "K")
            try fixture.link("out", to: "../outside")
            try fixture.link("env", to: ".env")
            try fixture.link("git", to: ".git")
            try fixture.link("sub/config", to: "../list/../.git/config")
            try fixture.link("sub/env", to: "../env")
            try fixture.link("sub/x", to: ".././.well-known/x")
            let tree = try FileTree(fixture.root)
            let site = Site(policy: try ServerPolicy(), files: tree)
            for (target, status, text) in [
                ("/a.html", 200, "A"), ("/a.html?q", 200, "A"), ("/sub/", 200, "I"), ("/a.html/", 404, nil),
                ("/missing", 404, nil), ("/.env", 404, nil), ("/out", 404, nil), ("/%2e%2e/outside", 400, nil),
                ("//a.html", 404, nil), ("/env", 404, nil), ("/git/config", 404, nil), ("/git/", 404, nil),
                ("/sub/config", 404, nil), ("/sub/env", 404, nil), ("/sub/x", 200, "K"),
            ] as [(String, Int, String?)] {
                let response = site.response(to: try Self.request(target))
                expectEqual(response.status, status, "\(target)")
                if let text { expectEqual(Self.text(of: response), text, "\(target)") }
            }
            expectEqual(site.response(to: try Self.request("/a.html", method: "PUT")).status, 405)
            let withPath = Site(policy: try ServerPolicy(path: "/ws2"), files: tree)
            expectEqual(withPath.response(to: try Self.request("/ws2")).status, 426)
            expectEqual(withPath.response(to: try Self.request("/ws3")).status, 404)
            let withFile = Site(policy: try ServerPolicy(path: "/ws"), files: tree)
            expectEqual(Self.text(of: withFile.response(to: try Self.request("/ws"))), "W")
        }
    }

    @Test("a directory is redirected to its path with a slash, on this server only")
    func redirections() throws {
        try TreeFixture.with { fixture in
            try fixture.directory("sub/a b")
            let site = Site(policy: try ServerPolicy(), files: try FileTree(fixture.root))
            for (target, location) in [
                ("/sub", "/sub/"), ("/sub?x=//y", "/sub/?x=//y"), ("/sub/a%20b", "/sub/a%20b/"),
                ("http://localhost/s%75b", "/sub/"),
            ] {
                let response = site.response(to: try Self.request(target))
                expectEqual(response.status, 301)
                expectEqual(Self.field("Location", of: response), location)
            }
            for target in ["//evil.example", "//evil.example/", "///sub", "/\\evil.example", "/sub//", "/%2fsub"] {
                #expect([400, 404].contains(site.response(to: try Self.request(target)).status), "\(target)")
            }
        }
    }

    @Test("a directory's page lists only the entries that are served")
    func index() throws {
        try TreeFixture.with { fixture in
            for name in ["a<b", ".hidden", "back\\slash"] { try fixture.file(name, "12345") }
            try fixture.directory(".well-known")
            try fixture.link("in", to: "a<b")
            try fixture.link("inDirectory", to: ".well-known")
            try fixture.link("out", to: "../outside")
            fixture.pipe("pipe")
            let site = Site(policy: try ServerPolicy(), files: try FileTree(fixture.root))
            let response = site.response(to: try Self.request("/"))
            let links = Self.text(of: response).split(separator: "\n").filter { $0.hasPrefix("<tr>") }.compactMap {
                $0.split(separator: "\"").dropFirst().first
            }
            expectEqual(links, [".well-known/", "inDirectory/", "a%3Cb", "in"])
            expectEqual(Self.field("Content-Security-Policy", of: response)?.contains("default-src 'none'"), true)
        }
    }

    @Test("ranges and conditions apply to a file (RFC 9110 §13, §14)")
    func rangesAndConditions() throws {
        try TreeFixture.with { fixture in
            try fixture.file("f.txt", "0123456789", modifiedSeconds: 1_000_000_000)
            let site = Site(policy: try ServerPolicy(), files: try FileTree(fixture.root))
            func response(_ fields: [String], method: String = "GET") throws -> WebResponse {
                site.response(to: try Self.request("/f.txt", method: method, fields))
            }
            let whole = try response([])
            let tag = try #require(Self.field("ETag", of: whole))
            #expect(tag.hasPrefix("\""))
            expectEqual(Self.field("Last-Modified", of: whole), "Sun, 09 Sep 2001 01:46:40 GMT")
            expectEqual(Self.field("Accept-Ranges", of: whole), "bytes")
            let part = try response(["Range: bytes=2-4", "If-Range: \(tag)"])
            #expect(part.status == 206 && Self.text(of: part) == "234")
            expectEqual(Self.field("Content-Range", of: part), "bytes 2-4/10")
            try expectEqual(response(["Range: bytes=2-4", "If-Range: \"other\""]).status, 200)
            try expectEqual(response(["Range: bytes=2-4"], method: "HEAD").contentByteCount, 10)
            let bad = try response(["Range: bytes=10-"])
            #expect(bad.status == 416 && Self.field("Content-Range", of: bad) == "bytes */10")
            expectEqual(Self.text(of: try response(["Range: bytes=1-2,4-5"])), "0123456789")
            let unchanged = try response(["If-None-Match: \(tag)", "Range: bytes=0-1"])
            #expect(unchanged.status == 304 && Self.text(of: unchanged) == "")
            expectEqual(Self.field("ETag", of: unchanged), tag)
            expectFalse(String(decoding: unchanged.head(at: .now).bytes, as: UTF8.self).contains("Content-Length"))
            try expectEqual(response(["If-Match: \"x\""]).status, 412)
        }
    }

    @Test("a refusal has the same head as a page, and no content if HTTP forbids it")
    func refusals() throws {
        func answer(_ refusal: HandshakeRefusal, to method: String?) -> String {
            let time = WallTime(seconds: 0, microseconds: 0)
            var response = WebResponse(refusal)
            response.complete(with: [])
            return String(decoding: response.head(at: time).bytes + response.bytes(answering: method), as: UTF8.self)
        }
        let html = HeaderField(wellFormedName: "content-type", value: "text/html")
        let common = """
            X-Content-Type-Options: nosniff\r
            Cache-Control: no-cache\r
            Cross-Origin-Resource-Policy: same-site\r

            """
        let beginning = """
            HTTP/1.1 403 Forbidden\r
            Date: Thu, 01 Jan 1970 00:00:00 GMT\r
            Content-Type: text/plain; charset=utf-8\r
            \(common)Content-Length: 3\r
            Connection: close\r
            \r

            """
        let refusal = HandshakeRefusal(status: 403, reason: "no")
        expectEqual(answer(refusal, to: "GET"), beginning + "no\n")
        expectEqual(answer(refusal, to: nil), beginning + "no\n")
        expectEqual(answer(refusal, to: "HEAD"), beginning)
        let page = answer(HandshakeRefusal(status: 403, reason: "no", fields: [html]), to: "GET")
        #expect(page.contains("content-type: text/html\r\n") && !page.contains("text/plain"))
        expectEqual(
            answer(HandshakeRefusal(status: 304, reason: "no"), to: "GET"),
            """
            HTTP/1.1 304 Not Modified\r
            Date: Thu, 01 Jan 1970 00:00:00 GMT\r
            \(common)Connection: close\r
            \r

            """)
    }

    @Test("An additional Date field does not replace that of the response")
    func date() {
        var response = WebResponse(status: 404, text: "x", fields: [])
        response.complete(with: [HeaderField(wellFormedName: "date", value: "yesterday")])
        let text = String(decoding: response.head(at: WallTime(seconds: 0, microseconds: 0)).bytes, as: UTF8.self)
        #expect(text.contains("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n") && !text.contains("yesterday"))
    }

    @Test("a response's head has a date and a length, and closes the connection")
    func head() throws {
        let response = WebResponse(status: 426, text: "x", fields: [HeaderField(wellFormedName: "Upgrade", value: "y")])
        expectEqual(
            String(decoding: response.head(at: WallTime(seconds: 0, microseconds: 0)).bytes, as: UTF8.self),
            """
            HTTP/1.1 426 Upgrade Required\r
            Date: Thu, 01 Jan 1970 00:00:00 GMT\r
            Content-Type: text/plain; charset=utf-8\r
            Upgrade: y\r
            Content-Length: 2\r
            Connection: close, Upgrade\r
            \r

            """)
    }
}
