import Bench
import Check
import CommandLine
import Connect
import Conversation
import Convert
import Glibc
import Listen
import Peer
import UserInterface
import WSCore

/// The program: parses the command line, runs a command, reports failures, and exits.
@main
struct Wsx {
    static func main() {
        StandardDescriptors.prepare()
        Heap.prepare()
        let status = run()
        fflush(nil)
        LogWriter.standardError.drain()
        StandardDescriptors.restore()
        // _exit() instead of exit(): other threads, such as that of an abandoned name lookup, may still be running.
        _exit(status.rawValue)
    }

    private static func run() -> ExitStatus {
        guard Swift.CommandLine.argc > 0 else {
            // The only place where Swift reads them.
            LogWriter.standardError.write("wsx: cannot read the arguments in /proc/self/cmdline; mount /proc\n")
            return .usage
        }
        let (words, areValid) = arguments()
        guard areValid else {
            let error = "an argument is not UTF-8 text; to send other bytes, use --file or standard input"
            let isJSON = UsageError.isForPrograms(words)
            LogWriter.standardError.write(
                (isJSON ? UsageError.json(error, option: nil, status: ExitStatus.usage.rawValue) : "wsx: \(error)")
                    + "\n")
            return .usage
        }
        if words.isEmpty, isOnTerminal {
            // The last column stays free, because some terminals wrap there.
            let columns = StandardDescriptors.windowSize(of: StandardDescriptors.output).map { $0.columns - 1 }
            return printed(FirstSteps.text(columns: columns))
        }
        let file = ConfigurationFile(
            environment: environment, startsProgram: Invocation.program.description.startsProgram)
        var places: [ConfigurationSource.Place] = []
        do throws(UsageError) {
            let source = ConfigurationSource(load: file.read, didUse: { places = $0 })
            switch try Invocation.program.parse(words, configuration: source, helpColumns: helpColumns) {
            case .connect(let arguments): return connect(arguments, places)
            case .listen(let arguments): return listen(arguments, places)
            case .bench(let arguments): return bench(arguments, places)
            case .merge(let arguments): return merge(arguments)
            case .convert(let arguments): return convert(arguments)
            case .check(let arguments): return check(arguments, places)
            case .completionTargets:
                let words = file.profileWords + RecentURLs(environment: environment).urls
                return printed(words.map { $0 + "\n" }.joined())
            case .text(.help(let text)), .text(.completionScript(let text)): return printed(text)
            case .text(.longHelp(let text)): return paged(text)
            case .version(let isVerbose): return printed(VersionText.text(isVerbose: isVerbose))
            }
        } catch {
            let line =
                UsageError.isForPrograms(words)
                ? error.json(status: ExitStatus.usage.rawValue) : Glyphs.drawable(error.message)
            LogWriter.standardError.write(line + "\n")
            return .usage
        }
    }

    /// Whether a person most likely typed the command line and reads the output.
    private static var isOnTerminal: Bool {
        [StandardDescriptors.input, StandardDescriptors.output].allSatisfy(StandardDescriptors.isTerminal)
    }

    /// The width of help: that of the terminal, if it is between 40 and 80 columns.
    private static var helpColumns: Int {
        let size = StandardDescriptors.windowSize(of: StandardDescriptors.output)
        return size.map { max(40, min($0.columns, HelpText.columns)) } ?? HelpText.columns
    }

    /// Prints a text. A reader that closes the pipe is a normal end.
    private static func printed(_ text: String) -> ExitStatus {
        let error = StandardDescriptors.writeAll(text, to: StandardDescriptors.output)
        guard let error, error != .brokenPipe else { return .success }
        let failure = Failure.output(error)
        LogWriter.standardError.write("wsx: \(failure.message ?? "")\n")
        return failure.status
    }

    /// Shows a text in the pager, or prints it.
    private static func paged(_ text: String) -> ExitStatus {
        let loop = try? makeLoop()
        return loop.flatMap { Pager.show(text, on: $0, environment) } ?? printed(text)
    }

    private static func connect(
        _ arguments: ConnectArguments, _ places: [ConfigurationSource.Place]
    ) -> ExitStatus {
        let secrets = secrets(within: arguments.client.network.connectTimeouts)
        let diagnostics = diagnostics(arguments.transcript.display, secrets.record)
        let ignored = arguments.curl.ignoredOptions
        if !ignored.isEmpty { diagnostics.notice("wsx: ignored: " + ignored.joined(separator: ", ")) }
        do throws(Failure) {
            let settings = try ConnectSettings(arguments, secrets: secrets) { notice in
                if arguments.transcript.verbosity > 0, !arguments.curl.isPrinted { diagnostics.notice(notice) }
            }
            if arguments.curl.isPrinted {
                let command = try settings.curlCommand(showsSecrets: arguments.curl.showsSecrets)
                command.notices.forEach { diagnostics.notice("wsx: \($0)") }
                return printed(command.text)
            }
            if isOnTerminal { arguments.doubts.forEach { diagnostics.notice("wsx: \($0)") } }
            let run = try ConnectRun(settings, on: try makeLoop(), diagnostics: diagnostics)
            return report(run.run(), savingCookiesOf: run.settings, on: diagnostics)
        } catch {
            return report(error.naming(places), on: diagnostics)
        }
    }

