import Formats
import WSCore

/// The names of the variables of a run, in the order of their slots in ``TemplateVariables``.
///
/// The columns of a data file come first, followed by the names that messages set.
package struct VariableNames: Equatable, Sendable {
    /// The names in the order of their slots.
    package private(set) var names: [String] = []
    /// The slots by the exact bytes of the names.
    private var slots: [ExactString: Int] = [:]
    /// The slots of variables whose values are secrets, such as columns with telling names.
    package private(set) var secretSlots: Set<Int> = []
    /// Whether templates may also insert values of the last message.
    package var includesLastMessage = true
    /// Whether templates may also insert values of a client's request; see ``RequestValue``.
    package var includesRequest = false
    /// The outputs of programs that templates insert, or `nil` where `{{exec:…}}` is not allowed.
    package var programs: ProgramOutputs?
    /// Receives what is computed from secrets.
    package var sink: SecretSink?

    /// The placeholders that are not variables.
    static let placeholders = ["seq", "connection", "time", "random"]
    /// Placeholders in whose place there may be a variable, because columns often have these names.
    static let replaceablePlaceholders = ["iso", "uuid", "time:s"]
    /// The beginnings of placeholders with an argument.
    static let prefixes = ["env:", "last:", "json:", "random "]
    /// The same for those in whose place there may be a variable.
    static let replaceablePrefixes = ["random:", "exec:"]

    /// Creates an empty list.
    package init() {}

    /// The slot of a variable, or `nil` if there is none with this name.
    package func slot(of name: String) -> Int? {
        slots[ExactString(name)]
    }

    /// The reason to reject a regular expression with a placeholder, to follow a colon.
    package static let noPlaceholderInPattern =
        #"a regular expression has no placeholders; write '\{\{' for literal braces"#

    /// The offset of a placeholder in a regular expression, which would match braces instead of inserting a value, or
    /// `nil` if there is none.
    ///
    /// Only known names are placeholders. Other braces, as in `x{{2}}`, may be intended, and `\{\{` certainly is. In
    /// `\\{{seq}}`, the backslash itself is escaped.
    package func offsetOfPlaceholder(inPattern source: String) -> Int? {
        let bytes = Array(source.utf8)
        func isPair(_ byte: UInt8, at index: Int) -> Bool {
            index + 1 < bytes.count && bytes[index] == byte && bytes[index + 1] == byte
        }
        return bytes.indices.first { start in
            let backslashCount = bytes[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            guard isPair(UInt8(ascii: "{"), at: start), backslashCount.isMultiple(of: 2),
                let end = bytes[start...].indices.first(where: { isPair(UInt8(ascii: "}"), at: $0) })
            else { return false }
            let text = bytes[start + 2..<end]
            let value = text[..<(text.firstRange(of: TemplateParser.separator)?.lowerBound ?? end)]
            return isPlaceholder(String(decoding: value.trimmingBlanks(), as: UTF8.self))
        }
    }

    /// Whether a text in braces begins like a placeholder or names a variable.
    private func isPlaceholder(_ text: String) -> Bool {
        slots[ExactString(text)] != nil || (Self.placeholders + Self.replaceablePlaceholders).contains(text)
            || (Self.prefixes + Self.replaceablePrefixes).contains { text.hasPrefix($0) }
    }

    /// Adds a column of a data file, unless there already is a variable with this name.
    /// - Throws: ``VariableNameError``.
    mutating func add(column name: String) throws(VariableNameError) {
        try add(name, isSecret: SecretName.isSecret(name))
    }

    /// Adds a variable whose name the user chooses, so it must not be that of another value.
    /// - Returns: The slot of the variable.
    /// - Throws: ``VariableNameError``.
    @discardableResult
    package mutating func add(own name: String, isSecret: Bool = false) throws(VariableNameError) -> Int {
        guard slots[ExactString(name)] == nil else { throw .taken(name) }
        guard !isPlaceholder(name) else { throw .placeholder(name) }
        return try add(name, isSecret: isSecret)
    }

    /// Adds a variable, unless there already is one with this name.
    /// - Parameter isSecret: Whether its values are secrets.
    /// - Returns: The slot of the variable.
    /// - Throws: ``VariableNameError``.
    @discardableResult
    package mutating func add(_ name: String, isSecret: Bool) throws(VariableNameError) -> Int {
        let slot = try add(name)
        if isSecret { secretSlots.insert(slot) }
        return slot
    }

    /// Adds a variable, unless there already is one with this name.
    /// - Returns: The slot of the variable.
    /// - Throws: ``VariableNameError``.
    @discardableResult
    package mutating func add(_ name: String) throws(VariableNameError) -> Int {
        if let slot = slots[ExactString(name)] { return slot }
        guard !name.isEmpty else { throw .empty }
        guard !Self.placeholders.contains(name), !Self.prefixes.contains(where: { name.hasPrefix($0) }) else {
            throw .placeholder(name)
        }
        let isTrimmed = name.utf8.first?.isBlank == false && name.utf8.last?.isBlank == false
        let hasBrace = name.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        guard isTrimmed, !hasBrace else { throw .unusable(name) }
        slots[ExactString(name)] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// Why a text cannot be the name of a variable.
package enum VariableNameError: Error, Equatable {
    /// The name is empty.
    case empty
    /// The name is a placeholder of templates, such as `seq`.
    case placeholder(String)
    /// There is another variable with this name.
    case taken(String)
    /// The name has braces or surrounding blanks, so a template cannot contain it.
    case unusable(String)
}

extension VariableNameError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String {
        switch self {
        case .empty: "the name of a variable is empty"
        case .placeholder(let name): "\(quoted(name)) is a placeholder with its own meaning; choose another name"
        case .taken(let name): "there is another variable \(quoted(name)); choose another name"
        case .unusable(let name): "the variable \(quoted(name)) has braces or surrounding blanks; choose another name"
        }
    }
}
