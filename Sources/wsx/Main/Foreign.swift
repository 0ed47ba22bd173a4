import CommandLine
import Connect
import UserInterface

/// An option of another tool, and its counterpart in wsx.
///
/// The table holds well-known names, and names that resemble one of our options with another meaning. The parser
/// consults it for an unknown option before it looks for a similar name. Options that mean exactly the same as one of
/// ours are not here: they are aliases of that option.
struct ForeignOption: Sendable {
    /// The names as typed: `--capath`, `-A`, or a cluster such as `-lk`.
    let names: [String]
    /// The commands to which the remedy applies.
    let commands: [Command]
    /// What to do instead, to follow `unknown option '--capath';`.
    let remedy: String

    /// Reads a row: the letters of the commands, the names, and the remedy after a colon.
    private init(row: Substring) {
        let (words, remedy) = ForeignRow.parts(of: row)
        names = Array(words.dropFirst())
        commands = (words.first ?? "").compactMap { Self.letters[$0] }
        self.remedy = remedy
    }

    private static let letters: [Character: Command] = [
        "c": .connect, "l": .listen, "r": .relay, "b": .bench, "v": .convert, "k": .check,
    ]

    /// What to do instead of an option that `command` does not have; nil: the table does not contain the option.
    static func remedy(for typed: String, of command: Command?) -> String? {
        if let row = all.first(where: { $0.names.contains(typed) && $0.commands.contains { $0 == command } }) {
            return row.remedy
        }
        let isNumber = typed.utf8.dropFirst().first.map { ".0123456789".utf8.contains($0) } ?? false
        return command == .connect && isNumber ? "write a message that begins with a hyphen after --" : nil
    }

    /// What to do instead of an option that neither `command` nor its rows have, and that resembles none of its options:
    /// the remedy of another command, or the option's effect in curl.
    static func distantRemedy(for typed: String, of command: Command?) -> String? {
        // A letter is more likely curl's than one of a tool that resembles another command.
        let curl = [.connect, .bench, .relay].contains(command) ? curlRemedy(for: typed) : nil
        if let curl, !typed.hasPrefix("--") { return curl }
        if let row = all.first(where: { $0.names.contains(typed) }), let owner = row.commands.first {
            let namesCommand = row.remedy.split(separator: "'").contains { $0.hasPrefix("wsx ") }
            return namesCommand || row.remedy.hasPrefix("omit it")
                ? row.remedy : "in 'wsx \(owner.rawValue)', \(row.remedy)"
        }
        if let curl { return curl }
        // A mistyped name of the table.
        let names = typed.hasPrefix("--") ? all.filter { $0.commands.contains { $0 == command } }.flatMap(\.names) : []
        return EditDistance.nearest(to: typed, among: names).flatMap { remedy(for: $0, of: command) }
    }

    /// What to do instead of an option of curl; nil: it is none.
    private static func curlRemedy(for typed: String) -> String? {
        guard let option = try? CurlOption.named(typed) else { return nil }
        return switch option.effect {
        case .none: "omit it: wsx always does this"
        case .ignored: "omit it: it has no effect on a WebSocket"
        case .option(let long): "use --\(long)"
        case .rejected(let remedy): remedy
        case .update: "'wsx curl' takes curl's options"
        }
    }

    /// The whole table. It has at most one row for each name and command.
    ///
    /// As text, it is compact in the source and in the program.
    static let all: [ForeignOption] = [request, tls, messages, load, server].flatMap { text in
        text.split(separator: "\n").map(ForeignOption.init(row:))
    }

