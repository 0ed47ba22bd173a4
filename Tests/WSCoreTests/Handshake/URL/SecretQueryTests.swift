import TestSupport
import Testing

@testable import WSCore

@Suite struct SecretQueryTests {
    static let maskingCases: [(String, String)] = [
        ("?access_token=x&room=7", "?access_token=•••&room=7"), ("/a?TOKEN=x", "/a?TOKEN=•••"),
        ("?access%5Ftoken=x", "?access%5Ftoken=•••"), ("?access%5ftoken=x", "?access%5ftoken=•••"),
        ("?access+token=x", "?access+token=•••"), ("?a=1;token=x;b=2", "?a=1;token=•••;b=2"),
        ("?token=a;b&c=d", "?token=•••&c=d"), ("?token=a=b==", "?token=•••"), ("?token=a?b", "?token=•••"),
        ("?token=x&token=y", "?token=•••&token=•••"), ("?token=", "?token="), ("?token", "?token"),
        ("?token=&a=b", "?token=&a=b"), ("?=x", "?=x"), ("??token=x", "??token=•••"),
        ("?sig=x&key=x&t=xyz1&k=xyz1&code=xyz1", "?sig=•••&key=•••&t=•••&k=•••&code=•••"),
        ("?p=3&t=10&code=DE&auth=none&session=true", "?p=3&t=10&code=DE&auth=none&session=true"),
        ("?room=conference-room-2026&v=1.2.3-beta.20261125", "?room=conference-room-2026&v=1.2.3-beta.20261125"),
        (
            "?id=0b6e7a52-41c1-4a0e-9d7e-000000000001&since=2026-11-25T10:00:00Z",
            "?id=0b6e7a52-41c1-4a0e-9d7e-000000000001&since=2026-11-25T10:00:00Z"
        ),
        ("?a=b#access_token=x&c=d", "?a=b#access_token=•••&c=d"), ("#token=x", "#token=•••"),
        // A value without a name, and one whose form says that it is a secret.
        ("?abcdef0123456789", "?•••"), ("?abcdef01234567", "?abcdef01234567"),
        ("?aveeerylongflag", "?aveeerylongflag"),
        ("?x=eyJhbGciOiJIUzI1NiJ9", "?x=•••"), ("?eyJhbGciOiJIUzI1NiJ9", "?•••"),
        // Values within values.
        ("?next=%2Fa%3Ftoken%3Dx", "?next=•••"), ("?next=/a?token=x", "?next=•••"),
        ("?init={%22token%22:%22x%22}", "?init=•••"), ("?next=%2Fa%3Froom%3Dx", "?next=%2Fa%3Froom%3Dx"),
        // Placeholders are names of values.
        ("?token={{token}}", "?token={{token}}"), ("?token={{env:A B}}&a=1", "?token={{env:A B}}&a=1"),
        ("?token=a{{token}}", "?token=•••"), ("?token=•••", "?token=•••"),
        // In other text.
        ("GET /a?token=x HTTP/1.1", "GET /a?token=••• HTTP/1.1"),
        ("see <ws://h/?key=x>, \"?sig=y\"", "see <ws://h/?key=•••>, \"?sig=•••\""),
        ("?token=%zz&a=%zz", "?token=•••&a=%zz"),
        ("/token/x?EIO=4&transport=websocket", "/token/x?EIO=4&transport=websocket"),
    ]

    @Test("The values of parameters that are likely secrets are masked, and nothing else", arguments: Self.maskingCases)
    func masking(text: String, masked: String) {
        expectEqual(SecretQuery.masking(text), masked)
        expectEqual(SecretQuery.masking(masked), masked)
    }

    @Test("The values of secret parameters are found as written and decoded")
    func values() {
        expectEqual(SecretQuery.values(in: "?a=b&token=x%2Fy"), ["x%2Fy", "x/y"])
    }

    @Test("Values within values are examined to a limited depth")
    func depth() {
        #expect(SecretQuery.masking(String(repeating: "?=", count: 100_000)).utf8.count <= 200_000)
    }

    @Test("A URL is shown without secrets, and is written with them, but never with its password")
    func url() throws {
        let url = try WebSocketURL(parsing: "wss://me:hush@h/a?token=x&b=1")
        expectEqual("\(url)", "wss://h/a?token=•••&b=1")
        expectEqual(url.text, "wss://h/a?token=x&b=1")
        expectEqual(url.requestTarget, "/a?token=x&b=1")
        expectEqual("\(url.adding(query: "id", "x"))", "wss://h/a?token=•••&b=1&id=•••")
        expectEqual(url.adding(query: "id", "x").requestTarget, "/a?token=x&b=1&id=x")
        let unix = try WebSocketURL(parsing: "ws+unix:/run/s:/a?key=x")
        #expect("\(unix)" == "ws+unix:/run/s:/a?key=•••" && unix.text == "ws+unix:/run/s:/a?key=x")
    }

    @Test("The parts of a URL that a template has inserted are not shown, also after its path has been completed")
    func inserted() throws {
        let url = try WebSocketURL(parsing: "ws://h/rooms/7?u=me&n=1").showing(target: "/rooms/•••?u=•••&n=1")
        expectEqual("\(url)", "ws://h/rooms/•••?u=•••&n=1")
        let completed = try url.changingTarget { $0 + "&EIO=4" }
        expectEqual("\(completed)", "ws://h/rooms/•••?u=•••&n=1&EIO=4")
        expectEqual(completed.requestTarget, "/rooms/7?u=me&n=1&EIO=4")
        let request = try ClientRequest(url: completed)
        #expect(request.shownHead(key: "k").hasPrefix("GET /rooms/•••?u=•••&n=1&EIO=4 HTTP/1.1\r\n"))
        let sent = String(decoding: request.head(key: "k"), as: UTF8.self)
        #expect(sent.hasPrefix("GET /rooms/7?u=me&n=1&EIO=4 HTTP/1.1\r\n"))
    }

    @Test("Text that is no valid URL is shown without its password and its secret parameters")
    func invalid() {
        expectEqual(WebSocketURL.shown("ws://u:p@h:x/?token=y z"), "ws://•••@h:x/?token=••• z")
        #expect(WebSocketURL.containsSecret("ws://u:p@h/") && WebSocketURL.containsSecret("nonsense ?token=x"))
        expectFalse(WebSocketURL.containsSecret("ws://u@h/?token={{env:T}}"))
    }
}
