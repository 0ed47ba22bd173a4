/// A command line worth copying, and what it is for.
struct CommandExample: Sendable {
    /// A sentence without a full stop.
    let purpose: String
    let line: String
}
