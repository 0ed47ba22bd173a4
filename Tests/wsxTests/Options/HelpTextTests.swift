import CommandLine
import Testing

@testable import wsx

@Suite struct HelpTextTests {
    @Test(
        "Help is at most 80 columns wide, without trailing spaces or tabs",
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

    @Test("Help contains no marks of the manual", arguments: Command.allCases)
    func marks(command: Command) {
        #expect(!TestProgram.longHelp(of: command).contains("`"))
    }

    @Test("The program's help shows its commands") func program() {
        #expect(
            TestProgram.shortHelp(of: nil) == """
                wsx: Talk WebSocket from the command line

                Usage: wsx COMMAND [ARGUMENT...]
                       wsx [OPTION...] URL [MESSAGE...]

                Commands:
                  connect      Talk to a WebSocket server
                  listen       Be a WebSocket server
                  bench        Load-test a server
                  bench merge  Add the results of several load tests
                  help         Explain the program or a command
                  completions  Print a shell's completion script

                General:
                  -h, --help     Show help; -h is the short form
                  -V, --version  Show the version

                'wsx COMMAND -h' lists a command's options, 'wsx COMMAND --help' explains them.

                """)
    }

    @Test("The short help of listen has one line per option") func listen() {
        #expect(
            TestProgram.shortHelp(of: .listen) == """
                wsx listen: Be a WebSocket server

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
                      --input FORMAT                How stdin is cut into messages [lines]
                      --crlf                        Take the CR before a line's LF away
                      --output FORMAT               How messages are written to stdout [text]
                      --replay-speed SPEED          Pace of --input json: 1, 2, 0.5, max [max]

                Ending:
                      --close-timeout DURATION      Time for the peer to answer a close [5s]

                Staying connected:
                      --heartbeat DURATION          Ping so often, and drop silent clients
                      --heartbeat-misses N          Heartbeats without life until it is lost [3]

                TLS:
                      --tls-cert FILE               Serve wss:// with this certificate
                      --tls-key FILE                The private key of --tls-cert
                      --passphrase TEXT             The passphrase of the private key
                      --tls-self-signed             Serve wss:// with a certificate of its own
                      --client-ca PATH              Let in only clients with its certificates

                Compression:
                      --compress[=off]              Compress messages where the peer can [on]
                      --compress-window-bits N      Refer back by 2^N bytes at most (8-15) [15]
                      --compress-no-context         Compress each message by itself

                Limits:
                      --max-connections N           Most clients at a time
                      --idle-timeout DURATION       Close clients that are idle so long
                      --max-message-size SIZE       Largest message to receive [16M]
                      --max-fragments N             Most fragments of one message [131072]
                      --fragment-size SIZE          Split larger outgoing messages

                Display:
                  -v, --verbose                     Show handshake and control frames; -vv more
                  -q, --quiet                       No notices on stderr
                      --color WHEN                  When to use colors [auto]
                      --timestamps STYLE            Times shown on a terminal [local]
                      --record FILE                 Record the session in FILE
                      --pretty                      Indent JSON, also in a pipe
                      --no-pretty                   Show JSON as it is

                General:
                  -h, --help                        Show help; -h is the short form

                'wsx listen --help' and wsx-listen(1) tell more.

                """)
    }

    @Test("The short help of connect has one line per option") func connect() {
        #expect(
            TestProgram.shortHelp(of: .connect) == """
                wsx connect: Talk to a WebSocket server

                Usage: wsx connect [OPTION...] URL [MESSAGE...]

                Operands:
                  URL           The server: ws://HOST/PATH, HOST:PORT, echo:
                  [MESSAGE...]  Sent in order, in place of stdin

                Messages:
                  -x, --execute MESSAGE           Send MESSAGE once open, as the operand does
                  -f, --file PATH                 Send the file as one message
                  -i, --interactive               Go on with stdin after the messages
                      --no-stdin                  Do not read stdin, only receive
                      --text                      Send text messages (default)
                      --binary                    Send binary messages

                Input and output:
                      --input FORMAT              How stdin is cut into messages [lines]
                      --crlf                      Take the CR before a line's LF away
                      --output FORMAT             How messages are written to stdout [text]
                      --replay-speed SPEED        Pace of --input json: 1, 2, 0.5, max [max]

                Ending:
                      --linger DURATION           Wait for replies after the input [1s]
                  -n, --count N                   Exit after N received messages
                      --until REGEX               Exit when a message matches
                      --expect REGEX              Exit with 7 unless a message matches
                      --timeout DURATION          End the whole run after so long
                      --close-code CODE           Status code of the close frame [1000]
                      --close-reason TEXT         Reason in the close frame
                      --close-timeout DURATION    Time for the peer to answer a close [5s]

                Requests and replies:
                      --request                   Wait for a reply to each message
                      --correlate FIELD           Match replies by a JSON field
                      --json-rpc[=FORM]           Make JSON-RPC calls of 'method arg...'
                      --fail                      Exit with 7 if a call returns an error
                      --reply-timeout DURATION    Time for the reply to a request [30s]

                Staying connected:
                      --reconnect[=N]             Connect again, N times or forever
                      --heartbeat DURATION        Ping so often, and miss a silent peer
                      --heartbeat-misses N        Heartbeats without life until it is lost [3]
                      --heartbeat-message TEXT    Send a message in place of the pings

                Request:
                  -H, --header HEADER             Add 'Name: value' or @FILE
                  -s, --subprotocol NAME          Offer this subprotocol (also A,B)
                  -a, --auth USER[:PASSWORD]      Log in with basic authentication
                      --bearer TOKEN              Log in with a bearer token
                  -b, --cookie COOKIE             Send a cookie: 'name=value'
                  -o, --origin ORIGIN             Send this Origin, as a browser does
                      --host HOST                 Send this Host in place of the URL's
                      --user-agent TEXT           Send this User-Agent
                  -L, --location                  Follow redirects
                      --max-redirects N           Most redirects to follow [20]

                Network:
                  -4, --ipv4                      Connect over IPv4 only
                  -6, --ipv6                      Connect over IPv6 only
                      --resolve HOST:PORT:IP      Connect to IP for this HOST and PORT
                      --source-ip IP              Connect from this address
                      --unix-socket PATH          Connect to a socket file
                      --connect-timeout DURATION  Time to connect, upgrade included [10s]
                      --proxy URL                 Connect through a proxy
                      --no-proxy HOSTS            Connect to these without a proxy

                TLS:
                      --ca PATH                   Trust these authorities and no others
                      --cert FILE                 Show this certificate to the server
                      --key FILE                  The private key of --cert
                      --passphrase TEXT           The passphrase of the private key
                  -k, --insecure                  Do not verify certificates
                      --pin PIN                   Accept only this key: sha256//BASE64
                      --tls-server-name NAME      Expect this name in the certificate
                      --tls-min VERSION           Accept no older version: 1.2 or 1.3 [1.2]

                Compression:
                      --compress[=off]            Compress messages where the peer can [on]
                      --compress-window-bits N    Refer back by 2^N bytes at most (8-15) [15]
                      --compress-no-context       Compress each message by itself

                Limits:
                      --max-message-size SIZE     Largest message to receive [64M]
                      --max-fragments N           Most fragments of one message [131072]
                      --fragment-size SIZE        Split larger outgoing messages

                Display:
                  -v, --verbose                   Show handshake and control frames; -vv more
                  -q, --quiet                     No notices on stderr
                      --color WHEN                When to use colors [auto]
                      --timestamps STYLE          Times shown on a terminal [local]
                      --record FILE               Record the session in FILE
                      --pretty                    Indent JSON, also in a pipe
                      --no-pretty                 Show JSON as it is
                      --history FILE              Keep the prompt's history in FILE
                      --no-history                Keep no history of the prompt in a file

                General:
                  -h, --help                      Show help; -h is the short form

                'wsx connect --help' and wsx-connect(1) tell more.

                """)
    }

    @Test("The short help of bench has one line per option") func bench() {
        #expect(
            TestProgram.shortHelp(of: .bench) == """
                wsx bench: Load-test a server

                Usage: wsx bench [OPTION...] URL

                Operands:
                  URL  The server: ws://HOST/PATH, HOST:PORT, echo:

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
                      --timeout DURATION          End the whole run after so long
                      --close-code CODE           Status code of the close frame [1000]
                      --close-reason TEXT         Reason in the close frame
                      --close-timeout DURATION    Time for the peer to answer a close [5s]

                Request:
                  -H, --header HEADER             Add 'Name: value' or @FILE
                  -s, --subprotocol NAME          Offer this subprotocol (also A,B)
                  -a, --auth USER[:PASSWORD]      Log in with basic authentication
                      --bearer TOKEN              Log in with a bearer token
                  -b, --cookie COOKIE             Send a cookie: 'name=value'
                  -o, --origin ORIGIN             Send this Origin, as a browser does
                      --host HOST                 Send this Host in place of the URL's
                      --user-agent TEXT           Send this User-Agent
                  -L, --location                  Follow redirects
                      --max-redirects N           Most redirects to follow [20]

                Network:
                  -4, --ipv4                      Connect over IPv4 only
                  -6, --ipv6                      Connect over IPv6 only
                      --resolve HOST:PORT:IP      Connect to IP for this HOST and PORT
                      --source-ip IP              Connect from this address
                      --unix-socket PATH          Connect to a socket file
                      --connect-timeout DURATION  Time to connect, upgrade included [10s]
                      --proxy URL                 Connect through a proxy
                      --no-proxy HOSTS            Connect to these without a proxy

                TLS:
                      --ca PATH                   Trust these authorities and no others
                      --cert FILE                 Show this certificate to the server
                      --key FILE                  The private key of --cert
                      --passphrase TEXT           The passphrase of the private key
                  -k, --insecure                  Do not verify certificates
                      --pin PIN                   Accept only this key: sha256//BASE64
                      --tls-server-name NAME      Expect this name in the certificate
                      --tls-min VERSION           Accept no older version: 1.2 or 1.3 [1.2]

                Compression:
                      --compress[=off]            Compress messages where the peer can [off]
                      --compress-window-bits N    Refer back by 2^N bytes at most (8-15) [15]
                      --compress-no-context       Compress each message by itself

                Limits:
                      --max-message-size SIZE     Largest message to receive [64M]
                      --max-fragments N           Most fragments of one message [131072]
                      --fragment-size SIZE        Split larger outgoing messages

                Results:
                      --output FORMAT             How results are written to stdout [text]
                      --threshold EXPR            Exit with 7 unless this holds: 'p99<20ms'
                      --baseline FILE             Compare with an earlier run's JSON in FILE
                      --hdr FILE                  Write the latencies of each second to FILE
                      --report FILE               Draw the results in FILE, a page in HTML

                Display:
                  -q, --quiet                     No notices on stderr
                      --color WHEN                When to use colors [auto]

                General:
                  -h, --help                      Show help; -h is the short form

                'wsx bench --help' and wsx-bench(1) tell more.

                """)
    }

    @Test("The long help explains an option with its choices and default") func long() {
        #expect(
            TestProgram.longHelp(of: .listen).contains(
                """
                      --output FORMAT
                          How received messages are written to standard output, see FORMATS.
                            text    each message and a newline
                            raw     the bytes of the messages and nothing else
                            nul     each message and a NUL byte
                            hex     each message as hexadecimal digits, and a newline
                            base64  each message as Base64, and a newline
                            json    one JSON event a line, see JSON EVENTS in the manual
                          Default: text.

                """))
    }
}
