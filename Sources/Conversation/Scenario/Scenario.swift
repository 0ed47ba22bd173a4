import Formats
import WSCore

/// The steps of a conversation on one connection, read from a file with one JSON object per line.
///
/// | line | step |
/// | --- | --- |
/// | `{"type":"message","direction":"out","data":TEXT}` | sends a message, which may contain placeholders |
/// | `{"type":"message","direction":"in","match":MATCHER}` | waits for a message; see ``Matcher`` |
/// | `{"type":"ping"}`, `"pong"`, `"close"` with a direction | sends the frame, or waits for it |
/// | `{"type":"pause","for":"1s-3s"}` | waits for a random time in this range |
/// | `{"type":"anyOrder","steps":[…]}` | waits for the messages of these steps in any order |
/// | `{"type":"repeat"}` | the steps after it are repeated |
///
/// Recordings have the same format. A message without `match` has to equal the recorded one. Of a recording, the first
/// connection is played.
///
/// The steps of the peer are the same steps with the roles exchanged: what the client sends is awaited, and what the
/// client awaits is sent. All values stay those of the client: ``Template/Stamp/sequence`` counts its messages, and
/// `last` and the variables come from the messages that it receives.
///
/// A scenario contains compiled regular expressions, so each thread needs its own.
package struct Scenario {
    /// A step.
    package struct Step {
        /// What happens in the step.
        package enum Action {
            /// Sends a message.
            case send(Message)
            /// Waits for a message.
            case receive(Expectation)
            /// Sends a ping with this payload.
            case sendPing([UInt8])
            /// Sends a pong with this payload.
            case sendPong([UInt8])
            /// Waits for a ping.
            case receivePing
            /// Waits for a pong.
            case receivePong
            /// Starts the closing handshake and waits for its end.
            case close(CloseFrame)
            /// Ends the connection without a closing handshake.
            case drop
            /// Waits until the peer closes the connection with this code, or any if `nil`.
            case receiveClose(CloseCode?)
            /// Waits for a random time in this range.
            case pause(ClosedRange<Duration>)

            /// Whether the step waits for a frame of the peer, or for the end of the connection.
            package var waitsForPeer: Bool {
                switch self {
                case .receive, .receivePing, .receivePong, .receiveClose, .close: true
                case .send, .sendPing, .sendPong, .drop, .pause: false
                }
            }

            /// Whether the connection ends in the step.
            package var endsConnection: Bool {
                switch self {
                case .close, .drop, .receiveClose: true
                default: false
                }
            }

            /// Whether the step waits, for the peer or for a time.
            var waits: Bool {
                switch self {
                case .send, .sendPing, .sendPong: false
                default: true
                }
            }
        }

        /// What happens in the step.
        package let action: Action
        /// The name of the step in results, or `nil` if it has none.
        package let name: String?
        /// The time limit of a step that waits, or `nil` for the default.
        package internal(set) var timeout: Duration?
        /// The number of its line in the file, from 1.
        package let line: Int
        /// Whether the step waits for a message that may not arrive.
        package internal(set) var isOptional = false
        /// The steps that wait for their messages in any order, with this one among them, or `nil` if it waits alone.
        package internal(set) var group: Range<Int>?
    }

    /// The message that a step sends.
    package struct Message {
        /// The kind of the message.
        package let kind: MessageKind
        /// The text or the bytes.
        package let template: Template
        /// Sets variables to values in the message.
        package let extractions: [Extraction]
    }

    /// The message that a step waits for.
    package struct Expectation {
        /// The kind of the message as received, before it is decoded, or `nil` for either.
        package let kind: MessageKind?
        /// Decides whether a message is the expected one, or `nil` for any.
        package let matcher: Matcher?
        /// Checks the expected message, or `nil` to accept its contents.
        package let expected: Matcher?
        /// Recognizes the last message of a reply that consists of several, or `nil` for a single message.
        package let replyEnd: Matcher?
        /// Sets variables to values in the message.
        package let extractions: [Extraction]
        /// Whether any other message is an error, instead of being skipped.
        package let isStrict: Bool
    }

    /// The steps in order; at least one.
    package let steps: [Step]
    /// The regular expressions that received messages are compared with.
    package var patterns: [Pattern] {
        var patterns: [Pattern] = []
        for step in steps {
            guard case .receive(let expectation) = step.action else { continue }
            for matcher in [expectation.matcher, expectation.expected, expectation.replyEnd] {
                if let pattern = matcher?.pattern { patterns.append(pattern) }
            }
        }
        return patterns
    }
    /// The index of the first step that is repeated; 0 without a `repeat` line.
    package let repeatStart: Int
    /// Whether there is a `repeat` line.
    package let hasRepetition: Bool
    /// Whether the steps are those of the peer.
    package let playsPeer: Bool
    /// The variables that the steps use.
    package let variables: VariableNames
    /// Whether a step inserts values of the last message.
    let usesLastMessage: Bool
    /// The subprotocol of the recorded connection, or `nil` if there was none.
    package let subprotocol: String?
    /// The first line of a recording that belongs to another connection, which is not played, or `nil` if there is none.
    package let otherConnectionLine: Int?

    /// The names of the steps that have one, without repetitions, in order.
    package var stepNames: [String] {
        steps.compactMap(\.name).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The longest duration of an iteration.
    /// - Parameter timeout: The time limit of steps that have none of their own.
    package func longestIteration(timeout: Duration) -> Duration {
        steps[repeatStart...].reduce(.zero) { sum, step in
            if case .pause(let range) = step.action { return sum + range.upperBound }
            return step.action.waitsForPeer ? sum + (step.timeout ?? timeout) : sum
        }
    }

    /// Whether a step sends a value that may be a secret.
    package var sendsSecret: Bool {
        steps.contains { step in
            if case .send(let message) = step.action { message.template.insertsSecret } else { false }
        }
    }

    /// The first step that sends a text without placeholders that cannot be encoded, or `nil` if there is none.
    /// - Returns: The number of its line in the file, from 1, and the problem.
    package func firstUnencodable(by encoder: TextEncoder) -> (line: Int, problem: CodecError)? {
        for step in steps {
            guard case .send(let message) = step.action, message.kind == .text else { continue }
            if let problem = message.template.constantText.flatMap({ encoder.problem(with: $0.span.bytes) }) {
                return (step.line, problem)
            }
        }
        return nil
    }

    /// The steps that send a text, up to the first text with placeholders: the lines after it may depend on its values.
    package var constantTexts: [(line: Int, text: [UInt8])] {
        var texts: [(line: Int, text: [UInt8])] = []
        for step in steps {
            guard case .send(let message) = step.action, message.kind == .text else { continue }
            guard let text = message.template.constantText else { break }
            texts.append((step.line, text))
        }
        return texts
    }

    /// Whether a step closes the connection, or waits for that, so each iteration needs a new one.
    package var endsConnection: Bool {
        steps.contains { $0.action.endsConnection }
    }
}

/// How a scenario file is read.
package struct ScenarioOptions {
    /// The variables that are set from outside, such as the columns of a data file.
    package var variables = VariableNames()
    /// JSON Pointers to values of recorded messages that may differ.
    package var ignoredPointers: Set<ExactString> = []
    /// Returns the value of an environment variable, or `nil` if it is not set.
    package var environment: (String) -> String? = { _ in nil }
    /// Parses a duration such as `2s`, or returns `nil` for other texts.
    package var parseDuration: (String) -> Duration?
    /// Parses a duration or an ascending range such as `1s-3s`, or returns `nil` for other texts.
    package var parseRange: (String) -> ClosedRange<Duration>?
    /// The codecs of received binary messages, the outermost first. They also decode the recorded ones.
    package var decoders: [Codec] = []
    /// The maximum size of a decoded message, in bytes.
    package var decodedLimitBytes = Int.max
    /// The connection of a recording to play: the number of a client, or of the connection in a client's recording, from
    /// 1; `nil` for the first.
    package var connection: Int?
    /// Whether the steps are reversed: what the file sends is received, and vice versa.
    package var playsPeer = false

    /// Creates options.
    package init(
        parseDuration: @escaping (String) -> Duration?, parseRange: @escaping (String) -> ClosedRange<Duration>?
    ) {
        self.parseDuration = parseDuration
        self.parseRange = parseRange
    }
}

/// Why a scenario file is invalid.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
    /// A mistake.
    enum Problem: Equatable {
        /// A mistake and its remedy.
        case other(String)
        /// A word that is none of the known ones; `what` is its purpose.
        case unknown(_ what: String, String, known: [String])
        /// A text of this member is not a template.
        case template(TemplateError, member: String)
    }

    /// The number of the line, from 1.
    package let line: Int
    /// The number of the character in the line, from 1.
    package let column: Int
    private let problem: Problem

    /// The longest word that an error repeats, in characters.
    private static let longestShown = 40

    init(line: Int, column: Int, _ problem: Problem) {
        self.line = line
        self.column = column
        self.problem = problem
    }

    init(line: Int, column: Int, _ words: String) {
        self.init(line: line, column: column, .other(words))
    }

    /// The unknown name and all names that would be valid, to find the intended one, or `nil` for another mistake.
    package var unknownName: (name: String, known: [String])? {
        switch problem {
        case .other: nil
        case .unknown(_, let name, let known): (name, known)
        case .template(let error, _): error.unknownName
        }
    }

    /// The mistake and its remedy, to follow a colon.
    /// - Parameters:
    ///   - intendedName: The name that an unknown one probably stands for, or `nil` to list all names.
    ///   - mayBeColumn: Whether an unknown placeholder may be a column of a data file that is not given.
    package func reason(intendedName: String?, mayBeColumn: Bool = false) -> String {
        switch problem {
        case .other(let words): return words
        case .template(let error, let member) where error.reason == .noLastMessage:
            return "'\(member)': {{last:…}} needs a received message, but no earlier step receives one"
        case .template(let error, let member):
            return "'\(member)': \(error.description(intendedName: intendedName, mayBeColumn: mayBeColumn))"
        case .unknown(let what, let name, let known):
            let mistake = "unknown \(what) '\(escapingControls(String(name.prefix(Self.longestShown))))'; "
            if let intendedName { return mistake + "did you mean '\(intendedName)'?" }
            return mistake + "expected " + known.joined(separator: ", ")
        }
    }

    /// The mistake and its remedy, to follow a colon.
    package var reason: String { reason(intendedName: nil) }

    /// The position and the problem: `line 3, column 14: …`.
    package var description: String { "line \(line), column \(column): \(reason)" }
}
