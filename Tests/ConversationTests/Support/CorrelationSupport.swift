@testable import Conversation

extension LineQueue.Settings.Matching {
    /// By a field with this name, which is valid.
    static func id(at field: String) -> Self { Correlation(field).map(Self.id) ?? .order }
}
