import Formats
import WSCore

/// The names of the variables of a run, in the order of their slots in ``TemplateVariables``.
///
/// The columns of a data file come first, followed by the names that messages set.
public struct VariableNames: Equatable, Sendable {
    /// The names in the order of their slots.
    public private(set) var names: [String] = []
    private var slots: [String: Int] = [:]
    /// Whether templates may also insert values of the last message.
    public var includesLastMessage = true

    /// The placeholders that are not variables.
    static let placeholders = ["seq", "connection", "time", "random"]
    /// The beginnings of placeholders with an argument.
    private static let prefixes = ["env:", "last:", "json:", "random "]

    /// Creates an empty list.
    public init() {}

    /// The slot of a variable, or `nil` if there is none with this name.
    public func slot(of name: String) -> Int? {
        slots[name]
    }

    /// Adds a variable, unless there already is one with this name.
    /// - Returns: The slot of the variable.
    /// - Throws: ``VariableNameError``.
    @discardableResult
    public mutating func add(_ name: String) throws(VariableNameError) -> Int {
        if let slot = slots[name] { return slot }
        guard !name.isEmpty else { throw .empty }
        guard !Self.placeholders.contains(name), !Self.prefixes.contains(where: { name.hasPrefix($0) }) else {
            throw .placeholder(name)
        }
        let isTrimmed = name.utf8.first?.isBlank == false && name.utf8.last?.isBlank == false
        let hasBrace = name.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        guard isTrimmed, !hasBrace else { throw .unusable(name) }
        slots[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// Why a text cannot be the name of a variable.
public enum VariableNameError: Error, Equatable {
    /// The name is empty.
    case empty
    /// The name is a placeholder of templates, such as `seq`.
    case placeholder(String)
    /// The name has braces or surrounding blanks, so a template cannot contain it.
    case unusable(String)
}

extension VariableNameError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    public var description: String {
        switch self {
        case .empty: "the name of a variable is empty"
        case .placeholder(let name): "\(quoted(name)) is a placeholder with its own meaning; choose another name"
        case .unusable(let name): "the variable \(quoted(name)) has braces or surrounding blanks; choose another name"
        }
    }
}
