import CommandLine
import UserInterface

/// The option for single latencies.
package struct SampleArguments: Equatable, Sendable {
    /// A file, with or without a divisor, as typed and not empty; nil: none.
    package var file: String?

    static let options: [OptionSpecification<SampleArguments>] = [
        OptionSpecification(
            "samples", value: OptionValue("FILE[:N]", .file), heading: .results,
            summary: "Write each latency to FILE as CSV or JSON",
            manual: """
                Write a line for each latency to *FILE*: CSV if its name ends with `.csv`, otherwise JSON. With *N*, \
                one of *N* latencies has a line, chosen at random. See SAMPLES.
                """,
            example: "--samples latencies.csv:100", seeAlso: ["hdr", "output"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .empty }
            arguments.file = value
        }
    ]
}