    private static func listen(
        _ arguments: ListenArguments, _ places: [ConfigurationSource.Place]
    ) -> ExitStatus {
        let secrets = secrets(within: ConnectTimeouts())
        let diagnostics = diagnostics(arguments.transcript.display, secrets.record)
        do throws(Failure) {
            if let certificate = try arguments.printedAuthority(environment) { return printed(certificate) }
            let activation = SocketActivation(environment: environment, processNumber: getpid())
            let settings = try ListenSettings(arguments, sockets: try activation.sockets(), secrets: secrets)
            for name in SocketActivation.variables { unsetenv(name) }
            let run = try ListenRun(settings, on: try makeLoop(), diagnostics: diagnostics)
            return report(run.run(), on: diagnostics)
        } catch {
            return report(error.naming(places), on: diagnostics)
        }
    }

    private static func bench(
        _ arguments: BenchArguments, _ places: [ConfigurationSource.Place]
    ) -> ExitStatus {
        let secrets = secrets(within: arguments.client.network.connectTimeouts)
        let diagnostics = diagnostics(arguments.display, secrets.record)
        do throws(Failure) {
            let run = try BenchRun(
                try BenchSettings(arguments, secrets: secrets), on: try makeLoop(), diagnostics: diagnostics)
            return report(run.run(), on: diagnostics)
        } catch {
            return report(error.naming(places), on: diagnostics)
        }
    }

    private static func merge(_ arguments: MergeArguments) -> ExitStatus {
        let diagnostics = diagnostics(arguments.display, SecretRecord())
        do throws(Failure) {
            return report(try BenchMerge(arguments, diagnostics: diagnostics).run(), on: diagnostics)
        } catch {
            return report(error, on: diagnostics)
        }
    }

    private static func convert(_ arguments: ConvertArguments) -> ExitStatus {
        let diagnostics = diagnostics(arguments.display, SecretRecord())
        do throws(Failure) {
            try ConvertRun(arguments, diagnostics: diagnostics).run()
            return .success
        } catch {
            return report(error, on: diagnostics)
        }
    }

    private static func check(
        _ arguments: CheckArguments, _ places: [ConfigurationSource.Place]
    ) -> ExitStatus {
        let secrets = secrets(within: arguments.client.network.connectTimeouts)
        let diagnostics = diagnostics(arguments.display, secrets.record)
        do throws(Failure) {
            let runs = try CheckSettings.all(arguments, secrets: secrets)
            let settings = runs[0]
            if let text = try settings.text { return printed(text) }
            guard settings.needsPeer else { return report(try settings.writeReport(on: diagnostics), on: diagnostics) }
            if settings.isForClients {
                return report(
                    try ClientRun(settings, on: try makeLoop(), diagnostics: diagnostics).run(), on: diagnostics)
            }
            return report(try CheckRun.run(runs, on: try makeLoop(), diagnostics: diagnostics), on: diagnostics)
        } catch {
            return report(error.naming(places), on: diagnostics)
        }
    }

    private static func diagnostics(_ display: DisplayArguments, _ secrets: SecretRecord) -> Diagnostics {
        Diagnostics(
            color: display.color, isQuiet: display.isQuiet, isPlain: display.isPlain, secrets: secrets,
            environment: environment)
    }

    /// - Parameter timeouts: Limit the time of a program.
    private static func secrets(within timeouts: ConnectTimeouts) -> Secrets {
        Secrets(environment: environment) { (question) throws(Failure) in
            try PasswordPrompt.answer(to: question)
        } run: { (command) throws(Failure) in
            try SecretProgram.output(of: command, limit: timeouts.whole, environment: environment)
        }
    }

    private static func makeLoop() throws(Failure) -> EventLoop {
        do throws(IOError) {
            return try EventLoop()
        } catch {
            throw .system(error)
        }
    }

    private static func report(
        _ failure: Failure?, savingCookiesOf settings: ConnectSettings, on diagnostics: Diagnostics
    ) -> ExitStatus {
        let problem = settings.saveCookies()
        let status = report(failure, on: diagnostics)
        let laterStatus = report(problem, on: diagnostics)
        return failure == nil ? laterStatus : status
    }

    private static func report(_ failure: Failure?, on diagnostics: Diagnostics) -> ExitStatus {
        guard let failure else { return .success }
        if failure.status == .usage, let message = failure.message, UsageError.isForPrograms(arguments().words) {
            let error = diagnostics.secrets.masking(line: message)
            diagnostics.show(UsageError.json(error, option: failure.option, status: failure.status.rawValue) + "\n")
        } else {
            diagnostics.report(failure)
        }
        return failure.status
    }

    /// The arguments after the program's name, and whether all are UTF-8: Swift silently repairs them.
    private static func arguments() -> (words: [String], areValid: Bool) {
        let pointers = UnsafeBufferPointer(start: Swift.CommandLine.unsafeArgv, count: Int(Swift.CommandLine.argc))
            .dropFirst().compactMap { $0 }
        return (
            pointers.map { String(cString: $0) }, pointers.allSatisfy { String(validatingCString: $0) != nil }
        )
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
