import Conversation
import Testing
import WSCore

@testable import UserInterface

@Suite struct ReportedHeadTests {
    @Test("A request is shown line by line, without secrets, whatever the case of field names")
    func request() {
        let head =
            "GET /p HTTP/1.1\r\nHost: h\r\nAuthorization: Basic c2VjcmV0\r\ncookie: a=secret\r\n"
            + "PROXY-Authorization: secret\r\nX-Cookie: shown\r\nx-csrf-token: secret\r\n\r\n"
        #expect(
            ReportedHead.lines(ofSent: head, without: SecretRecord()) == [
                "GET /p HTTP/1.1", "Host: h", "Authorization: •••", "cookie: •••", "PROXY-Authorization: •••",
                "X-Cookie: shown", "x-csrf-token: •••",
            ])
    }

    @Test("A path that contains a colon and the name of a secret is not hidden: the request line is no field")
    func requestLine() {
        let head = "GET /echo/password HTTP/1.1: x\r\nPassword: secret\r\n\r\n"
        #expect(ReportedHead.lines(ofSent: head, without: SecretRecord())[0] == "GET /echo/password HTTP/1.1: x")
        #expect(
            ReportedHead.lines(ofSent: "GET /echo/password HTTP/1.1\r\nHost: h\r\n\r\n", without: SecretRecord())
                == ["GET /echo/password HTTP/1.1", "Host: h"])
    }

    @Test("A URL in any field, and a token among subprotocols, are shown without secrets")
    func values() throws {
        let head =
            "GET / HTTP/1.1\r\nReferer: https://h/?a=1&token=x\r\nLocation: /?sig=x#access_token=y\r\n"
            + "Link: <https://h/?key=x>; rel=next\r\nSec-WebSocket-Protocol: access_token, x, chat\r\nX-Relay: Bearer x\r\nVia: eyJ.x.y\r\n\r\n"
        #expect(
            ReportedHead.lines(ofSent: head, without: SecretRecord()) == [
                "GET / HTTP/1.1", "Referer: https://h/?a=1&token=•••", "Location: /?sig=•••#access_token=•••",
                "Link: <https://h/?key=•••>; rel=next", "Sec-WebSocket-Protocol: access_token, •••, chat",
                "X-Relay: •••", "Via: •••",
            ])
        let request = RequestHead(
            method: "GET", target: "/a?token=x&b=1", fields: HTTPFields(), minorVersion: 1)
        #expect(ReportedHead.lines(of: request, without: SecretRecord()) == ["GET /a?token=•••&b=1 HTTP/1.1"])
    }

    @Test("Fields in JSON have names in lower case, all their values, and no secrets")
    func json() throws {
        let fields = HTTPFields([
            try HeaderField(name: "Via", value: "1.1 a"), try HeaderField(name: "Set-Cookie", value: "session=secret"),
            try HeaderField(name: "via", value: "\"b\""), try HeaderField(name: "LOCATION", value: "wss://u:secret@h/"),
        ])
        #expect(
            text(of: ReportedHead.json(fields, without: SecretRecord()).text)
                == #"{"via":["1.1 a","\"b\""],"set-cookie":["•••"],"location":["wss://•••@h/"]}"#)
        #expect(text(of: ReportedHead.json(HTTPFields(), without: SecretRecord()).text) == "{}")
    }

    @Test("A response is shown with its status, without secrets, and with control characters escaped")
    func response() throws {
        let fields = HTTPFields([
            try HeaderField(name: "Server", value: "x\u{202E}y"),
            try HeaderField(name: "set-cookie", value: "session=secret"),
            try HeaderField(name: "location", value: "wss://u:secret@h/"),
        ])
        let head = ResponseHead(status: 403, reason: "No\u{9B}", fields: fields, minorVersion: 0)
        #expect(
            ReportedHead.lines(of: head, without: SecretRecord()) == [
                #"HTTP/1.0 403 No\u{9B}"#, #"Server: x\u{202E}y"#, "set-cookie: •••",
                "location: wss://•••@h/",
            ])
        #expect(
            ReportedHead.lines(of: ResponseHead(status: 200, reason: "", fields: HTTPFields()), without: SecretRecord())
                == ["HTTP/1.1 200"])
    }
}