    // curl, HTTPie, wscat, websocat, oha: the request and the way to the server.
    private static let request = """
        cbr --basic-auth: use --auth USER:PASSWORD
        cbr --oauth2-bearer --token --bearer-token: use --bearer TOKEN
        cbr -A: use --user-agent TEXT, or --bearer TOKEN to log in
        cbr --referer: use -H 'Referer: URL'
        c -e: use -H 'Referer: URL'; programs of --exec always get variables
        c -X: omit it: a WebSocket handshake always uses GET; with nc's value, use --proxy http://HOST:PORT or socks5://HOST:PORT
        br -X: omit it: a WebSocket handshake always uses GET
        cbr --method --request-method: omit it: a WebSocket handshake always uses GET
        cbr -G --get --ws: omit it: a WebSocket handshake always uses GET
        cbr --http1.1 --http3: omit it: wsx uses HTTP/1.1
        cb --http2-prior-knowledge: use --http2 with a ws:// URL
        l --http2-prior-knowledge: use --http2 without TLS
        cbr --auth-type: use --auth USER:PASSWORD, --digest, or --bearer TOKEN
        cbr --ntlm --negotiate: use --auth for Basic or Digest authentication, or -H 'Authorization: ...'
        cbr --basic --proxy-basic: omit it: passwords are sent with Basic by default
        cbr --request-header: use --header 'NAME: VALUE'
        cbr --request-uri --ws-c-uri: write the path in the URL, and use --host HOST for another Host header
        cblr --websocket-version: omit it: wsx speaks version 13
        b --cookie-jar: omit it: a load test does not save cookies
        c --session --session-read-only: use --cookie FILE and --cookie-jar FILE
        c -K --config: write options to ~/.config/wsx/config (see 'wsx help')
        cb --write-out: use --output json for the status and the timings
        b -w: use --drain DURATION to wait for the last replies, or --warmup DURATION; results have all times
        cb -# --progress-bar --no-progress-meter: use --quiet to hide the progress
        clrb -? --usage --manual: use --help
        cb --max-redirs: use --max-redirects N
        c --follow: use --location to follow redirects; messages are always shown as they arrive
        b --follow: use --location to follow redirects
        cbr --interface: use --source-ip IP
        cbr --unixsock --socket: use --unix-socket PATH
        cbr --username: use --auth USER:PASSWORD
        cb --no-password: omit it: only --auth USER asks for a password
        cbr --abstract-unix-socket: use --unix-socket @NAME
        cbr -g --globoff: omit it: URLs have no patterns
        cbr --connect-to: use --resolve HOST:PORT:IP
        cbr --socks5 --socks5-destination --socks5-bind-script: use --proxy socks5://HOST:PORT
        cbr --socks5-hostname: use --proxy socks5h://HOST:PORT
        cbr --proxy-user: use --proxy http://USER:PASSWORD@HOST:PORT
        b -x --execute: use --message TEXT for a message, or --proxy URL for a proxy
        c --connect: write just the URL
        c -c: write just the URL, and a message after it, or use --cookie-jar FILE to save cookies
        cb --url --dbname: write just the URL
        c --port: write HOST:PORT as the URL
        b -p --port: write HOST:PORT as the URL
        c -p: write HOST:PORT as the URL; --first-message TEXT sends websocat's preamble, and wscat's version is always 13
        c --default-scheme: write the URL with its scheme, such as wss://HOST
        cbr --hostname: write HOST:PORT as the URL
        cbr --silent: use --quiet
        cb -S --show-error: omit it: errors are always shown
        b --fail: omit it: failures always set the exit status
        cb --fail-with-body --check-status: omit it: a rejection always shows the body and sets the exit status
        cbr --disable-compression --no-compression --no-compress: use --compress=off
        clrb --disable-color --no-colors: use --color never
        c -O --remote-name --download --save: use > FILE to save received messages
        c --out --output-file --log-file: use > FILE to save received messages, or --record FILE
        lr --out --output-file --log-file: use > FILE to save received messages, or --record FILE
        b --out -O: use --output json > FILE, --report FILE, or --summary FILE
        c -I --head --meta --all --echo-all --echo-queries: use --verbose to show the handshake
        clr --print -pb -ph -pH -pB -phb -phB -pHB: use --verbose to show the handshake
        clrb --headers: use --header 'NAME: VALUE', or 'wsx connect -v' to show the handshake
        c --format-options --unsorted --sorted: use --pretty or --no-pretty
        c --offline --dry-run: use --print-curl
        clrb --style --theme: use --color WHEN, or WSX_COLORS (see 'wsx help environment')
        c -j --junk-session-cookies: remove the lines with the expiry 0 from the cookie file
        """

