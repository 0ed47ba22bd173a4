import CommandLine
import Conversation
import Formats
import UserInterface
import WSCore

extension Scenario {
    /// Reads the scenario that the arguments name, or returns `nil` if there is none.
    /// - Parameters:
    ///   - variables: The variables that are set from outside, such as the columns of a data file.
    ///   - playsPeer: Whether to play the opposite side.
    ///   - codecs: The codecs of binary messages. Defaults to none.
    ///   - limitBytes: The maximum size of a decoded message.
    ///   - lineCheck: Checks the texts that the steps send, or `nil` if all are valid.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    package static func make(
        _ arguments: ScenarioArguments, variables: VariableNames = VariableNames(), playsPeer: Bool = false,
        codecs: CodecArguments = CodecArguments(), limitBytes: Int = .max,
        lineCheck: LineCheck? = nil, secrets: Secrets
    ) throws(Failure) -> Scenario? {
        guard let path = arguments.path else { return nil }
        return try make(
            at: path, arguments, variables: variables, playsPeer: playsPeer, codecs: codecs, limitBytes: limitBytes,
            lineCheck: lineCheck, secrets: secrets)
    }

    /// Reads the scenario in a file. The parameters are those of ``make(_:variables:playsPeer:codecs:limitBytes:lineCheck:secrets:)``.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    package static func make(
        at path: String, _ arguments: ScenarioArguments, variables: VariableNames = VariableNames(),
        playsPeer: Bool = false, codecs: CodecArguments = CodecArguments(), limitBytes: Int = .max,
        lineCheck: LineCheck? = nil, secrets: Secrets
    ) throws(Failure) -> Scenario {
        var (contents, options) = try steps(in: path, arguments)
        options.variables = secrets.names(variables, isTyped: false)
        options.environment = secrets.inserted
        options.playsPeer = playsPeer
        options.decoders = codecs.decoders
        options.decodedLimitBytes = limitBytes
        let scenario = try make(contents, path: path, options, encoders: codecs.encoders, lineCheck: lineCheck)
        if scenario.sendsSecret { secrets.record.addMessage(of: "--scenario") }
        return scenario
    }

    /// Reads a file. The chosen connection of a HAR file becomes a recording.
    /// - Returns: The lines with the steps, and the options that the arguments ask for.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func steps(
        in path: String, _ arguments: ScenarioArguments
    ) throws(Failure) -> (lines: [UInt8], options: ScenarioOptions) {
        let contents = try HeaderFiles.contents(of: path, for: "--scenario")
        var options = ScenarioOptions(arguments)
        let input = SessionInput(contents: contents, named: "--scenario \(escapingControls(path))")
        guard case .har? = try? input.format() else { return (contents, options) }
        let file = try HARFile(input)
        guard let number = try input.chosen(options.connection, of: file.entries.count) ?? file.onlyNumber else {
            throw input.failure(
                "it contains \(file.entries.count) WebSocket connections; choose one with --connection N, which wsx convert "
                    + "--list shows")
        }
        options.connection = nil
        var lines: [UInt8] = []
        _ = try file.write(number) { _ in
        } rest: { text in
            lines = text.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        }
        return (lines, options)
    }

    /// Reads a scenario.
    /// - Parameters:
    ///   - path: The path of the file, for errors.
    ///   - encoders: The codecs of messages to send, the outermost first.
    ///   - lineCheck: Checks the texts that the steps send, or `nil` if all are valid.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and, for an invalid file, the column.
    package static func make(
        _ contents: [UInt8], path: String, _ options: ScenarioOptions, encoders: [Codec], lineCheck: LineCheck?
    ) throws(Failure) -> Scenario {
        let what = "--scenario \(escapingControls(path))"
        let scenario: Scenario
        do throws(ScenarioError) {
            scenario = try Scenario(contents.span.bytes, options)
        } catch {
            let mayBeColumn = !options.playsPeer && options.variables.names.isEmpty
            throw .badArgument(
                what: "\(what), line \(error.line), column \(error.column)",
                why: error.suggestion(mayBeColumn: mayBeColumn))
        }
        if encoders.allSatisfy({ $0.program == nil }),
            let (line, problem) = scenario.firstUnencodable(by: TextEncoder(encoders))
        {
            throw .badArgument(what: "\(what), line \(line)", why: "--encode cannot encode the message: \(problem)")
        }
        let lines = scenario.constantTexts
        if let (index, problem) = lineCheck?(lines.map(\.text)) {
            throw .badArgument(what: "\(what), line \(lines[index].line)", why: "\(problem)")
        }
        return scenario
    }

    /// Notices that only the first connection of a recording is played.
    package func noteOtherConnections(in arguments: ScenarioArguments, on diagnostics: Diagnostics) {
        guard let line = otherConnectionLine, let path = arguments.path, arguments.connection == nil else { return }
        diagnostics.notice(
            "\(escapingControls(path)): only the first connection is played; line \(line) belongs to another one, which "
                + "--connection N plays")
    }
}

extension ScenarioOptions {
    /// Options from arguments.
    package init(_ arguments: ScenarioArguments) {
        self.init(
            parseDuration: { text in
                do throws(ValueProblem) { return try DurationValue.parse(text) } catch { return nil }
            },
            parseRange: { text in
                do throws(ValueProblem) { return try DelayValue.parse(text, zeroAllowed: true) } catch { return nil }
            })
        connection = arguments.connection
        ignoredPointers = Set(arguments.ignoredPointers.map { ExactString($0) })
    }
}

extension ScenarioError {
    /// The mistake and its remedy. For an unknown name, the remedy is the most similar known name, if there is one.
    /// - Parameter mayBeColumn: Whether an unknown placeholder may be a column of a data file that is not given.
    fileprivate func suggestion(mayBeColumn: Bool) -> String {
        reason(
            intendedName: unknownName.flatMap { EditDistance.nearest(to: $0.name, among: $0.known) },
            mayBeColumn: mayBeColumn)
    }
}
