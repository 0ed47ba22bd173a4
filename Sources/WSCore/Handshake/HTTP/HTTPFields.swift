/// The header fields of a head, in order; names are compared without regard to case.
public struct HTTPFields: Equatable, Sendable {
    private var fields: [HeaderField]

    /// Takes fields in order.
    public init(_ fields: [HeaderField] = []) {
        self.fields = fields
    }

    /// Adds a field at the end.
    public mutating func append(_ field: HeaderField) {
        fields.append(field)
    }

    /// Removes all fields of this name.
    mutating func remove(named name: String) {
        fields.removeAll { $0.isNamed(name) }
    }

    /// Removes all fields that may give access to something.
    mutating func removeSecrets() {
        fields.removeAll(where: \.isSecret)
    }

    /// Puts a field in the place of the first one of its name, if there is one.
    mutating func replaceFirst(with field: HeaderField) {
        guard let index = fields.firstIndex(where: { $0.isNamed(field.name) }) else { return }
        fields[index] = field
    }

    /// Whether there is a field of this name.
    public func contains(named name: String) -> Bool {
        fields.contains { $0.isNamed(name) }
    }

    /// The value of the first field of this name.
    public func first(named name: String) -> String? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// The values of all fields of this name, in order.
    public func all(named name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map(\.value)
    }

    /// The elements of the comma-separated list that all fields of this name make together.
    ///
    /// White space around elements and empty elements are dropped (RFC 9110 §5.6.1). For lists of
    /// tokens: a comma in a quoted string counts as a comma.
    public func elements(named name: String) -> [String] {
        var elements: [String] = []
        for value in all(named: name) {
            for element in value.utf8.split(separator: UInt8(ascii: ",")) {
                let trimmed = ASCII.trimmed(Substring(element))
                if !trimmed.isEmpty { elements.append(trimmed) }
            }
        }
        return elements
    }

    /// The elements of the comma-separated list that all fields of this name make together, in lower case.
    public func tokens(named name: String) -> [String] {
        elements(named: name).map { ASCII.lowercased($0) }
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The position of the first field: 0.
    public var startIndex: Int { 0 }
    /// The number of fields.
    public var endIndex: Int { fields.count }
    /// The field at a position.
    public subscript(position: Int) -> HeaderField { fields[position] }
}
