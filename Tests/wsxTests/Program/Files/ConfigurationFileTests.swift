import CommandLine
import Glibc
import Testing
import WSCore

@testable import UserInterface

@Suite struct ConfigurationFileTests {
    private func file(_ variables: [String: String]) -> ConfigurationFile {
        ConfigurationFile(environment: { variables[$0] }, startsProgram: TestProgram.description.startsProgram)
    }

    private func read(_ variables: [String: String]) throws -> Configuration { try file(variables).read() }

    private func message(_ variables: [String: String], isError: Bool = true) -> String? {
        guard isError else {
            #expect(throws: Never.self) { _ = try read(variables) }
            return nil
        }
        return #expect(throws: UsageError.self) { _ = try read(variables) }?.message
    }

    @Test("WSX_CONFIG names the file") func named() throws {
        try withFile(Array("quiet\n[p]\n".utf8)) { path in
            let configuration = try read(["WSX_CONFIG": path, "HOME": "/nowhere"])
            #expect(configuration.defaults.map(\.name) == ["quiet"])
            #expect(configuration.path == path)
            #expect(file(["WSX_CONFIG": path]).profileWords == ["@p"])
        }
    }

    @Test(
        "Otherwise, the file is in the user's directories, and may be missing",
        arguments: [
            (["HOME": "/no/home"], "/no/home/.config/wsx/config"),
            (["HOME": "/no/home", "XDG_CONFIG_HOME": "/no/config"], "/no/config/wsx/config"),
            (["HOME": "/no/home", "XDG_CONFIG_HOME": "relative"], "/no/home/.config/wsx/config"),
        ])
    func usual(variables: [String: String], path: String) throws {
        let configuration = try read(variables)
        #expect(configuration.path == path)
        #expect(configuration.absence == "\(path) does not exist")
    }

    @Test("An empty WSX_CONFIG, or an unknown home directory, disables the configuration") func disabled() throws {
        #expect(try read(["WSX_CONFIG": "", "HOME": "/"]).absence != nil)
        #expect(try read([:]).absence != nil)
    }

    @Test("A file that WSX_CONFIG names must exist") func missing() {
        #expect(message(["WSX_CONFIG": "/no/file"]) == "wsx: /no/file: no such file or directory (WSX_CONFIG)")
        #expect(message(["WSX_CONFIG": "/"]) == "wsx: /: it is a directory; name a file (WSX_CONFIG)")
        #expect(file(["WSX_CONFIG": "/no/file"]).profileWords == [])
    }

    @Test("A line that is not UTF-8 is reported with its number") func invalidText() throws {
        try withFile(Array("a\n".utf8) + [0xFF]) { path in
            #expect(message(["WSX_CONFIG": path]) == "wsx: \(path), line 2: it is not UTF-8 text")
        }
    }

    @Test(
        "A literal secret is recognized",
        arguments: [
            "bearer = t", "auth = me:secret", "user = me:secret", "cookie = a=b", "passphrase = p",
            "[p]\nurl = wss://me:secret@h/", "proxy = http://me:secret@h:1", "header = Authorization: Basic x",
            "header = X-Api-Key: x", "header = X-Login: x", "[p]\nurl = wss://h/?token=x",
            "[p]\nurl = wss://h/?a=1&t=xyz1",
            "subprotocol = base64url.bearer.authorization.k8s.io.x", #"first-message = {"token":"x"}"#,
            #"answer = ^auth => {"password":"x"}"#, #"execute = {"token":"x"}"#, "execute = Bearer x",
            "message = eyJ.x.y",
            "header = X-Relay: Bearer x", "header = X-State: eyJ.x.y", "header = Referer: http://h/?token=x",
            "header = Sec-WebSocket-Protocol: access_token, x", "subprotocol = access_token, x",
        ])
    func secrets(text: String) throws {
        #expect(try Configuration(parsing: text, path: "").firstLiteralSecret != nil)
    }

    @Test(
        "Names of files and variables, and harmless values, are no secrets",
        arguments: [
            "bearer = env:T", "bearer = @token", "auth = me", "auth = env:A", "cookie = @c", "cookie = jar.txt",
            "passphrase = env:P",
            "[p]\nurl = wss://h/@x:y", "[p]\nurl = wss://me@h/", "proxy = http://h:1", "proxy = env:P",
            "[p]\nurl = wss://h/?token={{env:T}}", "[p]\nurl = wss://h/?room=1",
            #"first-message = {"token":{{json:env:T}}}"#,
            "first-message = @login.json", "subprotocol = chat", "header = @fields", "bearer = exec:x",
            "auth = exec:x a:b",
            "header = exec:x Authorization: Bearer t", "cookie = exec:x a=b", "proxy = exec:x",
            "header = Accept: x", "header = X-Plan: bearer", "execute = hello", "subprotocol = a,b", "bearer",
            "bearer =", "tls-cert = a:b",
        ])
    func harmless(text: String) throws {
        #expect(try Configuration(parsing: text, path: "").firstLiteralSecret == nil)
    }

    @Test("Each option whose value may be a secret is recognized") func secretOptions() throws {
        let options = TestProgram.pages.flatMap { TestProgram.options(of: $0) }.filter { $0.manual.contains(.secrets) }
        #expect(!options.isEmpty)
        for option in options {
            let value = option.long == "proxy" ? "http://me:secret@h:1" : "a:b=c"
            let configuration = try Configuration(parsing: "\(option.long) = \(value)", path: "")
            #expect(configuration.firstLiteralSecret != nil, "--\(option.long)")
            let reference = option.long == "param" ? "a=exec:x" : "exec:x"
            let program = try Configuration(parsing: "\(option.long) = \(reference)", path: "")
            #expect(program.firstLiteralSecret == nil, "--\(option.long)")
        }
    }

    @Test("An option starts a program exactly if its declaration says so, in each file that others can write")
    func programs() throws {
        for option in TestProgram.pages.flatMap({ TestProgram.options(of: $0) }) {
            let choices = option.value?.completion.choices.map(\.name) ?? []
            let takesProgram =
                option.manual.contains(.secrets) || option.manual.contains { $0.source.contains("`exec:`*COMMAND*") }
                || choices.contains { $0.hasPrefix("exec:") }
            let value = ["param": "a=exec:x", "answer": "a => exec:x"][option.long] ?? "exec:x"
            #expect(option.startsProgram(value) == (takesProgram || option.long == "exec"), "--\(option.long)")
        }
        for (line, starts) in [
            ("decode = exec:x", true), ("[p]\nencode = \"exec:x\"", true), ("user = exec:x", true),
            ("header = exec:x", true), ("answer = a => exec:x", true), ("answer = exec:x => a", false), ("exec", true),
            ("exec = true", true), ("exec = false", false),
            ("header = exec: x", false), ("first-message = exec:x", false), ("decode = msgpack", false),
        ] {
            try withFile(Array(line.utf8)) { path in
                #expect(chmod(path, 0o666) == 0)
                let words = message(["WSX_CONFIG": path], isError: starts)
                #expect((words?.contains("starts a program") ?? false) == starts, "\(line)")
            }
        }
    }
}
