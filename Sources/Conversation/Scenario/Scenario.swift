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
/// | `{"type":"repeat"}` | the steps after it are repeated |
///
/// Recordings have the same format. A message without `match` has to equal the recorded one.
///
/// A scenario contains compiled regular expressions, so each thread needs its own.
public struct Scenario {
    /// A step.
    public struct Step {
        /// What happens in the step.
        public enum Action {
            /// Sends a message.
            case send(MessageKind, Template)
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
            /// Waits until the peer closes the connection with this code, or any if `nil`.
            case receiveClose(CloseCode?)
            /// Waits for a random time in this range.
            case pause(ClosedRange<Duration>)
        }

        /// What happens in the step.
        public let action: Action
        /// The name of the step in results, or `nil` if it has none.
        public let name: String?
        /// The time limit of a step that waits, or `nil` for the default.
        public let timeout: Duration?
        /// The number of its line in the file, from 1.
        public let line: Int
    }

    /// The message that a step waits for.
    public struct Expectation {
        /// Decides whether a message is the expected one.
        public let matcher: Matcher
        /// Sets variables to values in the message.
        public let extractions: [Extraction]
        /// Whether any other message is an error, instead of being skipped.
        public let isStrict: Bool
    }

    /// The steps in order; at least one.
    public let steps: [Step]
    /// The index of the first step that is repeated; 0 without a `repeat` line.
    public let repeatStart: Int
    /// The variables that the steps use.
    public let variables: VariableNames

    /// The names of the steps that have one, without repetitions, in order.
    public var stepNames: [String] {
        steps.compactMap(\.name).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// Whether a step closes the connection, or waits for that, so each iteration needs a new one.
    public var endsConnection: Bool {
        steps.contains { step in
            switch step.action {
            case .close, .receiveClose: true
            default: false
            }
        }
    }
}

/// How a scenario file is read.
public struct ScenarioOptions {
    /// The variables that are set from outside, such as the columns of a data file.
    public var variables = VariableNames()
    /// JSON Pointers to values of recorded messages that may differ.
    public var ignoredPointers: Set<String> = []
    /// Returns the value of an environment variable, or `nil` if it is not set.
    public var environment: (String) -> String? = { _ in nil }
    /// Parses a duration such as `2s`, or returns `nil` for other texts.
    public var parseDuration: (String) -> Duration?
    /// Whether the steps are reversed: what the file sends is received, and vice versa.
    public var playsPeer = false

    /// Creates options.
    public init(parseDuration: @escaping (String) -> Duration?) {
        self.parseDuration = parseDuration
    }
}

/// Why a scenario file is invalid.
public struct ScenarioError: Error, Equatable, CustomStringConvertible {
    /// The number of the line, from 1.
    public let line: Int
    /// The number of the character in the line, from 1.
    public let column: Int
    /// The problem and its remedy, to follow a colon.
    public let reason: String

    /// The position and the problem: `line 3, column 14: …`.
    public var description: String { "line \(line), column \(column): \(reason)" }
}
