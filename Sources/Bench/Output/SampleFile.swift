import Formats
import LoadTest
import UserInterface
import WSCore

/// The file of `--samples`, to which all threads write.
final class SampleFile: Sendable {
    private let path: String
    private let format: LatencySamples.Format
    private let divisor: Int
    private let writer: BackgroundWriter

    private static let option = "--samples"

    /// Creates the file that the arguments name, or returns `nil` if there is none.
    /// - Throws: ``Failure``.
    static func make(_ arguments: BenchArguments) throws(Failure) -> SampleFile? {
        try arguments.samples.file.map { (value) throws(Failure) in try SampleFile(value, beside: arguments) }
    }

    private init(_ value: String, beside arguments: BenchArguments) throws(Failure) {
        let numbered = NumberedFile(value)
        path = numbered.path
        let what = "\(Self.option) \(escapingControls(value))"
        guard let divisor = numbered.value.flatMap({ Int(exactly: $0) }), divisor > 0 else {
            throw .badArgument(what: what, why: "expected a whole number of 1 or more after the colon")
        }
        self.divisor = divisor
        format = path.hasSuffix(".csv") ? .csv : .json
        let identity = FileIdentity(path: path)
        for kind in ResultFileKind.allCases {
            guard let other = kind.path(in: arguments.result),
                other == path || identity != nil && FileIdentity(path: other) == identity
            else { continue }
            throw .badArgument(what: what, why: "\(kind.option) writes to the same file; choose another")
        }
        let place = OutputPlace(option: Self.option, path: path)
        guard let file = try place.create(beside: arguments.readFiles) else { preconditionFailure("there is a path") }
        do throws(IOError) {
            writer = try BackgroundWriter(to: file)
        } catch {
            throw .system(error)
        }
        if format == .csv { _ = writer.write(Array(LatencySamples.csvHeading.utf8)) }
    }

    /// The lines of a thread.
    func samples(of shard: Shard) -> LatencySamples {
        LatencySamples(format, oneOf: divisor, seed: shard.index) { [writer] in writer.write($0) }
    }

    /// Waits until all lines are written, and warns about those that are left out.
    /// - Returns: Why the file is incomplete besides, or `nil`.
    func finish(omittedCount: Int, _ diagnostics: Diagnostics) -> Failure? {
        switch writer.finish() {
        case .failed(let error): return .writing(path: path, error)
        case .stalled: return .incompleteOutput(.samples(path: path))
        case .complete:
            guard omittedCount > 0 else { return nil }
            diagnostics.notice(
                "wsx: warning: \(escapingControls(path)) lacks \(Phrase.count(omittedCount, "line")), because writing "
                    + "was too slow; add :N to \(Self.option)")
            return nil
        }
    }
}
