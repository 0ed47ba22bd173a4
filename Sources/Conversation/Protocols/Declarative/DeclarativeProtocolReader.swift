import Formats
import WSCore

/// Reads a ``DeclarativeProtocol``.
struct DeclarativeProtocolReader {
    private typealias Member = DeclarativeProtocol.Member

    /// A value of the file.
    private struct Value {
        let kind: JSONToken.Kind
        /// The range in the file.
        let range: Range<Int>
    }

    private let file: [UInt8]
    private let environment: (String) -> String?
    private let parseDuration: (String) -> Duration?
    /// The values of the members of the file.
    private var values: [String: Value] = [:]
    private var variables = VariableNames()

    init(
        _ file: [UInt8], sink: SecretSink?, environment: @escaping (String) -> String?,
        parseDuration: @escaping (String) -> Duration?
    ) {
        self.file = file
        variables.sink = sink
        self.environment = environment
        self.parseDuration = parseDuration
    }

    mutating func read() throws(DeclarativeProtocolError) -> DeclarativeProtocol {
        guard UTF8Validator.isValid(file.span.bytes) else { throw error("the file is not UTF-8", atByte: 0) }
        values = try members(in: 0..<file.count, of: Member.allCases.map(\.rawValue), "the file")
        var result = DeclarativeProtocol()
        guard let name = try string(.name), !name.isEmpty else {
            throw error("the protocol has no name; add \"name\":\"my-protocol\"", atByte: 0)
        }
        guard escapingControls(name) == name else {
            throw error("the name of the protocol contains a control character", at: values["name"])
        }
        result.name = name
        if let summary = try string(.summary) { result.summary = summary }
        result.subprotocols = try strings(.subprotocols).map(\.text)
        // Variables first: templates refer to them.
        for (text, token) in try strings(.parameters) {
            let isOptional = text.hasSuffix("?")
            let name = isOptional ? String(text.dropLast()) : text
            if isOptional { result.optionalParameters.insert(name) }
            try addVariable(name, isSecret: true, at: token)
            result.parameters.append(name)
        }
        let extractions = try extractions()
        result.plan = try plan()
        result.plan.extractions = extractions
        result.plan.answersReadiness = true
        result.patterns = try patterns()
        result.heartbeat = try heartbeat()
        if let prefix = try string(.prefix) { result.prefix = try template(prefix, at: values["prefix"]) }
        if let suffix = try string(.suffix) { result.suffix = try template(suffix, at: values["suffix"]) }
        (result.id, result.replyIDs) = try correlation()
        for member in [Member.reply, .error] where result.id == nil {
            guard let value = values[member.rawValue] else { continue }
            throw error(
                "'\(member.rawValue)' has no effect without 'id', the location of the id that a request and its reply "
                    + "have in common; add it, as in \"id\":\"/id\"", at: value)
        }
        result.event = try path(.event)
        result.unwrap = try paths(.unwrap)
        return result
    }

    // MARK: Parts

    private func plan() throws(DeclarativeProtocolError) -> AutoReply.Plan {
        var plan = AutoReply.Plan()
        for (text, token) in try strings(.first) {
            let template = try template(text, at: token)
            guard !template.usesLastMessage else {
                throw error("a first message cannot insert values of messages; make it an answer", at: token)
            }
            plan.firstMessages.append(template)
        }
        plan.ready = try condition(.ready)
        for (text, token) in try strings(.answers) {
            do throws(AnswerRuleError) {
                plan.answers.append(.init(try AnswerRule(text, variables: variables, environment: environment)))
            } catch .placeholderInPattern {
                throw self.error("the answer is invalid: \(MatcherError.noPlaceholderInPattern)", at: token)
            } catch .program {
                throw self.error("the answer is a program, which only --answer starts; write a text", at: token)
            } catch {
                throw self.error("the answer is invalid: \(error)", at: token)
            }
        }
        plan.variables = variables
        return plan
    }

    private func patterns() throws(DeclarativeProtocolError) -> DeclarativeProtocol.Patterns<String> {
        DeclarativeProtocol.Patterns(
            failure: try pattern(.failure), reply: try pattern(.reply), error: try pattern(.error),
            hidden: try pattern(.hidden), renew: try pattern(.renew))
    }

