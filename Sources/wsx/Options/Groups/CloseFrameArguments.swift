import CommandLine

/// The options for the close frame to send.
struct CloseFrameArguments: Equatable, Sendable {
    var closeCode: UInt16 = 1000
    /// At most ``CloseReasonValue/longestBytes`` bytes of UTF-8.
    var closeReason = ""

    /// The options.
    /// - Parameters:
    ///   - defaultCode: The default of `--close-code`.
    ///   - requirements: The options without which there is no such frame.
    ///   - codes: Which codes there are, for the manual.
    static func options(
        default defaultCode: String = "1000", requires requirements: [OptionReference] = [],
        heading: OptionHeading = .ending,
        code: (summary: String, manual: MarkedText) = (
            "Status code of the close frame",
            """
            Close with the status code *CODE*: 1000 through 1003, 1007 through 1014, or 3000 through 4999. \
            The others may not be sent.
            """
        ),
        reason: (summary: String, manual: MarkedText) = (
            "Reason in the close frame", "Close with the reason *TEXT*, at most 123 bytes of UTF-8."
        )
    ) -> [OptionSpecification<CloseFrameArguments>] {
        [
            OptionSpecification(
                "close-code", value: OptionValue("CODE"), default: defaultCode, requires: requirements,
                heading: heading, summary: code.summary, manual: code.manual
            ) { arguments, value throws(ValueProblem) in
                arguments.closeCode = try CloseCodeValue.parse(value)
            },
            OptionSpecification(
                "close-reason", value: OptionValue("TEXT"), requires: requirements, heading: heading,
                summary: reason.summary, manual: reason.manual
            ) { arguments, value throws(ValueProblem) in
                arguments.closeReason = try CloseReasonValue.parse(value)
            },
        ]
    }
}