    private static let tls = """
        cbrk --capath --ca-file --cafile: use --ca PATH
        cbrk --insecure-skip-tls-verify --ssl-insecure --no-verify --no-check-certificate: use --insecure
        cbrk --verify: use --insecure to verify nothing, or --ca PATH
        cbrk --ciphers --tls13-ciphers --curves: omit it: OpenSSL's defaults apply, which OPENSSL_CONF can change
        cbrk --pinnedpubkey: use --pin PIN
        cbrk --tlsv1.2 --tls1.2 --tlsv1 --tlsv1.0 --tlsv1.1 --tls1.0 --tls1.1: use --tls-min 1.2
        cbrk --tlsv1.3 --tls1.3: use --tls-min 1.3
        cbrk --ssl --tls: write wss:// in the URL; --tls-min VERSION sets the oldest version
        cbrk --tls-max: omit it: only the oldest version can be set (--tls-min)
        cbrk --tls-domain --servername --sni: use --tls-server-name NAME
        b -E: use --cert FILE
        cbrk --cert-type --client-pkcs12-der --pkcs12-der: use --cert FILE with a PEM or PKCS #12 file
        cbrk --cert-key: use --key FILE
        cbrl --client-pkcs12-passwd --pkcs12-passwd --cert-key-pass: use --passphrase TEXT
        l --cert --ssl-cert --sslcert --certs: use --tls-cert FILE
        l --key --ssl-key --sslkey: use --tls-key FILE
        l --pkcs12-der --client-pkcs12-der: use --tls-cert FILE
        l --ca --cacert: use --client-ca PATH
        l --tls --ssl --https --wss: use --tls-self-signed or --tls-cert FILE
        r --certs --ssl-cert: use --tls-cert FILE
        """