    private mutating func extractions() throws(DeclarativeProtocolError) -> [Extraction] {
        guard let object = values["set"] else { return [] }
        var extractions: [Extraction] = []
        let members = try members(in: object.range, of: nil, "'set'")
        for (name, token) in members.sorted(by: { $0.value.range.lowerBound < $1.value.range.lowerBound }) {
            guard token.kind == .string else { throw error("the location of a variable is not a string", at: token) }
            extractions.append(
                Extraction(slot: try addVariable(name, at: token), path: try path(text(token), at: token)))
        }
        return extractions
    }

    @discardableResult
    private mutating func addVariable(
        _ name: String, isSecret: Bool = false, at token: Value
    ) throws(DeclarativeProtocolError) -> Int {
        guard variables.slot(of: name) == nil else {
            throw error("the variable \(quoted(name)) is defined twice; rename one", at: token)
        }
        do throws(VariableNameError) {
            return try variables.add(name, isSecret: isSecret)
        } catch {
            throw self.error("\(error)", at: token)
        }
    }

    private func heartbeat() throws(DeclarativeProtocolError) -> DeclarativeProtocol.Heartbeat? {
        guard let object = values["heartbeat"] else { return nil }
        let names = DeclarativeProtocol.HeartbeatMember.allCases.map(\.rawValue)
        let members = try members(in: object.range, of: names, "'heartbeat'")
        guard let send = members["send"], let every = members["every"] else {
            throw error("'heartbeat' needs \"send\":TEXT and \"every\":\"30s\"", at: object)
        }
        let interval = try string(every, "every")
        let template = try template(try string(send, "send"), at: send)
        var answer: String?
        if let token = members["answer"] { answer = try pattern(try string(token, "answer"), at: token) }
        if let duration = parseDuration(interval) {
            guard DeclarativeSession.intervals.contains(duration) else {
                throw error("'every' is not from 100ms to 24h", at: every)
            }
            return DeclarativeProtocol.Heartbeat(text: template, interval: .fixed(duration), answer: answer)
        }
        guard interval.utf8.first == UInt8(ascii: "/") || interval.utf8.first == UInt8(ascii: ".") else {
            throw error("'every' is neither a duration such as 30s nor a location such as /interval", at: every)
        }
        return DeclarativeProtocol.Heartbeat(
            text: template, interval: .received(try path(interval, at: every)), answer: answer)
    }

    // MARK: Values

    /// The members of an object in the file by name.
    /// - Parameters:
    ///   - range: The range of the object in the file.
    ///   - known: The allowed names, or `nil` if any is allowed.
    private func members(
        in range: Range<Int>, of known: [String]?, _ what: String
    ) throws(DeclarativeProtocolError) -> [String: Value] {
        let text = Array(file[range])
        let found: [(name: JSONToken, value: JSONToken)]?
        do throws(JSONError) {
            found = try JSONReader.members(of: text.span.bytes)
        } catch {
            if case .unexpected(let offset) = error {
                throw self.error("unexpected character; \(what) must be JSON", atByte: range.lowerBound + offset)
            }
            throw self.error("\(what) is not JSON: \(error)", atByte: range.upperBound)
        }
        guard let found else { throw error("\(what) is not a JSON object", atByte: range.lowerBound) }
        var members: [String: Value] = [:]
        for (nameToken, value) in found {
            let name = JSONString.decoded(text.span.bytes.extracting(nameToken.range))
            let offset = range.lowerBound + nameToken.range.lowerBound
            guard known?.contains(name) != false else {
                throw error(
                    "unknown member \(quoted(name)); expected \((known ?? []).joined(separator: ", "))", atByte: offset)
            }
            guard members[name] == nil else { throw error(MatcherError.duplicateWords(name), atByte: offset) }
            let start = range.lowerBound + value.range.lowerBound
            members[name] = Value(kind: value.kind, range: start..<range.lowerBound + value.range.upperBound)
        }
        return members
    }

    private func text(_ token: Value) -> String {
        JSONString.decoded(file.span.bytes.extracting(token.range))
    }

    private func string(_ token: Value, _ name: String) throws(DeclarativeProtocolError) -> String {
        guard token.kind == .string else { throw error("'\(name)' is not a string", at: token) }
        return text(token)
    }

    private func string(_ member: Member) throws(DeclarativeProtocolError) -> String? {
        guard let token = values[member.rawValue] else { return nil }
        return try string(token, member.rawValue)
    }

