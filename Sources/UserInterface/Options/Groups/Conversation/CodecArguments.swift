import CommandLine
import Formats

/// The options for the formats of binary messages.
package struct CodecArguments: Equatable, Sendable {
    /// The codecs of received messages, the outermost first.
    package var decoders: [Codec] = []
    /// The codec of sent messages, or `nil` to send them unchanged. It can encode, or is a program.
    package var encoder: Codec?

    package init() {}

    /// Whether there is any codec.
    package var isEmpty: Bool { decoders.isEmpty && encoder == nil }

    /// The options of a command.
    /// - Parameters:
    ///   - takesPrograms: Whether `exec:PROGRAM` is possible.
    ///   - conflicts: The options that conflict with `--encode`.
    ///   - requirements: The options of which at least one is needed. Defaults to none.
    ///   - excluded: The subjects of the messages that `--encode` does not encode.
    ///   - heading: The heading of the options.
    ///   - seeAlso: The options related to `--encode`.
    ///   - examplePrefix: The options that examples need, with a space after them.
    ///   - decode: The manual of `--decode`.
    ///   - encode: The manual of `--encode`.
    package static func options(
        takesPrograms: Bool = true, conflicts: [OptionReference] = ["protocol"],
        requires requirements: [OptionReference] = [],
        excludes excluded: OptionSubjects = [], heading: OptionHeading = .format,
        seeAlso: [OptionReference] = ["input"], examplePrefix: String = "", decode: MarkedText, encode: MarkedText
    ) -> [OptionSpecification<CodecArguments>] {
        let programs = takesPrograms ? [programChoice] : []
        let decoders = Codec.all.map(\.choice) + programs
        let encoders = Codec.all.filter(\.canEncode).map(\.choice) + programs
        let startsProgram: OptionDescription.ProgramRule = { takesPrograms && Codec(named: $0)?.program != nil }
        return [
            OptionSpecification(
                "decode", value: OptionValue("CODEC", .choices(decoders)), repetition: .adds, requires: requirements,
                startsProgram: startsProgram,
                heading: heading, summary: "Show binary messages as JSON: msgpack, ...", manual: decode, chainManual,
                example: examplePrefix + "--decode zlib-stream --decode msgpack", seeAlso: ["encode", "output"]
            ) { arguments, value throws(ValueProblem) in
                guard let codec = Codec(named: value), takesPrograms || codec.program == nil else {
                    throw .notAChoice(decoders.map(\.name))
                }
                arguments.decoders.append(codec)
            },
            OptionSpecification(
                "encode", value: OptionValue("CODEC", .choices(encoders)), conflicts: conflicts,
                excludes: excluded.union([.kind, .binary, .heartbeatMessage]), requires: requirements,
                startsProgram: startsProgram, heading: heading,
                summary: "Send JSON as binary messages: msgpack, " + (takesPrograms ? "..." : "cbor"), manual: encode,
                example: examplePrefix + "--encode msgpack --decode msgpack", seeAlso: ["decode"] + seeAlso
            ) { arguments, value throws(ValueProblem) in
                guard let codec = Codec(named: value), codec.canEncode || takesPrograms && codec.program != nil else {
                    throw .notAChoice(encoders.map(\.name))
                }
                arguments.encoder = codec
            },
        ]
    }

    private static let chainManual: MarkedText = """
        If messages are encoded more than once, repeat the option, outermost codec first. See CODECS. *CODEC* is one \
        of these:
        """

    private static let programChoice = ValueChoice(
        name: Codec.programPrefix + "PROGRAM", summary: Codec.program("").summary)
}

extension Codec {
    fileprivate var choice: ValueChoice { ValueChoice(name: name, summary: summary) }
}