    // Messages, and the end of the run.
    private static let messages = """
        c -d --data-raw --data-binary --data-ascii --data-urlencode: put the message after the URL, or use --file FILE
        c --post --message -F --form --form-string --multipart: put the message after the URL, or use --file FILE
        c -T --upload-file: use --file FILE to send one message, or standard input to send lines
        c --send --command --body --payload: put the message after the URL, or use --file FILE
        c -N --no-buffer --stream --unbuffered: omit it: messages are written as they arrive; 'wsx curl' takes curl's options
        b --data-raw --data-binary --data-ascii --post --body --payload: use --message TEXT or --file FILE
        c -n: use --insecure (-k) to accept any certificate, as wscat's -n does
        c -m: use --timeout DURATION, or put a message after the URL
        c -E: use --linger 0 to exit at the end of the input, or --cert FILE for a certificate
        c --exit-on-eof: use --linger 0
        c --one-message: use --one
        c --oneshot: use 'wsx listen --once PORT'
        c --max-messages --max-messages-rev: use --count N
        l --max-messages --max-messages-rev: use --close-after N
        c --print-ping-rtts --include -D --dump-header --dump-spec: use --verbose
        l --print-ping-rtts --dump-spec: use --verbose
        clrb -B --buffer-size --max-ws-message-length --max-ws-frame-length: use --max-message-size SIZE
        clr --debug --log-level: use --verbose
        c --trace --trace-ascii --trace-time: use --verbose twice
        c --slash: omit it: the prompt always has commands such as /ping
        c --retry: use --reconnect=N
        c --retry-delay --autoreconnect-delay-millis: use --reconnect-delay DURATION with --reconnect
        c --autoreconnect --auto-reconnect: use --reconnect
        c --close-status-code: use --close-code CODE
        l --close-status-code: use --close-code CODE with --close-after
        cl --ping --ping-interval --keepalive-time --keepalive --keep-alive: use --heartbeat DURATION
        cl --ping-timeout --max-sent-pings: use --heartbeat-misses N
        b --ping-interval: use --mode idle with --heartbeat DURATION
        cbr --inhibit-pongs: omit it: wsx always answers pings
        l --inhibit-pongs: use --no-pong
        c -t: use --text, or 'wsx bench -t N URL' for a load test on N threads
        l -t: use --text
        l -b: use --binary
        cl -0 --null-terminated: use --input nul
        cl --base64 --base64-text: use --input base64 and --output base64
        c --raw: put the message after the URL, or use --output raw
        lr --raw: use --output raw
        clr --raw-output: use --output raw
        b --raw: use --output json
        c --tail: omit it: messages are shown as they arrive; /tail at the prompt shows the latest again
        lr --tail --follow: omit it: messages are shown as they arrive
        clrb --encoding --charset: omit it: text is UTF-8; --encode CODEC sends MessagePack or CBOR
        cl --no-line: use --input chunks and --output raw
        cl --binary-prefix --text-prefix: use --input json, which names the kind of each message
        cl --linemode-strip-newlines: omit it: line ends are never sent
        cl --lengthprefixed-nbytes --lengthprefixed-little-endian: use --input json and --output json: no length prefixes
        cl --lengthprefixed-skip-read-direction --lengthprefixed-skip-write-direction: use --input json or --output json
        cl --strict: omit it: messages are never cut or split
        cl --no-exit-on-zeromsg --websocket-ignore-zeromsg: omit it: empty messages are like others
        cl --exec-sighup-on-zero-msg --reuser-send-zero-msg-on-disconnect: omit it: empty messages are like others
        cl --exec-sighup-on-stdin-close --exec-exit-on-disconnect: omit it: --exec ends programs with the connection
        cl --exec-args --foreachmsg-wait-read --sh-c --cmd: use --exec, and end the line with -- PROGRAM [ARG...]
        cl --set-environment --header-to-env: omit it: programs of --exec always get such variables
        cl --async-stdio --no-async-stdio --no-fixups: omit it: wsx needs no such settings
        cl --stdout-announce-listening-ports: omit it: addresses are always announced
        cl --just-generate-key --just-generate-accept: omit it: --verbose shows the keys
        cr --compress-deflate --compress-gzip --compress-zlib: omit it: messages are compressed if the server can
        l --compress-deflate --compress-gzip --compress-zlib: omit it: messages are compressed if clients can
        clr --uncompress-deflate --uncompress-gzip --uncompress-zlib: use --decode deflate, gzip, or zlib
        cl --udp-broadcast --udp-multicast-loop --udp-oneshot --udp-reuseaddr --udp-ttl: omit it: wsx has no UDP
        cl --udp-multicast --udp-multicast-iface-v4 --udp-multicast-iface-v6: omit it: wsx has no UDP
        cl --crypto-key --crypto-reverse: omit it: wss:// encrypts
        cl --byte-to-exit-on: omit it: Ctrl-D ends the input
        cl --queue-len: omit it: queues are bounded, and full ones make senders wait
        cl --no-close: omit it: a connection always ends with a close frame
        cl --preamble: use --first-message TEXT
        cl --preamble-reverse: omit it: print the text before wsx starts
        cl --timestamp-monotonic: use --timestamps relative
        c --timestamp --timestamps-utc: use --timestamps local or utc
        c --jsonrpc: use --json-rpc
        c --jsonrpc-omit-jsonrpc: use --json-rpc=devtools
        cl --prometheus: omit it: only 'wsx bench --metrics PORT' has metrics
        c --unidirectional-reverse --receive-only --read-only --listen-only --recv-only: use --no-stdin
        c --send-only: use --linger 0, and add > /dev/null to the line
        c --unidirectional: use --linger 0 to exit at the end of the input
        l --unidirectional-reverse: use --no-stdin
        l --unidirectional: use > FILE for received messages
        c -U: use --auth USER to log in, --no-stdin to only receive, --unix-socket PATH, or --proxy http://USER:PASSWORD@HOST:PORT
        c -C: use --eol crlf
        c --script --scripts: use --scenario FILE
        l --script --scripts: use --scenario FILE, --answer RULE, or --exec
        c --ignore-stdin: use --no-stdin
        c -W --password: use --auth USER, which asks for the password
        b --password: use --auth USER, which asks for the password
        c --variable: use --param NAME=VALUE and {{NAME}} in a message, with --template
        c --first --exit-after: use --one, or --count N for N messages
        c --filter --grep --where --find: use --hide REGEX to hide messages, --until REGEX, or /filter at the prompt
        clr --exclude --ignore-messages: use --hide REGEX
        c --jq --query: use --pick PATH
        c --csv --tuples-only --no-align -At -tA: use --pick PATH or --format FORMAT
        c -J --json-output --jsonl --ndjson: use --output json
        l --jsonl --ndjson: use --output json
        """

