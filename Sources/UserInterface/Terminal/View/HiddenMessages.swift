import Conversation
import Formats
import WSCore

/// The conditions of `--hide`, which `/hide` changes.
package final class HiddenMessages {
    /// The prefixes that the command knows.
    package let prefixes: ScopedCondition.Prefixes
    /// The conditions, in the order in which they were given.
    package private(set) var list: [ScopedCondition]
    /// The same for the thread of the run.
    package private(set) var compiled: ScopedConditions
    /// Called after each change.
    package var didChange: () -> Void = {}
    private let diagnostics: Diagnostics

    /// Compiles the conditions of the command line.
    package init(
        _ list: [ScopedCondition], allowing prefixes: ScopedCondition.Prefixes = [], diagnostics: Diagnostics
    ) {
        self.prefixes = prefixes
        self.list = list
        self.diagnostics = diagnostics
        compiled = ScopedConditions(list)
        watchPatterns()
    }

    /// Replaces the conditions.
    func replace(by list: [ScopedCondition]) {
        self.list = list
        compiled = ScopedConditions(list)
        watchPatterns()
        didChange()
    }

    private func watchPatterns() {
        for pattern in compiled.patterns { diagnostics.watch(pattern) }
    }
}

extension MessageView {
    /// Lists the conditions of hidden messages without an argument, removes them with `off`, or adds one.
    func hide(_ argument: String?) {
        guard let hidden else { return }
        switch argument {
        case nil where hidden.list.isEmpty:
            diagnostics.notice("No messages are hidden; for example, /hide ^ping hides those that match.")
        case nil: diagnostics.show(hidden.list.map { "\(escapingControls($0.text))\n" }.joined())
        case "off":
            hidden.replace(by: [])
            diagnostics.notice("No messages are hidden any more.")
        case let text?:
            do throws(ScopedConditionError) {
                hidden.replace(by: hidden.list + [try ScopedCondition(text, allowing: hidden.prefixes)])
            } catch {
                return diagnostics.error("/hide: \(error)")
            }
            diagnostics.notice("Hiding messages that match \(escapingControls(text)); /hide off shows all again.")
        }
    }
}
