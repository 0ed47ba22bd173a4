import CommandLine
import Testing

@testable import UserInterface
@testable import wsx

/// For options of other tools, errors name the right equivalent of ours, or none.
@Suite struct ForeignOptionTests {
    @Test(
        "An option of another tool is never taken for one of ours with another meaning",
        arguments: [
            ("--capath", "use --ca PATH"), ("--basic-auth", "use --auth USER:PASSWORD"),
            ("--max-messages", "use --count N"),
            ("--data-raw", "put the message after the URL, or use --file FILE"),
            ("--post", "put the message after the URL, or use --file FILE"),
            ("--tls-max", "omit it: only the oldest version can be set (--tls-min)"),
            ("-m", "use --timeout DURATION, or put a message after the URL"),
            ("-d", "put the message after the URL, or use --file FILE"),
            ("-t", "use --text, or 'wsx bench -t N URL' for a load test on N threads"),
            ("-O", "use > FILE to save received messages"), ("-I", "use --verbose to show the handshake"),
            ("-j", "remove the lines with the expiry 0 from the cookie file"),
            ("-A", "use --user-agent TEXT, or --bearer TOKEN to log in"),
            ("-e", "use -H 'Referer: URL'; programs of --exec always get variables"),
            (
                "-X",
                "omit it: a WebSocket handshake always uses GET; with nc's value, use --proxy http://HOST:PORT or socks5://HOST:PORT"
            ),
            ("-E", "use --linger 0 to exit at the end of the input, or --cert FILE for a certificate"),
            ("--slash", "omit it: the prompt always has commands such as /ping"),
            ("--retry", "use --reconnect=N"),
            ("--retry-delay", "use --reconnect-delay DURATION with --reconnect"),
            ("-z", "use 'wsx bench' for a load test"),
            ("--next", "wsx makes one connection; write the second command alone"),
            ("--interface", "use --source-ip IP"),
            ("--connect", "write just the URL"),
            ("--ping-interval", "use --heartbeat DURATION"), ("--vus", "use 'wsx bench' for a load test"),
            ("--print-ping-rtts", "use --verbose"),
            ("-N", "omit it: messages are written as they arrive; 'wsx curl' takes curl's options"),
            ("-T", "use --file FILE to send one message, or standard input to send lines"),
            ("--proxy-user", "use --proxy http://USER:PASSWORD@HOST:PORT"),
            ("--client-pkcs12-der", "use --cert FILE with a PEM or PKCS #12 file"),
        ])
    func connect(option: String, remedy: String) {
        #expect(Self.message(["connect", "echo:", option, "v"]) == "wsx: unknown option '\(option)'; \(remedy)")
    }

    @Test(
        "bench recognizes options of load generators, and listen those of servers",
        arguments: [
            ("bench", "-x", "use --message TEXT for a message, or --proxy URL for a proxy"),
            ("bench", "-z", "use --duration DURATION"),
            ("bench", "-R", "use --rate N"), ("bench", "--vus", "use --connections N"),
            ("bench", "-j", "use --output json > FILE"),
            ("bench", "--cookie-jar", "omit it: a load test does not save cookies"),
            ("bench", "--latency", "omit it: latencies are always shown"),
            ("bench", "--data-raw", "use --message TEXT or --file FILE"),
            ("bench", "--latency-correction", "omit it: with --rate, latencies always count from the due time"),
            ("listen", "--cert", "use --tls-cert FILE"), ("listen", "--cacert", "use --client-ca PATH"),
            ("listen", "-u", "use --auth USER:PASSWORD"), ("listen", "--oneshot", "use --once"),
            ("listen", "--static-file", "use --serve DIR"), ("listen", "--sslcert", "use --tls-cert FILE"),
            ("listen", "-l", "write just the port"), ("listen", "--host", "write just [ADDRESS:]PORT"),
            ("listen", "--exec-timeout", "'wsx listen -h' lists the options"),
            ("listen", "--max-messages", "use --close-after N"),
        ])
    func others(command: String, option: String, remedy: String) {
        #expect(Self.message([command, "0", option, "v"]) == "wsx: unknown option '\(option)'; \(remedy)")
    }