    // wrk, oha, k6: the load.
    private static let load = """
        c --vus -z --rps --iterations: use 'wsx bench' for a load test
        b --vus --max-vus --concurrency --clients --users --workers: use --connections N
        b --think-time --sleep --pause --interval --delay: use --think DURATION
        b -z: use --duration DURATION
        b --executor: use --connections N, --rate N, or --stages TARGET@DURATION,...
        b -R --rps --qps: use --rate N
        b -i --iterations --requests --count --max-messages: use --messages N
        b --stage: use --stages TARGET@DURATION,...
        b --ramp-up: use --ramp DURATION
        b --latency: omit it: latencies are always shown
        b --latency-correction: omit it: with --rate, latencies always count from the due time
        b --script: use --scenario FILE, --message TEXT, or --file FILE
        b --env: use {{env:NAME}} in the URL, a header, or a message
        b -e: use {{env:NAME}} in the URL, a header, or a message
        b --no-tui --no-summary: use --quiet
        b --no-usage-report: omit it: there are no such reports
        b -j --summary-export: use --output json > FILE
        b --summary-trend-stats --summary-mode --summary-time-unit: use --output json, which has all percentiles
        b --tag: use --label KEY=VALUE
        b --no-connection-reuse --no-vu-connection-reuse --disable-keepalive: use --mode connect or --lifetime DURATION
        b --http-debug --verbose -v: omit it: use 'wsx connect -v URL' to see the handshake
        b --console-output --no-thresholds --no-setup --no-teardown --paused --batch: omit it: there is no script
        b --discard-response-bodies: omit it: replies are never kept
        b --percentiles --histogram: use --output json or --hdr FILE
        """

    // wscat, websocat, websocketd, nc, mitmproxy, and web servers.
    private static let server = """
        c -zv -vz -nzv -zvn: add --linger 0 < /dev/null to the line to test a connection
        c -l --listen --server-mode --server: use 'wsx listen PORT'
        c -lk -lp -lkp -lv -lvp -lvnp -nvlp -nlvp -nlp -kl: use 'wsx listen PORT', which serves any number of clients
        l -l --listen --server-mode --server: write just the port
        l -lk -lp -lkp -lv -lvp -lvnp -nvlp -nlvp -nlp -kl -k --keep-open: write just the port, for any number of clients
        l -p --port --address --bind --host --listen-port --listen-host --addr: write just [ADDRESS:]PORT
        r -p --port --listen-port --listen-host --listen --bind --address --addr -l: write [ADDRESS:]PORT before the URL
        r --upstream --target --remote --reverse --forward --mode -m: write 'wsx relay [ADDRESS:]PORT URL', or omit URL for an HTTP proxy
        l -u --user --basic-auth --htpasswd --proxyauth: use --auth USER:PASSWORD
        r --upstream-auth: use --auth USER:PASSWORD for the server, or --proxy http://USER:PASSWORD@HOST:PORT
        r --proxyauth: omit URL and use --proxy-login USER:PASSWORD; with URL, --client-ca PATH asks for certificates
        l --protocol --server-protocol: use --subprotocol NAME
        l --server-header: use --header 'NAME: VALUE'
        l --dir --directory --static --staticdir -F --static-file --root: use --serve DIR
        l --devconsole --web: use --console
        l --cors: use --origin ORIGIN
        l --restrict-uri: use --path PATH
        l -e: use --exec, and end the line with -- PROGRAM [ARG...]
        l --one-message -1 --oneshot --exit-on-eof -E: use --once
        l --max-clients --conncap: use --max-connections N
        l --maxforks: use --max-processes N
        l --accept-from-fd: omit it: sockets in LISTEN_FDS are served without [ADDRESS:]PORT
        c --accept-from-fd: use --unix-socket PATH
        cl --unlink: delete the socket file first
        l --timeout --max-time: use --idle-timeout DURATION
        l --reply --response --respond: use --answer RULE
        l -x --execute: use --first-message TEXT to greet clients, or --answer RULE
        r -R --replacements: use --rewrite RULE to change messages
        r --script --scripts -s --modify-body: use --rewrite RULE to change messages
        r --modify-headers: use -H 'NAME: VALUE'
        r --replace --body --map-remote --map-local --setheaders: use --rewrite RULE to change messages
        r --message --first-message --execute -x: use --rewrite RULE or --answer RULE, or type at the prompt
        r --script-timeout --options --confdir --anticache --anticomp: omit it: --rewrite RULE changes messages
        r --stickycookie --stickyauth --keep-host-header --showhost: use --header 'NAME: VALUE' or --host HOST
        r -w --save-stream-file --save-stream --dump -W: use --record FILE
        r -nr -rn -r --rfile --read-flows -n --no-server: use 'wsx convert IN OUT' to read a recording or HAR file
        r --client-replay --server-replay -C -S: use 'wsx listen --replay FILE PORT'
        r --flow-detail --console-eventlog-verbosity --termlog-verbosity: use --verbose
        r --view-filter --filter: use --hide REGEX, or /filter at the prompt
        r --ignore-hosts --allow-hosts --tcp-hosts: omit URL and use --intercept HOST; other hosts pass untouched
        r --web-port --web-host --web-open-browser --no-web-open-browser: use --page PORT, and open the URL it prints
        r --rawtcp --tcp --websocket: omit it: a relay forwards WebSockets, and other requests
        r --upstream-cert --no-upstream-cert --stream-large-bodies: omit it: a relay needs no such settings
        r --oneshot: use --once
        r --exec --cmd: start the server yourself, and write its URL
        v -n -r -nr -rn -w -nw --set --rfile: export a HAR file with mitmproxy, and write 'wsx convert IN OUT'
        v -o --output --out -O --output-file: write the output after the input: 'wsx convert IN OUT'
        v -i --input --in -f --from --to --format --har --html -t: write 'wsx convert IN OUT': the extension of OUT decides
        """
}

