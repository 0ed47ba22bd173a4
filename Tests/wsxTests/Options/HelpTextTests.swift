import CommandLine
import Testing

@testable import wsx

@Suite struct HelpTextTests {
    @Test(
        "help is at most 80 columns wide, without trailing spaces and tabs",
        arguments: [nil, .connect, .listen, .bench, .merge, .help, .completions] as [Command?])
    func width(command: Command?) {
        for text in [TestProgram.shortHelp(of: command), TestProgram.longHelp(of: command)] {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(line.count <= HelpText.columns, "\(line)")
                #expect(!line.hasSuffix(" ") && !line.contains("\t"), "\(line)")
            }
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
        }
    }

    @Test("no mark of the manual is left in help", arguments: Command.allCases)
    func marks(command: Command) {
        #expect(!TestProgram.longHelp(of: command).contains("`"))
    }

    @Test("the program's help shows its commands") func program() {
        #expect(
            TestProgram.shortHelp(of: nil) == """
                wsx: WebSocket client, server, and load tester

                Usage: wsx COMMAND [ARGUMENT...]
                       wsx [OPTION...] URL [MESSAGE...]

                Commands:
                  connect      Connect to a WebSocket server
                  listen       Run a WebSocket server
                  bench        Load-test a WebSocket server
                  bench merge  Merge the results of several load tests
                  help         Explain the program or a command
                  completions  Print a shell's completion script

                General:
                  -h, --help     Show help; -h is the short form
                  -V, --version  Show the version

                'wsx COMMAND -h' lists a command's options, 'wsx COMMAND --help' explains them.

                """)
    }

    @Test("the short help of listen is one line an option") func listen() {
        #expect(
            TestProgram.shortHelp(of: .listen) == """
                wsx listen: Run a WebSocket server

                Usage: wsx listen [OPTION...] [[ADDRESS:]PORT] [-- PROGRAM [ARG...]]

                Operands:
                  [[ADDRESS:]PORT]       Where to listen; also unix:PATH
                  [-- PROGRAM [ARG...]]  What --exec runs

                Messages:
                      --no-stdin                    Do not read stdin, only receive
                      --text                        Send text messages (default)
                      --binary                      Send binary messages

                Server:
                      --echo                        Send each message back to its sender
                      --broadcast                   Send each message to all other clients
                      --path PATH                   Accept only this request path
                  -s, --subprotocol NAME            Speak this subprotocol (also A,B)
                  -H, --header HEADER               Add 'Name: value' or @FILE to responses
                      --handshake-timeout DURATION  Time for a client's upgrade [10s]
                      --exec                        Run -- PROGRAM [ARG...] for each client
                      --max-processes N             Most programs at a time, then 503 [256]
                      --exec-grace DURATION         Time for a program to end [2s]
                      --threads N                   Threads of --echo and --replay [1]
                      --once                        Serve one client, then end

                Access:
                  -o, --origin ORIGIN               Let in browsers from ORIGIN; * is all
                  -a, --auth USER:PASSWORD          Let in who knows USER and PASSWORD
                      --bearer TOKEN                Let in who knows TOKEN

                Web pages:
                      --serve DIR                   Serve the files of DIR on the same port
                      --console                     A page on / that talks to servers

                Fault injection:
                      --delay DURATION              Hold messages back; or 100ms-2s: random
                      --drop-rate P                 Leave out messages: 0.1 or 10%
                      --seed N                      Repeat the same random delays and drops
                      --close-after LIMIT           Close after N messages, or after 5s
                      --close-code CODE             Status code of that close [1012]
                      --close-reason TEXT           Reason of that close
                      --reject STATUS               Refuse with STATUS; 503x3: three times
                      --no-pong                     Do not answer pings
                      --throttle RATE               A slow network: bytes a second, 64k
                      --replay FILE                 Answer as in a recording

                Input and output:
                      --input FORMAT                Format of the messages on stdin [lines]
                      --crlf                        Strip the CR from lines that end in CRLF
                      --output FORMAT               Format of the messages on stdout [text]
                      --replay-speed SPEED          Replay --input json at this speed [max]

                Ending:
                      --close-timeout DURATION      Limit the closing handshake [5s]

                Staying connected:
                      --heartbeat DURATION          Ping so often, and drop silent clients
                      --heartbeat-misses N          Drop the peer after N silent heartbeats [3]

                TLS:
                      --tls-cert FILE               Serve wss:// with this certificate
                      --tls-key FILE                Read the key for --tls-cert from FILE
                      --passphrase TEXT             Decrypt the private key with TEXT
                      --tls-self-signed             Serve wss:// with a self-signed certificate
                      --client-ca PATH              Require client certificates from these CAs

                Compression:
                      --compress[=off]              Compress messages if the peer can [on]
                      --compress-window-bits N      Compress with a window of 2^N bytes [15]
                      --compress-no-context         Compress each message independently

                Limits:
                      --max-connections N           Most clients at a time
                      --idle-timeout DURATION       Close clients that are idle so long
                      --max-message-size SIZE       Limit the size of received messages [16M]
                      --max-fragments N             Limit the fragments per message [131072]
                      --fragment-size SIZE          Send messages in fragments of SIZE bytes

                Display:
                  -v, --verbose                     Show handshake and control frames; -vv: all
                  -q, --quiet                       Suppress notices on stderr
                      --color WHEN                  When to use colors [auto]
                      --timestamps STYLE            Timestamps on a terminal [local]
                      --record FILE                 Record the session to FILE
                      --pretty                      Indent JSON messages, even in a pipe
                      --no-pretty                   Do not indent JSON messages

                General:
                  -h, --help                        Show help; -h is the short form

                'wsx listen --help' and wsx-listen(1) tell more.

                """)
    }

    @Test("the short help of connect is one line an option") func connect() {
        #expect(
            TestProgram.shortHelp(of: .connect) == """
                wsx connect: Connect to a WebSocket server

                Usage: wsx connect [OPTION...] URL [MESSAGE...]

                Operands:
                  URL           Server: ws://HOST/PATH, HOST:PORT, or echo:
                  [MESSAGE...]  Messages to send instead of reading stdin

                Messages:
                  -x, --execute MESSAGE           Send MESSAGE when the connection opens
                  -f, --file PATH                 Send a file as one message
                  -i, --interactive               Read stdin after sending the messages
                      --no-stdin                  Do not read stdin, only receive
                      --text                      Send text messages (default)
                      --binary                    Send binary messages

                Input and output:
                      --input FORMAT              Format of the messages on stdin [lines]
                      --crlf                      Strip the CR from lines that end in CRLF
                      --output FORMAT             Format of the messages on stdout [text]
                      --replay-speed SPEED        Replay --input json at this speed [max]

                Ending:
                      --linger DURATION           Wait for replies after the input ends [1s]
                  -n, --count N                   Exit after receiving N messages
                      --until REGEX               Exit when a message matches REGEX
                      --expect REGEX              Exit with 7 unless a message matches REGEX
                      --timeout DURATION          End the run after DURATION
                      --close-code CODE           Close with this status code [1000]
                      --close-reason TEXT         Close with this reason
                      --close-timeout DURATION    Limit the closing handshake [5s]

                Requests and replies:
                      --request                   Wait for the reply to each message
                      --correlate FIELD           Match replies to requests by a JSON field
                      --json-rpc[=FORM]           Turn 'method arg...' into JSON-RPC calls
                      --fail                      Exit with 7 if a call returns an error
                      --reply-timeout DURATION    Give up on a reply after DURATION [30s]

                Staying connected:
                      --reconnect[=N]             Reconnect, at most N times in a row
                      --heartbeat DURATION        Ping every DURATION; drop a silent peer
                      --heartbeat-misses N        Drop the peer after N silent heartbeats [3]
                      --heartbeat-message TEXT    Send TEXT instead of pings

                Request:
                  -H, --header HEADER             Add 'Name: value', or the lines of @FILE
                  -s, --subprotocol NAME          Offer a subprotocol, or several: A,B
                  -a, --auth USER[:PASSWORD]      Log in with HTTP Basic authentication
                      --bearer TOKEN              Log in with a bearer token
                  -b, --cookie COOKIE             Send a cookie: name=value
                  -o, --origin ORIGIN             Send an Origin header, as browsers do
                      --host HOST                 Send this Host header instead of the URL's
                      --user-agent TEXT           Send this User-Agent header
                  -L, --location                  Follow redirects
                      --max-redirects N           Follow at most N redirects [20]

                Network:
                  -4, --ipv4                      Connect over IPv4 only
                  -6, --ipv6                      Connect over IPv6 only
                      --resolve HOST:PORT:IP      Use IP as the address of HOST:PORT
                      --source-ip IP              Connect from this local address
                      --unix-socket PATH          Connect to this Unix domain socket
                      --connect-timeout DURATION  Limit the time to connect [10s]
                      --proxy URL                 Connect through this proxy
                      --no-proxy HOSTS            Connect to these hosts without a proxy

                TLS:
                      --ca PATH                   Trust only these CA certificates
                      --cert FILE                 Use this client certificate
                      --key FILE                  Read the private key for --cert from FILE
                      --passphrase TEXT           Decrypt the private key with TEXT
                  -k, --insecure                  Do not verify certificates
                      --pin PIN                   Require this public key: sha256//BASE64
                      --tls-server-name NAME      Expect this name in the certificate
                      --tls-min VERSION           Require at least this TLS version [1.2]

                Compression:
                      --compress[=off]            Compress messages if the peer can [on]
                      --compress-window-bits N    Compress with a window of 2^N bytes [15]
                      --compress-no-context       Compress each message independently

                Limits:
                      --max-message-size SIZE     Limit the size of received messages [64M]
                      --max-fragments N           Limit the fragments per message [131072]
                      --fragment-size SIZE        Send messages in fragments of SIZE bytes

                Display:
                  -v, --verbose                   Show handshake and control frames; -vv: all
                  -q, --quiet                     Suppress notices on stderr
                      --color WHEN                When to use colors [auto]
                      --timestamps STYLE          Timestamps on a terminal [local]
                      --record FILE               Record the session to FILE
                      --pretty                    Indent JSON messages, even in a pipe
                      --no-pretty                 Do not indent JSON messages
                      --history FILE              Keep the prompt's history in FILE
                      --no-history                Do not use a history file

                General:
                  -h, --help                      Show help; -h is the short form

                'wsx connect --help' and wsx-connect(1) tell more.

                """)
    }

    @Test("the short help of bench is one line an option") func bench() {
        #expect(
            TestProgram.shortHelp(of: .bench) == """
                wsx bench: Load-test a WebSocket server

                Usage: wsx bench [OPTION...] URL

                Operands:
                  URL  Server: ws://HOST/PATH, HOST:PORT, or echo:

                Load:
                      --mode MODE                 What connections do: echo, send, ... [echo]
                  -c, --connections N             Connections to open [10]
                      --connect-rate N            Connections to open each second
                  -t, --threads N                 Threads that share the connections [1]
                  -d, --duration DURATION         Send for so long (10s)
                  -n, --messages N                Send so many messages in all
                  -r, --rate N                    Messages a second in all, replies or not
                      --ramp DURATION             Reach the full load after so long
                      --start-at TIME             Begin to send at this time
                      --warmup DURATION           Send for so long before messages count
                      --in-flight N               Messages of a connection without a reply [1]
                      --reply-timeout DURATION    Time to wait for a reply [10s]
                      --publishers N              Connections that publish (broadcast) [1]
                      --heartbeat DURATION        Time from ping to ping (idle) [10s]

                Messages:
                  -m, --message TEXT              Send this, with {{seq}}, {{random 8}}, ...
                  -f, --file PATH                 Send the file as one message
                      --size SIZE                 Size of the messages (20; broadcast: 48)
                      --binary                    Send binary messages

                Ending:
                      --timeout DURATION          End the run after DURATION
                      --close-code CODE           Close with this status code [1000]
                      --close-reason TEXT         Close with this reason
                      --close-timeout DURATION    Limit the closing handshake [5s]

                Request:
                  -H, --header HEADER             Add 'Name: value', or the lines of @FILE
                  -s, --subprotocol NAME          Offer a subprotocol, or several: A,B
                  -a, --auth USER[:PASSWORD]      Log in with HTTP Basic authentication
                      --bearer TOKEN              Log in with a bearer token
                  -b, --cookie COOKIE             Send a cookie: name=value
                  -o, --origin ORIGIN             Send an Origin header, as browsers do
                      --host HOST                 Send this Host header instead of the URL's
                      --user-agent TEXT           Send this User-Agent header
                  -L, --location                  Follow redirects
                      --max-redirects N           Follow at most N redirects [20]

                Network:
                  -4, --ipv4                      Connect over IPv4 only
                  -6, --ipv6                      Connect over IPv6 only
                      --resolve HOST:PORT:IP      Use IP as the address of HOST:PORT
                      --source-ip IP              Connect from this local address
                      --unix-socket PATH          Connect to this Unix domain socket
                      --connect-timeout DURATION  Limit the time to connect [10s]
                      --proxy URL                 Connect through this proxy
                      --no-proxy HOSTS            Connect to these hosts without a proxy

                TLS:
                      --ca PATH                   Trust only these CA certificates
                      --cert FILE                 Use this client certificate
                      --key FILE                  Read the private key for --cert from FILE
                      --passphrase TEXT           Decrypt the private key with TEXT
                  -k, --insecure                  Do not verify certificates
                      --pin PIN                   Require this public key: sha256//BASE64
                      --tls-server-name NAME      Expect this name in the certificate
                      --tls-min VERSION           Require at least this TLS version [1.2]

                Compression:
                      --compress[=off]            Compress messages if the peer can [off]
                      --compress-window-bits N    Compress with a window of 2^N bytes [15]
                      --compress-no-context       Compress each message independently

                Limits:
                      --max-message-size SIZE     Limit the size of received messages [64M]
                      --max-fragments N           Limit the fragments per message [131072]
                      --fragment-size SIZE        Send messages in fragments of SIZE bytes

                Results:
                      --output FORMAT             How results are written to stdout [text]
                      --threshold EXPR            Exit with 7 unless this holds: 'p99<20ms'
                      --baseline FILE             Compare with an earlier run's JSON in FILE
                      --hdr FILE                  Write the latencies of each second to FILE
                      --report FILE               Draw the results in FILE, a page in HTML

                Display:
                  -q, --quiet                     Suppress notices on stderr
                      --color WHEN                When to use colors [auto]

                General:
                  -h, --help                      Show help; -h is the short form

                'wsx bench --help' and wsx-bench(1) tell more.

                """)
    }

    @Test("the long help explains an option with its choices and default") func long() {
        #expect(
            TestProgram.longHelp(of: .listen).contains(
                """
                      --output FORMAT
                          Write received messages to standard output in this format. See FORMATS.
                            text    each message and a newline
                            raw     each message without a separator
                            nul     each message and a NUL byte
                            hex     each message as a line of hexadecimal digits
                            base64  each message as a line of Base64
                            json    one JSON event per line, see JSON EVENTS in the manual
                          Default: text.

                """))
    }
}