    @Test(
        "An alias parses like its option",
        arguments: [
            (["connect", "u", "-u", "me:secret"], ["connect", "u", "--auth", "me:secret"]),
            (["connect", "u", "-qume:secret"], ["connect", "u", "-q", "--auth", "me:secret"]),
            (["connect", "u", "--user=me"], ["connect", "u", "--auth", "me"]),
            (["bench", "u", "-u", "me:secret"], ["bench", "u", "--auth", "me:secret"]),
            (["connect", "u", "--cacert", "f"], ["connect", "u", "--ca", "f"]),
            (["connect", "u", "-w", "3"], ["connect", "u", "--linger", "3s"]),
            (["connect", "u", "-P", "--no-check", "--no-color"], ["connect", "u", "-vk", "--color", "never"]),
            (["-c", "u", "--slash", "-x", "hi"], ["connect", "u", "-x", "hi"]),
            (["bench", "u", "--no-check", "--no-color"], ["bench", "u", "-k", "--color", "never"]),
            (["connect", "u", "--max-time", "1.5"], ["connect", "u", "--timeout", "1500ms"]),
            (["bench", "u", "--max-time=3"], ["bench", "u", "--timeout", "3s"]),
            (["connect", "u", "--json", "hello"], ["connect", "u", "--output", "json", "hello"]),
            (["connect", "u", "--json", "--output", "hex"], ["connect", "u", "--output", "hex"]),
            (["bench", "u", "--json"], ["bench", "u", "--output", "json"]),
            (["bench", "merge", "f", "--json"], ["bench", "merge", "f", "--output", "json"]),
            (["listen", "0", "--echo", "--json"], ["listen", "0", "--echo", "--output", "json"]),
        ])
    func aliases(words: [String], equivalent: [String]) throws {
        #expect(try Invocation.program.parse(words) == Invocation.program.parse(equivalent))
    }

    @Test("A mistake with an alias names it as it was typed")
    func aliasMistakes() {
        #expect(
            Self.message(["connect", "u", "--max-time", "0"])
                == "wsx: invalid value '0' for '--max-time': expected more than 0, up to 1000000000s")
        #expect(Self.message(["connect", "u", "--cacert"]) == "wsx: '--cacert' needs a value: --cacert PATH")
        #expect(
            Self.message(["connect", "u", "--json={}"])
                == "wsx: '--json' takes no value; omit the text after it")
        #expect(
            Self.message(["connect", "u", "-u", "me", "--bearer", "t"])
                == "wsx: '-u' cannot be used with '--bearer'; omit one of them")
    }

    @Test("Help explains an alias by its option, and mentions it")
    func aliasHelp() {
        let help = TestProgram.longHelp(of: .connect)
        for note in ["Also: -u, --user.", "Also: --cacert.", "Also: --max-time.", "--json is short for --output json."]
        {
            #expect(help.contains(note), "\(note)")
        }
    }

    @Test(
        "A typing error still finds the option",
        arguments: [
            ("--outptu", "output"), ("--quite", "quiet"), ("--no-sdtin", "no-stdin"), ("--noproxy", "no-proxy"),
            ("--lingr", "linger"), ("--sub-protocol", "subprotocol"), ("--compressed", "compress"),
            ("--colour", "color"),
            ("--heartbeet-mises", "heartbeat-misses"), ("--pass", "passphrase"),
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
                "'ws-l:127.0.0.1:80' for 'URL': this is a websocat address; use 'wsx listen 127.0.0.1:80'"
            ),
            (
                ["listen", "ws-l:127.0.0.1:80"],
                "'ws-l:127.0.0.1:80' for '[ADDRESS:]PORT': this is a websocat address; write 127.0.0.1:80"
            ),
            (
                ["connect", "autoreconnect:ws://me:secret@h"],
                "'•••@h' for 'URL': this is a websocat address; use 'wsx --reconnect URL'"
            ),
            (
                ["listen", "ws://me:secret@h:1"],
                "'ws://•••@h:1' for '[ADDRESS:]PORT': this is a URL; write [ADDRESS:]PORT without the scheme"
            ),
            (
                ["-c", "100", "ws://h"],
                "'100' for 'URL': this is a number; write :100 for a port on this machine; for a load test, use 'wsx bench' with -c 100 or --rate 100"
            ),
        ] as [([String], String)])
    func addresses(words: [String], expected: String) {
        #expect(Self.message(words) == "wsx: invalid value " + expected)
    }

    @Test(
        "A host with the name of a websocat transport is a host",
        arguments: ["mirror:8080", "log:9000/path", "tcp:1", "ws://mirror", "mirror", "exec", "echo:"])
    func hosts(value: String) throws {
        #expect(try ServerURLValue.parse(value) == value)
    }

    @Test(
        "A command of another tool, or echo without its colon, leads to ours",
        arguments: [("serve", "wsx listen PORT"), ("echo", "wsx connect echo:"), ("-", "wsx connect URL")])
    func commands(word: String, line: String) {
        #expect(Self.message([word, "8080"]) == "wsx: unknown command '\(word)'; use '\(line)'")
    }

    @Test("The table has no duplicate or existing names, and its remedies exist")
    func table() {
        for command in Command.allCases {
            let entries = ForeignOption.all.filter { $0.commands.contains(command) }
            let names = entries.flatMap(\.names)
            let own = TestProgram.options(of: command).flatMap { option in
                ["--\(option.long)"] + [option.short.map { "-\($0)" }].compactMap { $0 } + option.aliases.map(\.name)
            }
            #expect(Set(own).count == own.count, "\(command)")
            #expect(Set(names).count == names.count)
            // Without its value, -n means that of wscat.
            #expect(Set(names).intersection(own).isSubset(of: ["-n"]), "\(command)")
            for entry in entries where !entry.remedy.contains("'wsx ") {
                let words = entry.remedy.split { " ,()='".contains($0) }.filter {
                    $0.hasPrefix("-") && !["--", "--help"].contains($0)
                }
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