/// A row of a table: words, a colon, and a text.
private enum ForeignRow {
    static func parts(of row: Substring) -> (words: [String], text: String) {
        let parts = row.split(separator: ":", maxSplits: 1)
        return (parts[0].split(separator: " ").map(String.init), String(parts[1].dropFirst()))
    }
}

/// A command of another tool, or another word that takes the place of a command, and its counterpart in wsx.
enum ForeignCommand {
    private static let rows = """
        serve server start: wsx listen PORT
        client open - http https psql nc netcat wscat websocat cat tail watch subscribe sub: wsx connect URL
        send publish pub push: wsx connect URL MESSAGE
        run cloud archive load test loadtest stress attack ab wrk k6 hey oha: wsx bench URL
        merge: wsx bench merge FILE...
        proxy mitm mitmproxy mitmdump mitmweb intercept forward: wsx relay [ADDRESS:]PORT [URL]
        mock: wsx listen --answer RULE PORT
        replay: wsx listen --replay FILE PORT
        record: wsx connect --record FILE URL
        echo: wsx connect echo:
        echo-server: wsx listen --echo PORT
        broadcast: wsx listen --broadcast PORT
        exec: wsx listen --exec PORT -- PROGRAM
        har view: wsx convert IN OUT
        ws: wsx connect ws://HOST
        wss: wsx connect wss://HOST
        version: wsx --version
        man: man wsx
        """

    private static let topics = """
        reconnect reconnecting: staying-connected
        compression deflate permessage-deflate: --compress
        regex regexp regexes pcre: values
        filters variables: placeholders
        signal signals: exit-status
        cookies: --cookie
        keepalive: --heartbeat
        proxies: --proxy
        exit-code exit-codes exit-statuses: exit-status
        """

    /// The topic of the help, or the option, for a word that names none; nil: there is none.
    static func topic(for word: String) -> String? { text(for: word.lowercased(), in: topics) }

    private static func text(for word: String, in table: String) -> String? {
        for row in table.split(separator: "\n") {
            let (words, text) = ForeignRow.parts(of: row)
            if words.contains(word) { return text }
        }
        return nil
    }

    /// The command line to use instead; nil: there is none.
    static func line(for word: String) -> String? {
        if let line = text(for: word, in: rows) { return line }
        // As in HTTPie. A WebSocket handshake always uses GET.
        if MisplacedValue.isHTTPMethod(word) { return "wsx connect URL" }
        if JSONMessage.isBeginning(word) { return "wsx connect URL MESSAGE" }
        let isPort = 1...5 ~= word.utf8.count && word.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isPort ? "wsx connect :\(word)" : nil
    }
}

