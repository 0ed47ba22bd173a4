import Formats

extension EndConditions {
    /// What the arguments ask for, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: ConnectArguments) throws(Failure) {
        self.init(
            count: arguments.count, until: try Self.patterns(arguments.until, for: "--until"),
            expectations: try Self.patterns(arguments.expectations, for: "--expect"))
    }

    private static func patterns(_ sources: [String], for option: String) throws(Failure) -> [Pattern] {
        var patterns: [Pattern] = []
        do throws(PatternError) {
            for source in sources { patterns.append(try Pattern(source)) }
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
        return patterns
    }
}
