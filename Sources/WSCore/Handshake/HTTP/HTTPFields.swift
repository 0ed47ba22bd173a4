/// The header fields of a request or response, in order. Names are case-insensitive.
package struct HTTPFields: Equatable, Sendable {
    private var fields: [HeaderField]

    /// Creates a list of fields.
    package init(_ fields: [HeaderField] = []) {
        self.fields = fields
    }

    /// Appends a field.
    package mutating func append(_ field: HeaderField) {
        fields.append(field)
    }

    /// Removes all fields with this name.
    mutating func remove(named name: String) {
        fields.removeAll { $0.isNamed(name) }
    }

    /// Replaces the first field with the same name, if there is one.
    mutating func replaceFirst(with field: HeaderField) {
        guard let index = fields.firstIndex(where: { $0.isNamed(field.name) }) else { return }
        fields[index] = field
    }

    /// Whether there is a field with this name.
    package func contains(named name: String) -> Bool {
        fields.contains { $0.isNamed(name) }
    }

    /// The value of the first field with this name, or `nil`.
    package func first(named name: String) -> String? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// The values of all fields with this name, in order.
    package func all(named name: String) -> [String] {
        var values: [String] = []
        for index in fields.indices where fields[index].isNamed(name) { values.append(fields[index].value) }
        return values
    }

    /// The elements of the comma-separated list that all fields with this name form together.
    ///
    /// White space around elements and empty elements are dropped (RFC 9110 §5.6.1). Suitable for lists of tokens only:
    /// commas in quoted strings separate elements, too.
    package func elements(named name: String) -> [String] {
        var elements: [String] = []
        for value in all(named: name) {
            for element in value.utf8.split(separator: UInt8(ascii: ",")) {
                let trimmed = ASCII.trimmed(element)
                if !trimmed.isEmpty { elements.append(String(Substring(trimmed))) }
            }
        }
        return elements
    }

    /// The elements of the comma-separated list that all fields with this name form together, in lower case.
    package func tokens(named name: String) -> [String] {
        elements(named: name).map { ASCII.lowercased($0) }
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The position of the first field, 0.
    package var startIndex: Int { 0 }
    /// The number of fields.
    package var endIndex: Int { fields.count }
    /// The field at a position.
    package subscript(position: Int) -> HeaderField { fields[position] }
}