/// A word that a command does not take, and what to do instead.
enum ForeignOperand {
    /// The remedy for a word after the operands; nil: none is known.
    static func remedy(for words: [String], at index: Int, of command: Command?) -> String? {
        if index > 0, let address = MisplacedValue.address(host: words[index - 1], port: words[index]) {
            return command == .connect
                ? "write \(address), or -x \(words[index]) to send it as a message" : "write \(address)"
        }
        switch command {
        case .bench where MisplacedValue.isURL(words[index]): return "write one URL"
        case .bench: return "use --message TEXT to send it"
        case .listen where MisplacedValue.isURL(words[index]): return "use 'wsx relay [ADDRESS:]PORT URL'"
        case .listen where Int(words[index]) == nil:
            return "use 'wsx listen --exec [ADDRESS:]PORT -- PROGRAM' to run it as a program"
        case .relay: return "write only [ADDRESS:]PORT and URL"
        case .convert: return "write only IN and OUT"
        default: return nil
        }
    }
}

/// Command lines in wscat's form: instead of a command they have `-c URL` or `-l PORT`, anywhere among the options.
/// `--slash` has no effect: the prompt always has slash commands.
enum WscatForm {
    private static let forms: [(command: Command, short: String, long: String, placeholder: String)] = [
        (.connect, "-c", "--connect", "URL"), (.listen, "-l", "--listen", "PORT"),
    ]

    /// Rejects options that take a value in other tools, but not here: psql's `-h HOST -p PORT`, `-v NAME=VALUE`, and
    /// `-L FILE`, and nc's `-q SECONDS`.
    private static func checkHabits(_ words: [String]) throws(UsageError) {
        guard let index = words.firstIndex(where: { !$0.hasPrefix("-") }), index > 0 else { return }
        let (option, value) = (words[index - 1], words[index])
        if option == "-h", index == 1, Command(rawValue: value) == nil, !MisplacedValue.isURL(value) {
            let port = words.firstIndex(of: "-p").flatMap { words.dropFirst($0 + 1).first } ?? ""
            let address = MisplacedValue.address(host: value, port: port) ?? "HOST:PORT"
            throw .foreignOption("-h \(value)", remedy: "write ws://\(address) as the URL; -h alone shows the help")
        }
        guard index + 1 < words.count, !MisplacedValue.isURL(value) else { return }
        switch option {
        case "-q":
            guard let seconds = UInt32(value) else { return }
            throw .foreignOption("-q \(seconds)", remedy: "use --linger \(seconds); -q hides notices")
        case "-v" where value.contains("="):
            throw .foreignOption(
                "-v NAME=VALUE", remedy: "use {{env:NAME}} in a message, with --template; -v shows the handshake")
        case "-L": throw .foreignOption("-L FILE", remedy: "use --record FILE; -L follows redirects")
        default: return
        }
    }

    /// The equivalent line with a command; nil: the line does not have wscat's form.
    /// - Throws: ``UsageError/missingValue(option:placeholder:)``.
    static func line(for words: [String]) throws(UsageError) -> [String]? {
        // As in other tools, where it shows the version.
        if words == ["-v"] || words == ["-vv"] { throw .missingCommand(example: "wsx --version") }
        try checkHabits(words)
        try WebsocatForm.check(words)
        // After a URL, it is another option, such as curl's -c FILE.
        guard words.first?.hasPrefix("-") ?? false else { return nil }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let words = words[..<end].filter { $0 != "--slash" } + words[end...]
        for (index, word) in words.enumerated() {
            if word == "--" { return nil }
            for form in forms {
                var rest = words
                if word == form.short || word == form.long {
                    guard index + 1 < words.count else {
                        throw .missingValue(option: word, placeholder: form.placeholder)
                    }
                    // curl's -c FILE. A number is meant for bench.
                    let value = words[index + 1]
                    if form.command == .connect, !MisplacedValue.isURL(value), Int(value) == nil,
                        words.contains(where: MisplacedValue.isWebSocketURL)
                    {
                        return nil
                    }
                    rest.removeSubrange(index...index + 1)
                    return [form.command.rawValue, value] + rest
                }
                guard word.hasPrefix(form.long + "=") else { continue }
                rest.remove(at: index)
                return [form.command.rawValue, String(word.dropFirst(form.long.count + 1))] + rest
            }
        }
        return nil
    }
}
