import UserInterface

/// Reports why messages were not decoded. Many such messages have the same cause.
package struct UndecodedMessages {
    private var count = 0
    /// The number of these messages that are reported.
    private static let maximumReportedCount = 10

    package init() {}

    /// Reports a message.
    /// - Parameter client: The number of the client that has sent it, if there are several.
    package mutating func report(_ problem: String, client: Int? = nil, to diagnostics: Diagnostics) {
        count += 1
        if count <= Self.maximumReportedCount {
            let sender = client.map { " of client \($0)" } ?? ""
            diagnostics.error("a message\(sender) was not decoded: \(problem)")
        } else if count == Self.maximumReportedCount + 1 {
            diagnostics.error("further messages that cannot be decoded are not reported")
        }
    }
}
