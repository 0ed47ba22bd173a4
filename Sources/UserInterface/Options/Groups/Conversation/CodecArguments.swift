import CommandLine
import Conversation
import Formats

/// The options for the formats of binary messages.
package struct CodecArguments: Equatable, Sendable {
    /// The codecs of received messages, the outermost first. In a relay, those of clients.
    package var decoders: [Codec] = []
    /// The codecs of the messages of a relay's server, the outermost first.
    package var serverDecoders: [Codec] = []
    /// The codecs of sent messages, the outermost first. They can encode, or are programs. In a relay, the messages are for
    /// clients, and so in the formats of the server.
    package var encoders: [Codec] = []
    /// The codecs of what a relay sends to its server, the outermost first.
    package var clientEncoders: [Codec] = []

    package init() {}

    /// Whether there is any codec.
    package var isEmpty: Bool { self == CodecArguments() }
    /// Whether messages can wait on a page: they may then be changed, and dropped.
    package var canHold: Bool { !decoders.contains(.zlibStream) && !serverDecoders.contains(.zlibStream) }

    /// The options of a command.
    /// - Parameters:
    ///   - takesPrograms: Whether `exec:PROGRAM` is possible.
    ///   - takesSides: Whether a codec may be limited to the messages of a side, as in a relay.
    ///   - conflicts: The options that conflict with `--encode`.
    ///   - requirements: The options of which `--encode` needs at least one. Defaults to none.
    ///   - excluded: The subjects of the messages that `--encode` does not encode.
    ///   - seeAlso: The options related to `--encode`.
    ///   - examplePrefix: The options that examples need, with a space after them.
    ///   - decode: The manual of `--decode`.
    ///   - encode: The manual of `--encode`.
    package static func options(
        takesPrograms: Bool = true, takesSides: Bool = false, conflicts: [OptionReference] = ["protocol"],
        encodeRequires requirements: [OptionReference] = [],
        excludes excluded: OptionSubjects = [], seeAlso: [OptionReference] = ["input"], examplePrefix: String = "",
        decode: MarkedText, encode: MarkedText
    ) -> [OptionSpecification<CodecArguments>] {
        let isPossible: @Sendable (Codec) -> Bool = { codec in takesPrograms || codec.program == nil }
        let forms = Codec.forms.filter { isPossible($0.codec) }
        let decoders = forms.map(\.choice)
        let encoders = forms.filter { $0.codec.canEncode || $0.codec.program != nil }.map(\.choice)
        let startsProgram: OptionDescription.ProgramRule = { takesPrograms && (try? Codec(named: $0))?.program != nil }
        return [
            OptionSpecification(
                "decode", value: OptionValue("CODEC", .choices(decoders)), repetition: .adds,
                startsProgram: startsProgram,
                heading: .format, summary: "Show binary messages as JSON: msgpack, ...", manual: decode, chainManual,
                example: examplePrefix + "--decode zlib-stream --decode msgpack", seeAlso: ["encode", "output"]
            ) { arguments, value throws(ValueProblem) in
                let (side, name) = takesSides ? RelaySide.split(value) : (nil, value)
                let codec = try Codec(name, among: decoders, where: isPossible)
                if side != .server { arguments.decoders.append(codec) }
                if takesSides, side != .client { arguments.serverDecoders.append(codec) }
            },
            OptionSpecification(
                "encode", value: OptionValue("CODEC", .choices(encoders)), repetition: .adds, conflicts: conflicts,
                excludes: excluded.union([.kind, .binary, .heartbeatMessage]), requires: requirements,
                startsProgram: startsProgram, heading: .format,
                summary: "Send JSON as binary messages: msgpack, " + (takesPrograms ? "..." : "cbor"), manual: encode,
                example: examplePrefix + "--encode msgpack --decode msgpack", seeAlso: ["decode"] + seeAlso
            ) { arguments, value throws(ValueProblem) in
                let (side, name) = takesSides ? RelaySide.split(value) : (nil, value)
                let codec = try Codec(name, among: encoders) { $0.canEncode || $0.program != nil && takesPrograms }
                if side != .client { arguments.encoders.append(codec) }
                if takesSides, side != .server { arguments.clientEncoders.append(codec) }
            },
        ]
    }

    private static let chainManual: MarkedText = """
        If messages are encoded more than once, repeat the option, outermost codec first. See CODECS. *CODEC* is one \
        of these:
        """
}

extension RelaySide {
    /// The side and the rest of a value such as `from:server msgpack`.
    fileprivate static func split(_ value: String) -> (side: RelaySide?, rest: String) {
        for side in allCases where value.hasPrefix("from:\(side.rawValue) ") {
            return (side, String(value.dropFirst("from:\(side.rawValue) ".count)))
        }
        return (nil, value)
    }
}

extension Codec {
    /// Finds a codec that a condition allows.
    fileprivate init(
        _ name: String, among choices: [ValueChoice], where isPossible: (Codec) -> Bool
    ) throws(ValueProblem) {
        do throws(CodecNameProblem) {
            try self.init(opening: name)
        } catch {
            throw error == .unknown ? .notAChoice(choices.map(\.name)) : .unusable(words: error.words)
        }
        guard isPossible(self) else { throw .notAChoice(choices.map(\.name)) }
    }
}

extension Codec.Form {
    fileprivate var choice: ValueChoice { ValueChoice(name: name, summary: codec.summary) }
}