    /// The strings of an array, with their tokens.
    private func strings(_ member: Member) throws(DeclarativeProtocolError) -> [(text: String, token: Value)] {
        guard let array = values[member.rawValue] else { return [] }
        guard array.kind == .beginArray else {
            throw error("'\(member.rawValue)' is not an array of strings, such as [\"a\"]", at: array)
        }
        var tokens: [Value] = []
        let bytes = Array(file[array.range])
        var reader = JSONReader()
        do throws(JSONError) {
            _ = try reader.next(in: bytes.span.bytes)
            while let token = try reader.next(in: bytes.span.bytes), token.kind != .endArray {
                let value = try reader.value(from: token, in: bytes.span.bytes)
                let start = array.range.lowerBound + value.range.lowerBound
                tokens.append(Value(kind: value.kind, range: start..<start + value.range.count))
            }
        } catch {
            throw self.error("'\(member.rawValue)' is not JSON: \(error)", at: array)
        }
        var strings: [(text: String, token: Value)] = []
        for token in tokens {
            guard token.kind == .string else {
                throw error("'\(member.rawValue)' contains another value than a string", at: token)
            }
            strings.append((text(token), token))
        }
        return strings
    }

    /// One location, or an array of them.
    private func paths(_ member: Member) throws(DeclarativeProtocolError) -> [JSONPath] {
        guard values[member.rawValue]?.kind == .beginArray else { return try path(member).map { [$0] } ?? [] }
        var paths: [JSONPath] = []
        for (text, token) in try strings(member) { paths.append(try path(text, at: token)) }
        return paths
    }

    private func correlation() throws(DeclarativeProtocolError) -> (request: JSONPath?, replies: [JSONPath]) {
        guard let text = try string(.id), let token = values["id"] else { return (nil, []) }
        let (request, replies) = Correlation.split(text)
        let path = try path(request, at: token)
        guard let replies else { return (path, [path]) }
        var paths: [JSONPath] = []
        for reply in replies {
            guard !reply.utf8.contains(UInt8(ascii: "=")) else {
                throw error("the location is invalid; write REQUEST=REPLY,REPLY as in /1=/1,/2", at: token)
            }
            paths.append(try self.path(reply, at: token))
        }
        return (path, paths)
    }

    private func path(_ member: Member) throws(DeclarativeProtocolError) -> JSONPath? {
        guard let text = try string(member), let token = values[member.rawValue] else { return nil }
        return try path(text, at: token)
    }

    private func path(_ text: String, at token: Value) throws(DeclarativeProtocolError) -> JSONPath {
        do throws(JSONQueryError) {
            return try JSONPath(text)
        } catch {
            throw self.error("the location is invalid: \(error)", at: token)
        }
    }

    private func pattern(_ member: Member) throws(DeclarativeProtocolError) -> String? {
        guard let text = try string(member), let token = values[member.rawValue] else { return nil }
        return try pattern(text, at: token)
    }

    private func condition(_ member: Member) throws(DeclarativeProtocolError) -> String? {
        guard let text = try string(member), let token = values[member.rawValue] else { return nil }
        guard text.hasPrefix(MessageCondition.jsonPrefix) else { return try pattern(text, at: token) }
        do throws(MessageConditionError) {
            return try MessageCondition(text).source
        } catch {
            throw self.error("the condition is invalid: \(error)", at: token)
        }
    }

    /// Checks a regular expression.
    private func pattern(_ text: String, at token: Value) throws(DeclarativeProtocolError) -> String {
        guard variables.offsetOfPlaceholder(inPattern: text) == nil else {
            throw self.error(MatcherError.noPlaceholderInPattern, at: token)
        }
        do throws(PatternError) {
            return try Pattern(text).source
        } catch {
            throw self.error("the regular expression is invalid: \(error)", at: token)
        }
    }

    private func template(_ text: String, at token: Value?) throws(DeclarativeProtocolError) -> Template {
        do throws(TemplateError) {
            return try Template(text, variables: variables, environment: environment)
        } catch {
            throw self.error("the text is invalid: \(error)", at: token)
        }
    }

    // MARK: Errors

    private func error(_ reason: String, at token: Value?) -> DeclarativeProtocolError {
        error(reason, atByte: token?.range.lowerBound ?? 0)
    }

    private func error(_ reason: String, atByte offset: Int) -> DeclarativeProtocolError {
        let before = file.prefix(offset)
        let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return DeclarativeProtocolError(line: line, column: column, reason: reason)
    }
}
