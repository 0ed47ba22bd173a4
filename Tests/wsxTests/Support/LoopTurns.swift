import Testing
import WSCore

extension EventLoop {
    /// Runs turns until `isDone`; records an issue after ten seconds.
    func turn(until isDone: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        let end = now + .seconds(10)
        while !isDone(), now < end { runOnce() }
        if !isDone() { Issue.record("the condition is not met after ten seconds", sourceLocation: sourceLocation) }
    }
}
