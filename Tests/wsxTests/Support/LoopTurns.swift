import Testing
import WSCore

extension EventLoop {
    /// Runs turns until `isDone`; records an issue after two minutes, which even a busy machine does not need.
    func turn(until isDone: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        let end = now + .seconds(120)
        while !isDone(), now < end { runOnce() }
        if !isDone() { Issue.record("the condition is not met after two minutes", sourceLocation: sourceLocation) }
    }
}
