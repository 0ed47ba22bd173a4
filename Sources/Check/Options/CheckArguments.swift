import CommandLine
import UserInterface
import WSCore

/// Which cases `wsx check` plays, or shows instead.
package struct CaseSelectionArguments: Equatable, Sendable {
    /// Globs of ids; empty: all.
    package var cases: [String] = []
    package var excluded: [String] = []
    /// A file with the user's own cases.
    package var caseFile: String?
    package var isListing = false
    /// The id of the case to explain; nil: none.
    package var explainedCase: String?
}

/// The arguments of `wsx check` as typed.
package struct CheckArguments: Equatable, Sendable {
    /// Without an offer of compression, which cases make.
    package var client = ClientArguments(compression: CompressionArguments(compresses: false))
    package var exchange = ExchangeArguments()
    /// For `--listen`.
    package var serverTLS = ServerTLSArguments()
    /// The address at which clients are checked, as typed; nil: a server is checked.
    package var listenAddress: String?
    /// Whether `--listen` ends after `/updateReports`.
    package var isOnce = false
    package var selection = CaseSelectionArguments()
    package var expectedPath: String?
    /// A configuration file of the Autobahn TestSuite.
    package var specificationPath: String?
    /// The number of cases side by side, 1 or more.
    package var parallelCount = 4
    /// Replaces the calibrated limit.
    package var caseTimeout: Duration?
    package var agent: String?
    package var isJSON = false
    package var junitPath: String?
    package var autobahnPath: String?
    package var reportPath: String?
    /// Files of earlier results for the report.
    package var resultPaths: [String] = []
    package var timeout: Duration?
    package var display = DisplayArguments()

    package init() {}

    /// Whether clients are checked.
    package var isForClients: Bool { listenAddress != nil }

    /// Whether a peer is checked at all, and not only a report of earlier results written.
    package var needsPeer: Bool {
        !selection.isListing && selection.explainedCase == nil
            && (resultPaths.isEmpty || isForClients || !client.url.isEmpty)
    }

    package static let operands: [OperandSpecification<CheckArguments>] = [
        OperandSpecification(
            "URL", required: false, profileKey: "url",
            completion: .url(prefixes: CompletionTargets.prefixes, list: CompletionTargets.word),
            summary: "The server to check; none with --listen",
            manual: """
                The server to check; see URLS.
                """
        ) { arguments, values throws(ValueProblem) in
            guard let value = values.first else { return }
            arguments.client.url = try ServerURLValue.parse(value, mayMeanLoad: false)
        }
    ]

    package static let options = table.adapted(examples: [
        "tls-cert": "--listen 9001 --tls-cert server.pem",
        "tls-key": "--listen 9001 --tls-cert server.pem --tls-key key.pem",
        "tls-self-signed": "--listen 9001 --tls-self-signed",
    ])

    @OptionTable<CheckArguments> private static var table: [OptionSpecification<CheckArguments>] {
        cases
        running
        results
        ExchangeArguments.options(
            firstMessage: "It belongs to no case.",
            ready: "Each case begins after it. Messages up to this one belong to no case.",
            answer: "", runsPrograms: false
        ).only(["first-message", "ready"]).lifted(\.exchange)
        RequestArguments.options.filter { !omitted.contains($0.description.long) }.lifted(\.client.request)
        NetworkArguments.options.filter { !omitted.contains($0.description.long) }.lifted(\.client.network)
        NetworkArguments.http2.lifted(\.client.network)
        TLSArguments.options.lifted(\.client.tls)
        ServerTLSArguments.options.only(["tls-cert", "tls-key", "tls-self-signed"]).lifted(\.serverTLS)
        DisplayArguments.options().lifted(\.display)
    }

    /// Options that answer a response, which a case judges itself, and some that few servers to check need.
    private static let omitted = [
        "digest", "anyauth", "location", "location-trusted", "max-redirects", "aws-sigv4", "netrc", "source-ip",
    ]

    @OptionTable<CheckArguments> private static var cases: [OptionSpecification<CheckArguments>] {
        OptionSpecification(
            "case", value: OptionValue("GLOB"), repetition: .adds, heading: .cases,
            summary: "Only cases whose ids match: '6.*'",
            manual: """
                Play the cases whose ids match *GLOB*, in which `*` stands for any text. Without the option, all cases are \
                played that suit the peer; those of section S only against a server on this machine.
                """,
            example: "--case '3.*' --case 'F.*'", seeAlso: ["exclude", "list"]
        ) { arguments, value in arguments.selection.cases.append(value) }
        OptionSpecification(
            "exclude", value: OptionValue("GLOB"), repetition: .adds, heading: .cases,
            summary: "Leave out cases whose ids match", manual: "Leave out the cases whose ids match *GLOB*.",
            example: "--exclude '9.*' --exclude '12.*'", seeAlso: ["case"]
        ) { arguments, value in arguments.selection.excluded.append(value) }
        OptionSpecification(
            "case-file", value: OptionValue("FILE", .file), heading: .cases, summary: "Play the cases of FILE instead",
            manual: "Play the cases of *FILE* instead of those of the program; see CASE FILES.",
            example: "--case-file mine.cases", seeAlso: ["list"]
        ) { arguments, value in arguments.selection.caseFile = value }
        OptionSpecification(
            "list", heading: .cases, summary: "List the cases, and play none",
            manual: "List the ids and titles of the cases on standard output, and play none.", seeAlso: ["explain"]
        ) { arguments, _ in arguments.selection.isListing = true }
        OptionSpecification(
            "explain", value: OptionValue("ID"), heading: .cases, summary: "Show a case, and play none",
            manual: """
                Show what a case sends, what it accepts, the place in the RFC, and what a failure means for users.
                """,
            example: "--explain 5.18", seeAlso: ["list"]
        ) { arguments, value in arguments.selection.explainedCase = value }
    }

    @OptionTable<CheckArguments> private static var running: [OptionSpecification<CheckArguments>] {
        OptionSpecification(
            "listen", value: OptionValue("[ADDRESS:]PORT"), heading: .cases,
            summary: "Check clients that connect to PORT",
            manual: """
                Check clients instead of a server, with the paths of the Autobahn TestSuite; see CLIENTS. The default \
                *ADDRESS* is `127.0.0.1`. Port 0 picks a free port. With `--http2`, clients may use HTTP/2, too.
                """,
            example: "--listen 9001", seeAlso: ["once"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            arguments.listenAddress = value
        }
        OptionSpecification(
            "spec", value: OptionValue("FILE", .file), conflicts: ["listen", "agent"], heading: .cases,
            summary: "Run an Autobahn TestSuite configuration",
            manual: """
                Check the servers, or the clients, of *FILE*: a configuration of the Autobahn TestSuite for `fuzzingclient` or \
                `fuzzingserver`. Its `cases`, `exclude-cases`, `exclude-agent-cases` (for servers), and `outdir` (as \
                `--autobahn`) are used; the pattern `*` stands for the cases that the suite has.
                """,
            example: "--spec fuzzingclient.json", seeAlso: ["autobahn"]
        ) { arguments, value in arguments.specificationPath = value }
        OptionSpecification(
            "once", requires: ["listen", "spec"], heading: .cases, summary: "End after a client asks for the results",
            manual: "End after the first client that has requested `/updateReports`.", seeAlso: ["listen"]
        ) { arguments, _ in arguments.isOnce = true }
        OptionSpecification(
            "parallel", "c", value: OptionValue("N"), default: "4", conflicts: ["listen"], heading: .cases,
            summary: "Play N cases at the same time",
            manual: "Play *N* cases at the same time, each on a connection of its own.", example: "-c 1"
        ) { arguments, value throws(ValueProblem) in arguments.parallelCount = try CountValue.parse(value) }
        OptionSpecification(
            "case-timeout", value: OptionValue("DURATION"), heading: .cases,
            summary: "Wait for the peer for at most DURATION",
            manual: """
                End a case in which the peer has sent and accepted nothing for *DURATION*. The default is ten times the time \
                that a connection with one ping takes, from 2 to 30 seconds. A case that meets the limit is played once \
                more, alone, by default with three times the limit.
                """,
            example: "--case-timeout 10s"
        ) { arguments, value throws(ValueProblem) in arguments.caseTimeout = try DurationValue.parse(value) }
        OptionSpecification.timeout(
            \CheckArguments.timeout, manual: "End the run after *DURATION* with status 6 and the results so far.")
    }

    @OptionTable<CheckArguments> private static var results: [OptionSpecification<CheckArguments>] {
        OptionSpecification(
            "expect", value: OptionValue("FILE", .file), heading: .results, summary: "Tolerate the failures in FILE",
            manual: """
                Tolerate failures of the cases in *FILE*, which has an id or a glob on each line; the rest of a line after \
                `#` is a comment. Only other failures cause status 7. A case that is listed and passes is reported.
                """,
            example: "--expect known-failures.txt"
        ) { arguments, value in arguments.expectedPath = value }
        OptionSpecification(
            "agent", value: OptionValue("NAME"), conflicts: ["listen"], heading: .results,
            summary: "Name the server in the results",
            manual: "Name the server *NAME* in the results instead of its URL. Clients name themselves.",
            example: "--agent 'mylib 1.2'"
        ) { arguments, value in arguments.agent = value }
        OptionSpecification(
            "json", heading: .results, summary: "Write the results as JSON",
            manual: "Write the results to standard output as one JSON object; see RESULTS."
        ) { arguments, _ in arguments.isJSON = true }
        OptionSpecification(
            "junit", value: OptionValue("FILE", .file), heading: .results, summary: "Write a JUnit report",
            manual: """
                Write a JUnit XML report to *FILE*, with a test case for each case. Non-strict and informational ones count \
                as passed.
                """,
            example: "--junit check.xml"
        ) { arguments, value in arguments.junitPath = value }
        OptionSpecification(
            "autobahn", value: OptionValue("DIR", .directory), heading: .results,
            summary: "Write the files of the Autobahn TestSuite",
            manual: """
                Write `index.json` and a JSON file for each case to the directory *DIR*, with the names and members that \
                scripts for the Autobahn TestSuite read. The directory is created if it does not exist.
                """,
            example: "--autobahn reports/servers"
        ) { arguments, value in arguments.autobahnPath = value }
        OptionSpecification(
            "report", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write an HTML report with a column per agent",
            manual: """
                Write a web page to *FILE* with the results of all agents side by side, filters, and the details of \
                each case. The page loads nothing.
                """,
            example: "--report check.html", seeAlso: ["results"]
        ) { arguments, value in arguments.reportPath = value }
        OptionSpecification(
            "results", value: OptionValue("FILE", .file), repetition: .adds, requires: ["report"], heading: .results,
            summary: "Add earlier results of --json to the report",
            manual: """
                Add the agents of *FILE*, the output of an earlier `wsx check --json`, to the report. Without *URL* and \
                `--listen`, only the report is written.
                """,
            example: "--report all.html --results mine.json --results other.json", seeAlso: ["report", "json"]
        ) { arguments, value in arguments.resultPaths.append(value) }
    }
}

extension CheckArguments {
    /// The input files and their options.
    package var readFiles: [OutputPlace.Source] {
        [
            ("--case-file", selection.caseFile), ("--expect", expectedPath), ("--spec", specificationPath),
            ("--tls-cert", serverTLS.certificate), ("--tls-key", serverTLS.key),
        ]
            + resultPaths.map { ("--results", $0) } + exchange.files + client.connectionFiles
    }
}
