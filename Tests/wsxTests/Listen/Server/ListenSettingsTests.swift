import Testing
import WSCore

@testable import Listen
@testable import UserInterface

@Suite struct ListenSettingsTests {
    @Test(
        "An address is a port, an address with a port, or a socket path; the default is loopback",
        arguments: [
            ("8080", "127.0.0.1:8080"), ("0", "127.0.0.1:0"), (":8080", "127.0.0.1:8080"),
            ("localhost:1", "127.0.0.1:1"), ("127.0.0.2:65535", "127.0.0.2:65535"), ("*:80", "0.0.0.0:80"),
            ("0.0.0.0:80", "0.0.0.0:80"), ("[::1]:8080", "[::1]:8080"), ("[::]:8080", "[::]:8080"),
            ("unix:/run/s", "unix:/run/s"), ("unix:s:1", "unix:s:1"), ("unix:./x y", "unix:./x y"),
        ])
    func endpoint(text: String, expected: String) throws {
        switch try #require(try settings({ $0.address = text }).endpoints.first) {
        case .tcp(let address): #expect("\(address)" == expected)
        case .unix(let path): #expect("unix:\(path)" == expected)
        case .inherited: #expect(Bool(false))
        }
    }

    @Test(
        "An invalid port is rejected",
        arguments: [":", "x", "65536", "-1", "+1", "80x", "localhost", "127.0.0.1", "127.0.0.1:", "[::1]", "٣"])
    func badPort(text: String) {
        expectMessage("[ADDRESS:]PORT '\(text)': the port is not a number from 0 to 65535; write a port such as 8080") {
            () throws(Failure) in _ = try self.settings { $0.address = text }
        }
    }

    @Test("An address is required unless sockets are inherited")
    func noAddress() {
        expectMessage(
            "'wsx listen' needs [ADDRESS:]PORT; try 'wsx listen 8080', or pass a socket with LISTEN_FDS"
        ) { () throws(Failure) in _ = try self.settings { $0.address = "" } }
    }

    @Test(
        "An invalid host is rejected",
        arguments: [("example.com:80", "example.com"), ("1.2.3:80", "1.2.3"), ("[x]:1", "x")])
    func badHost(text: String, host: String) {
        expectMessage(
            "[ADDRESS:]PORT '\(text)': '\(host)' is not an IP address; write an IP address of this machine, localhost, or * for all IPv4 addresses"
        ) {
            () throws(Failure) in _ = try self.settings { $0.address = text }
        }
    }

    @Test("An IPv6 address without brackets gets a hint", arguments: ["::1", "::1:8080", "fe80::1:80"])
    func missingBrackets(text: String) {
        expectMessage("[ADDRESS:]PORT '\(text)': an IPv6 address needs brackets; write [::1]:8080") {
            () throws(Failure) in _ = try self.settings { $0.address = text }
        }
    }

    @Test("unix: requires a path")
    func noPath() {
        expectMessage("[ADDRESS:]PORT 'unix:': the path is missing; write unix:PATH") {
            () throws(Failure) in _ = try self.settings { $0.address = "unix:" }
        }
    }

    @Test("Invalid server settings are rejected")
    func policy() throws {
        expectMessage("--path: \"x\" is not a path; write one like /chat, without a query") {
            () throws(Failure) in _ = try self.settings { $0.server.path = "x" }
        }
        let settings = try self.settings {
            $0.server.path = "/chat"
            $0.server.subprotocols = ["a"]
            $0.access.origins = ["*"]
            $0.server.headers = ["X: 1"]
        }
        #expect(settings.policy.path == "/chat")
        #expect(settings.policy.subprotocols == ["a"])
        #expect(settings.policy.allowedOrigins == ["*"])
        #expect(settings.policy.checksHostAndOrigin)
        #expect(settings.policy.extraFields.map(\.name) == ["X"])
    }

    @Test("An origin that looks like a pattern is rejected because it would never match")
    func originPattern() {
        expectMessage(
            "--origin: \"https://*.example\" would never match, because origins have no wildcards; list each origin, or use * for all"
        ) { () throws(Failure) in _ = try self.settings { $0.access.origins = ["https://*.example"] } }
    }

    @Test("An echo server neither reads input nor writes messages, but may write events")
    func echo() throws {
        let echo = try self.settings { $0.mode = .echo }
        #expect(!echo.readsPipe && !echo.writesOutput && !echo.hasPrompt)
        #expect(echo.connection.pausesReadingWhenFull)
        let events = try self.settings {
            $0.mode = .echo
            $0.format.output = .json
        }
        #expect(events.writesOutput)
        let relay = try self.settings { $0.format.input = .nul }
        #expect(relay.readsPipe && relay.writesOutput)
        #expect(!relay.connection.pausesReadingWhenFull)
    }

    private func settings(_ change: (inout ListenArguments) -> Void) throws(Failure) -> ListenSettings {
        var arguments = ListenArguments()
        arguments.address = "0"
        change(&arguments)
        return try ListenSettings(arguments)
    }
}
