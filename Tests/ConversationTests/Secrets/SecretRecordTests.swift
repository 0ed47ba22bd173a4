import Conversation
import Formats
import TestSupport
import Testing
import WSCore

@Suite struct SecretRecordTests {
    @Test("The secrets of a run are the values of its options and their parts")
    func record() throws {
        let record = SecretRecord()
        record.add("me:hush-hush", of: "--auth")
        record.add("sid=xyz", of: "--cookie")
        record.add("http://u:proxypass@proxy:8080", of: "--proxy")
        record.add(try Credentials(user: "url", password: "urlpass"))
        let fields = [
            try HeaderField(parsing: "Authorization: Custom opaque"),
            try HeaderField(parsing: "Cookie: a=first; b=second"),
            try HeaderField(parsing: "X-API-Key: of-the-service"),
            try HeaderField(parsing: "X-Plain: shown"),
        ]
        record.add(try ClientRequest(url: try WebSocketURL(parsing: "ws://host/"), extraFields: fields))
        let expected = [
            "me:hush-hush", "hush-hush", "sid=xyz", "xyz", "proxypass", "urlpass", "url:urlpass", "opaque", "first",
            "second", "of-the-service",
        ]
        for text in expected { #expect(record.texts.contains(text), "\(text)") }
        #expect(!record.texts.contains("me") && !record.texts.contains("shown"))
    }

    private func record(_ secrets: String...) -> SecretRecord {
        let record = SecretRecord()
        for secret in secrets { record.add(inserted: secret) }
        return record
    }

    static let formsCases: [(String, String)] = [
        ("bad token p\"/<w ö&d!", "bad token •••"),
        ("?t=p%22%2F%3Cw%20%C3%B6%26d%21&u=1", "?t=•••&u=1"), ("?t=p%22/%3cw+%c3%b6%26d!", "?t=•••"),
        ("?t=p%2522%252F%253Cw%2520%25C3%25B6%2526d%2521", "?t=•••"),
        (#"{"t":"p\"\/<w ö&d!"}"#, #"{"t":"•••"}"#), (#"{"t":"p\u0022/\u003Cw \u00f6\u0026d!"}"#, #"{"t":"•••"}"#),
        ("<b>p&quot;/&lt;w ö&amp;d!</b>", "<b>•••</b>"), ("<b>p&#34;/&#x3C;w &#xF6;&#38;d!</b>", "<b>•••</b>"),
        (#"p\x22/\x3cw ö&d!"#, "•••"), ("p\"/<w ö&d!p\"/<w ö&d!", "••••••"),
        ("p\"/<w ö&D!", "•••D!"), ("p\"/<W", "p\"/<W"), ("p%", "p%"), (#"p\u00"#, #"p\u00"#), ("p&#34", "p&#34"),
    ]

    @Test("A secret that a server repeats is masked, in whatever form it repeats it", arguments: Self.formsCases)
    func forms(text: String, masked: String) {
        expectEqual(record("p\"/<w ö&d!").masking(text), masked)
    }

    @Test("Of a cut secret, the beginning is masked; other text with the same beginning is not")
    func beginnings() {
        let record = record("abcdefghijklmnopqrstuvwxyz0123456789")
        expectEqual(record.masking("no: abcdefgh"), "no: •••")
        expectEqual(record.masking("no: \"abcdefghij…\""), "no: \"•••…\"")
        expectEqual(record.masking("abcdefghij... is bad"), "•••... is bad")
        expectEqual(record.masking("abcdefghijklmnopqrst is bad"), "••• is bad")
        expectEqual(record.masking("abcdefghij is a name"), "abcdefghij is a name")
        expectEqual(record.masking("abcdefg"), "abcdefg")
    }

    @Test("A short secret is masked as a separate word; a shorter one cannot be told from other text")
    func short() throws {
        let record = record("ab1", "x", "no", "")
        expectEqual(record.masking("ab1, ab1d, (ab1) x no"), "•••, ab1d, (•••) x no")
        record.add(try Credentials(user: "me", password: "pw"))
        expectEqual(record.masking("me:pw is wrong, Basic bWU6cHc= too"), "••• is wrong, Basic ••• too")
    }

    @Test("A secret that is a short word hides no words of messages") func words() throws {
        let record = record("the", "open", "Host")
        record.add(try Credentials(user: "me", password: "open"))
        let message = "the connection is open: Host"
        expectEqual(record.masking(message), message)
        expectEqual(record.masking("me:open bWU6b3Blbg=="), "••• •••")
    }

    @Test("A secret is masked in Base64, too", arguments: ["to~ken?>ö", "token-1", "token-12", "token-123"])
    func base64(secret: String) {
        let standard = Base64.text(of: Array(secret.utf8).span.bytes)
        let urlSafe = standard.replacing("+", with: "-").replacing("/", with: "_")
        for form in [standard, urlSafe, urlSafe.replacing("=", with: "")] {
            expectEqual(record(secret).masking("<\(form)>"), "<•••>")
        }
    }

    @Test("A token in a field with a harmless name is masked") func tokens() {
        let record = SecretRecord()
        record.add(sentHead: "GET / HTTP/1.1\r\nX-Relay: Bearer relay-1\r\nX-State: eyJhIjox.eyJi.c2ln\r\n\r\n")
        expectEqual(record.masking("relay-1 eyJhIjox.eyJi.c2ln Bearer"), "••• ••• Bearer")
    }

    @Test("The answer to a challenge of Digest authentication is masked, and so is its response alone")
    func digest() {
        let record = SecretRecord()
        record.add(
            sentHead: "GET / HTTP/1.1\r\nAuthorization: Digest username=\"me\", nc=00000001, "
                + "response=\"6629fae49393a05397450978507c4ef1\"\r\n\r\n")
        expectEqual(record.masking("6629fae49393a05397450978507c4ef1 me 00000001"), "••• me 00000001")
    }

    @Test("A text that takes too long to search is hidden from there on")
    func repetitive() {
        // Fewer than half of the bytes match.
        let record = record(String(repeating: "a", count: 1500) + String(repeating: "b", count: 1600))
        let masked = record.masking("no " + String(repeating: "a", count: 60_000))
        #expect(masked.hasPrefix("no aaa") && masked.hasSuffix("•••") && masked.utf8.count < 30_000)
    }

    @Test("Cookies with common words hide nothing, unless their names are telling")
    func cookies() {
        let record = SecretRecord()
        record.add("lang=english; env=prod; session=lowercase", of: "--cookie")
        expectEqual(record.masking("english prod lowercase"), "english prod •••")
    }

    @Test("Of secrets that begin alike, the longest is masked")
    func longest() {
        expectEqual(record("abcdef", "abcdefghi").masking("abcdefghi abcdef"), "••• •••")
    }

    @Test("The logins of a request are masked in all forms in which they are sent")
    func sent() throws {
        let record = SecretRecord()
        record.add("me:hush-hush", of: "--auth")
        record.add("theme=dark-blue", of: "--cookie")
        record.add("alice", of: "--auth")
        record.add("id={{user}}", of: "--cookie")
        record.add(
            sentHead: "GET /?token=shown HTTP/1.1\r\nHost: host-name\r\n"
                + "Proxy-Authorization: Basic dTpwcm94eXB3OQ==\r\n"
                + "Cookie: a=stored-one; b=stored-two\r\nX-Login: who-am-i\r\nX-Plain: harmless\r\n"
                + "Sec-WebSocket-Protocol: chat.v1, base64url.bearer.authorization.k8s.io.abcdef\r\n\r\n")
        record.add(try WebSocketURL(parsing: "ws://u:url%20word@host/?access%5Ftoken=in%2Fquery&room=lobby"))
        for secret in [
            "hush-hush", "bWU6aHVzaC1odXNo", "dark-blue", "proxypw9", "dTpwcm94eXB3OQ==", "dTpwcm94eXB3OQ",
            "stored-one", "stored-two", "who-am-i", "base64url.bearer.authorization.k8s.io.abcdef", "url word",
            "in/query",
        ] {
            expectEqual(record.masking("<\(secret)>"), "<•••>", "\(secret)")
        }
        for text in ["alice", "me", "theme", "host-name", "harmless", "chat.v1", "lobby", "Basic", "{{user}}"] {
            expectEqual(record.masking("<\(text)>"), "<\(text)>")
        }
    }

    private static let credentials: [(field: String, secret: String)] = [
        (#"Authorization: Token token="hush-1""#, "hush-1"), ("X-Api-Key: key=letmein", "letmein"),
        ("Authorization: ApiKey id:s3c", "s3c"), ("X-Auth: v1;kqxvzw;x", "kqxvzw"), ("X-Auth: v1:kqxvzw:x", "kqxvzw"),
        (#"Cookie: a="quoted-1""#, "quoted-1"), ("Cookie: sid=per%2Fcent%201", "per/cent 1"),
        (#"Cookie: state={"user":{"token":"member"}}"#, "member"),
        ("Cookie: state=%7B%22token%22%3A%22member%22%7D", "member"),
        ("X-Plain: /?auth=%7B%22pass%22%3A%22member%22%7D", "member"),
        ("Sec-WebSocket-Protocol: chat, bearer.letmein", "letmein"),
        ("Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.a1.b2.c3", "a1.b2.c3"),
        ("Authorization: Bearer key=aGVsbG8tMQ==", "aGVsbG8tMQ"),
    ]

    @Test("A secret inside a longer credential is masked when the peer repeats it alone", arguments: credentials)
    func parts(field: String, secret: String) {
        let record = SecretRecord()
        record.add(sentHead: "GET / HTTP/1.1\r\n\(field)\r\n\r\n")
        expectEqual(record.masking("<\(secret)>"), "<•••>")
        for word in ["Token", "token", "ApiKey", "state", "chat"] { expectEqual(record.masking(word), word) }
    }

    @Test("The secrets in a message are the values of telling names") func messages() {
        let record = SecretRecord()
        record.add(message: #"{"op":"login","args":{"tokens":["list-1","list-2"],"apiKey":"a\"b\\c","auth":true}}"#)
        record.add(message: #"{"data":"{\"password\":\"nested-1\"}"} passcode:st0mp session=kq{{env:X}}"#)
        record.add(message: "CONNECT\nAuthorization: Bearer letmein-1\n")
        for secret in ["list-1", "list-2", "a\"b\\c", "nested-1", "st0mp", "letmein-1"] {
            expectEqual(record.masking("<\(secret)>"), "<•••>", "\(secret)")
        }
        for word in ["login", "true", "tokens", "CONNECT"] { expectEqual(record.masking("<\(word)>"), "<\(word)>") }
    }

    @Test("Words of ours that equal a secret are shown; text of a peer in quotes and in paths has none") func lines() {
        let record = record("4007", "403", "localhost", "8080", "closed", "12:00:01", "hush-1")
        for (line, masked) in [
            ("closed: 4007 at 12:00:01, localhost:8080", "closed: 4007 at 12:00:01, localhost:8080"),
            (#"closed: 4007 "no 4007" 403 "x\" 403" 403"#, #"closed: 4007 "no •••" 403 "x\" •••" 403"#),
            ("connecting to ws://localhost:8080/hush-1?a=403: 403", "connecting to ws://localhost:8080/•••?a=•••: 403"),
            (#"4007 "cut hush-1"#, #"4007 "cut •••"#), ("plain", "plain"), ("", ""),
        ] {
            expectEqual(record.masking(line: line), masked)
        }
    }

    @Test("Of values that were computed from secrets, the last 64 with at least 8 bytes are masked")
    func computedValues() {
        let record = SecretRecord()
        let values = (0..<65).map { "\($0 + 100)-signature" }
        for value in values + ["1234567"] { record.sink.add(Array(value.utf8)) }
        expectEqual(record.masking("\(values[0]) 1234567"), "\(values[0]) 1234567")
        expectEqual(record.masking("\(values[1]), \(values[64])"), "•••, •••")
        expectEqual(record.masking(line: "120-signature \"120-signature\""), "120-signature \"•••\"")
    }
}
