import Formats

extension [MessageCondition] {
    /// Compiles the conditions that an option repeats.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func make(_ sources: [String], for option: String) throws(Failure) -> [MessageCondition] {
        var conditions: [MessageCondition] = []
        do throws(MessageConditionError) {
            for source in sources { conditions.append(try MessageCondition(source)) }
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
        return conditions
    }
}
