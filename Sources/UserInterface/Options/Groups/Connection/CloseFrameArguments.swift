import CommandLine
import WSCore

/// The options for the close frame that this end sends.
package struct CloseFrameArguments: Equatable, Sendable {
    package var closeCode: UInt16
    /// At most ``CloseReasonValue/longestBytes`` bytes of UTF-8.
    package var closeReason = ""

    package init(closeCode: UInt16 = 1000) {
        self.closeCode = closeCode
    }

    package var frame: CloseFrame { CloseFrame(code: CloseCode(rawValue: closeCode), reason: closeReason) }

    /// The options.
    /// - Parameters:
    ///   - defaultCode: The default of `--close-code`.
    ///   - requirements: The options without which the frame is not sent.
    ///   - requiredOptions: Those options in a command line, for the examples: `--close-after 5`.
    ///   - code: The texts of `--close-code`.
    ///   - reason: The texts of `--close-reason`.
    package static func options(
        default defaultCode: String = "1000", requires requirements: [OptionReference] = [],
        after requiredOptions: String = "", heading: OptionHeading = .ending,
        code: (summary: String, manual: MarkedText) = (
            "Close with this status code",
            """
            Close the connection with the status code *CODE*: 1000 through 1003, 1007 through 1014, or 3000 through \
            4999 (RFC 6455 §7.4).
            """
        ),
        reason: (summary: String, manual: MarkedText) = (
            "Close with this reason",
            MarkedText(
                "Close the connection with the reason *TEXT*, at most \(CloseReasonValue.longestBytes) bytes of UTF-8.")
        )
    ) -> [OptionSpecification<CloseFrameArguments>] {
        let prefix = requiredOptions.isEmpty ? "" : requiredOptions + " "
        return [
            OptionSpecification(
                "close-code", value: OptionValue("CODE"), default: defaultCode, requires: requirements,
                heading: heading, summary: code.summary, manual: code.manual,
                example: prefix + "--close-code 4000", seeAlso: ["close-reason"]
            ) { arguments, value throws(ValueProblem) in
                arguments.closeCode = try CloseCodeValue.parse(value)
            },
            OptionSpecification(
                "close-reason", value: OptionValue("TEXT"), requires: requirements, heading: heading,
                summary: reason.summary, manual: reason.manual,
                example: prefix + "--close-code 4000 --close-reason 'session expired'", seeAlso: ["close-code"]
            ) { arguments, value throws(ValueProblem) in
                arguments.closeReason = try CloseReasonValue.parse(value)
            },
        ]
    }
}
