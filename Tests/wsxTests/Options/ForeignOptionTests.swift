import CommandLine
import Testing

@testable import wsx

/// For options of other tools, errors name the right equivalent of ours, or none.
@Suite struct ForeignOptionTests {
    @Test(
        "An option of another tool is never taken for one of ours with another meaning",
        arguments: [
            ("--cacert", "use --ca PATH"), ("--user", "use -a USER:PASSWORD"), ("--max-messages", "use -n N"),
            ("--json", "use --output json for events, or write the message after the URL"),
            ("--data", "write the message after the URL, or use -f FILE"),
            ("--post", "write the message after the URL, or use -f FILE"),
            ("--tls-max", "leave it out, as there is only a lower limit (--tls-min)"), ("-m", "use --timeout DURATION"),
            ("-d", "write the message after the URL, or use -f FILE"), ("-t", "use --text"),
            ("-w", "use --linger DURATION"),
            ("--next", "'wsx connect -h' shows the options"), ("--interface", "use --source-ip IP"),
            ("--connect", "write the URL without it"), ("--protocol", "use -s NAME for a subprotocol"),
            ("--ping-interval", "use --heartbeat DURATION"), ("--vus", "use 'wsx bench -c N'"), ("-P", "use -v"),
        ])
    func connect(option: String, remedy: String) {
        #expect(Self.message(["connect", "echo:", option, "v"]) == "wsx: unknown option '\(option)'; \(remedy)")
    }

    @Test(
        "bench recognizes options of load generators, and listen those of servers",
        arguments: [
            ("bench", "-x", "use -m TEXT for a message, or --proxy URL for a proxy"),
            ("bench", "-z", "use -d DURATION"),
            ("bench", "-R", "use -r N"), ("bench", "--vus", "use -c N"), ("bench", "--json", "use --output json"),
            ("bench", "-u", "use -c N for connections, or -a USER:PASSWORD to log in"),
            ("listen", "--cert", "use --tls-cert FILE"), ("listen", "--cacert", "use --client-ca PATH"),
            ("listen", "-l", "write the port without it"), ("listen", "--host", "write [ADDRESS:]PORT without it"),
            ("listen", "--exec-timeout", "'wsx listen -h' shows the options"),
            ("listen", "--max-messages", "'wsx listen -h' shows the options"),
        ])
    func others(command: String, option: String, remedy: String) {
        #expect(Self.message([command, "0", option, "v"]) == "wsx: unknown option '\(option)'; \(remedy)")
    }

    @Test(
        "A typing error still finds the option",
        arguments: [
            ("--outptu", "output"), ("--quite", "quiet"), ("--no-sdtin", "no-stdin"), ("--noproxy", "no-proxy"),
            ("--lingr", "linger"), ("--sub-protocol", "subprotocol"), ("--compressed", "compress"),
            ("--colour", "color"),
            ("--heartbeet-mises", "heartbeat-misses"), ("--pass", "passphrase"), ("--out", "output"),
        ])
    func slips(option: String, meant: String) {
        #expect(
            Self.message(["connect", "echo:", option]) == "wsx: unknown option '\(option)'; did you mean '--\(meant)'?")
    }

    @Test(
        "An address of another tool is not taken for a host with a port or an IPv6 address",
        arguments: [
            (
                ["connect", "ws-l:127.0.0.1:80"],
                "'ws-l:127.0.0.1:80' for 'URL': this is an address for websocat; use 'wsx listen 127.0.0.1:80'"
            ),
            (
                ["listen", "ws-l:127.0.0.1:80"],
                "'ws-l:127.0.0.1:80' for '[ADDRESS:]PORT': this is an address for websocat; write 127.0.0.1:80"
            ),
            (
                ["connect", "autoreconnect:ws://me:secret@h"],
                "'•••@h' for 'URL': this is an address for websocat; use 'wsx --reconnect URL'"
            ),
            (
                ["listen", "ws://me:secret@h:1"],
                "'ws://•••@h:1' for '[ADDRESS:]PORT': this is a URL; write [ADDRESS:]PORT without the scheme"
            ),
            (
                ["-c", "100", "ws://h"],
                "'100' for 'URL': this is a number; write :100 for a port of this machine, or use 'wsx bench -c 100 URL' for a load test"
            ),
        ] as [([String], String)])
    func addresses(words: [String], expected: String) {
        #expect(Self.message(words) == "wsx: bad value " + expected)
    }

    @Test(
        "A host with the name of a websocat transport is a host",
        arguments: ["mirror:8080", "log:9000/path", "tcp:1", "ws-l:8080", "ws://mirror", "mirror", "exec", "echo:"])
    func hosts(value: String) throws {
        #expect(try ServerURLValue.parse(value) == value)
    }

    @Test("A command of another tool leads to ours", arguments: ["serve", "server"]) func commands(
        word: String
    ) {
        #expect(Self.message([word, "8080"]) == "wsx: unknown command '\(word)'; use 'wsx listen PORT'")
    }

    @Test("The table has no duplicate or existing names, and its remedies exist")
    func table() {
        for command in Command.allCases {
            let entries = ForeignOption.all.filter { $0.commands.contains(command) }
            let names = entries.flatMap(\.names)
            let own = TestProgram.options(of: command).flatMap { option in
                ["--\(option.long)"] + [option.short.map { "-\($0)" }].compactMap { $0 }
            }
            #expect(Set(names).count == names.count)
            #expect(Set(names).isDisjoint(with: own), "\(command)")
            for entry in entries where !entry.remedy.contains("'wsx ") {
                let words = entry.remedy.split { " ,()='".contains($0) }.filter { $0.hasPrefix("-") }
                #expect(words.allSatisfy { own.contains(String($0)) }, "\(command): \(entry.remedy)")
            }
        }
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
