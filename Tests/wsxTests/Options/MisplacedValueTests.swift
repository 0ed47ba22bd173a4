import CommandLine
import Testing

@testable import UserInterface
@testable import wsx

/// Values clearly meant for another option: some letters have another meaning in curl, wscat, websocat, and wrk.
@Suite struct MisplacedValueTests {
    @Test(
        "-x does not send a proxy's address, with its password, as a message",
        arguments: [
            "http://user:secret@proxy", "http://proxy:3128", "https://proxy/", "socks5h://127.0.0.1:9050",
            "socks4://proxy:1080", "socks4a://user:secret@proxy", "user:secret@proxy:3128", "127.0.0.1:3128",
            "localhost:8080", "[::1]:8080", "http://user:se/cret@proxy:3128",
            "http://user:secret@proxy:3128/path", "http://user:s ecret@proxy:3128", "http://user:secret@",
            "ftp://user:secret@proxy:1080", "http://user:se@cret@proxy",
        ])
    func proxyAsMessage(value: String) {
        for words in [["-x", value], ["-x\(value)"], ["--execute", value], ["--execute=\(value)"]] {
            let message = Self.message(["connect", "u"] + words)
            #expect(message?.contains("use --proxy URL") == true, "\(words)")
            #expect(message?.contains("secret") == false && message?.contains("cret@") == false, "\(words)")
        }
    }

    @Test(
        "-x sends all other texts",
        arguments: [
            "hello", "", "room:42", "http://example.com/page", "https://social.example/@name", "ftp://h", "wss://h/",
            #"{"url":"http://user:secret@proxy"}"#, "mailto:me@example.com", "127.0.0.1", "a:b@c", "GET http://h",
            "::1",
            "12:30",
        ])
    func messages(value: String) throws {
        #expect(try MessageValue.parse(value) == value)
        #expect(Self.message(["connect", "u", "http://proxy:3128"]) == nil)
    }

    @Test(
        "-o accepts only origins, so no file or format becomes the Origin field",
        arguments: [
            "out.txt", "/dev/null", "-", "json", "text", "", "example.com", "https://", "https://a/", "https://a/b",
            "https://a?q", "https://a#f", "https://me:secret@a", "https://a b", "https://a:0", "https://a:65536",
            "https://::1", "NULL", "https://a,https://b", "//a",
        ])
    func notAnOrigin(value: String) {
        for command in [["connect", "u"], ["bench", "u"], ["listen", "0"]] {
            for words in [["-o", value], ["--origin=\(value)"]] {
                let message = Self.message(command + words)
                #expect(message?.hasPrefix("wsx: invalid value '") == true, "\(command + words)")
                #expect(message?.contains("secret") == false)
            }
        }
    }

    @Test(
        "An origin of any scheme is accepted, and so is null",
        arguments: [
            "https://app.example", "http://app.example:8080", "http://[::1]", "https://[2001:db8::1]:8443", "null",
            "chrome-extension://abcdefgh", "HTTPS://App.Example",
        ])
    func origins(value: String) throws {
        for command in [["connect", "u"], ["bench", "u"], ["listen", "0"]] {
            #expect(Self.message(command + ["-o", value]) == nil)
        }
        #expect(try OriginValue.parse("*", allAllowed: true) == "*")
        #expect(throws: ValueProblem.self) { try OriginValue.parse("*") }
    }

    @Test("A switch of another tool does not consume the URL", arguments: ["-s", "-b", "-f", "-fsSL", "-sS"])
    func swallowedURL(option: String) {
        for command in [["connect"], ["bench"], []] {
            let message = Self.message(command + [option, "wss://me:secret@h/?a=b"])
            #expect(message?.contains("' for '-\(option.dropFirst().first ?? " ")': this is ") == true, "\(command)")
            #expect(message?.contains("secret") == false)
        }
    }

    @Test(
        "The error names the right option",
        arguments: [
            (["bench", "u", "-o", "json"], "'json' for '-o': this is an output format; use --output json"),
            (["connect", "u", "-o", "raw"], "'raw' for '-o': this is an output format; use --output raw"),
            (
                ["connect", "-s", "wss://h"],
                "'wss://h' for '-s': this is a URL, not a subprotocol; use --quiet to silence notices"
            ),
            (
                ["-s", "8080"],
                "'8080' for '-s': this is a number, not a subprotocol; use 'wsx listen 8080' for a server"
            ),
            (["connect", "-sS", "u"], "'S' for '-s': this is part of curl's -sS; use --quiet to silence notices"),
            (
                ["bench", "-s", "load.lua", "u"],
                "'load.lua' for '-s': this is a script, not a subprotocol; use --message TEXT or --file FILE"
            ),
            (
                ["connect", "-b", "ws://h"],
                "'ws://h' for '-b': this is a URL, not a cookie; use --binary to send binary messages"
            ),
            (
                ["connect", "-n", "wss://h"],
                "'wss://h' for '-n': this is a URL, not a number; use --insecure for wscat's -n, omit websocat's -n, or use --count N"
            ),
            (
                ["connect", "-f", "ws://h"],
                "'ws://h' for '-f': this is a URL, not a file; omit curl's -f (failures always set the exit status), or write ./FILE for a file"
            ),
        ] as [([String], String)])
    func remedies(words: [String], expected: String) {
        #expect(Self.message(words) == "wsx: invalid value " + expected)
    }

    @Test("As in curl, a cookie without an equals sign is the name of a file")
    func cookies() throws {
        for text in ["a=b", "a=b; c=d", "a=http://h/", "@file", "env:NAME", "=b"] {
            #expect(try CookieValue.parse(text) == .text(text))
        }
        for path in ["jar.txt", "/tmp/jar", "-", "b"] { #expect(try CookieValue.parse(path) == .file(path)) }
        #expect(throws: ValueProblem.self) { try CookieValue.parse("") }
    }

    @Test(
        "A file or subprotocol with a usual name is accepted", arguments: ["s", "L", "ss", "chat", "v10.stomp", "a/b"])
    func ordinaryNames(value: String) throws {
        #expect(try MessageFileValue.parse(value) == value)
        #expect(try SubprotocolValue.parse(value) == [value])
    }

    @Test("The error for an unexpected argument does not show a password") func unexpected() {
        #expect(
            Self.message(["listen", "0", "http://me:secret@h"])
                == "wsx: unexpected argument 'http://•••@h'; use 'wsx relay [ADDRESS:]PORT URL'")
    }

    private static func message(_ words: [String]) -> String? {
        do throws(UsageError) {
            _ = try Invocation.program.parse(words)
            return nil
        } catch {
            return error.message
        }
    }
}
