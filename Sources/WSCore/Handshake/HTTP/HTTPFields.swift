/// The header fields of a request or response, in order. Names are case-insensitive.
///
/// Names and values are ranges of the head's bytes, so that neither parsing nor a search allocates memory for a field.
package struct HTTPFields: Sendable {
    /// The ranges of a field's name and value.
    struct Location: Sendable {
        let name: Range<Int>
        var value: Range<Int>
    }

    /// The names and values, with anything between them.
    private var bytes: [UInt8] = []
    private var locations: [Location] = []

    /// Creates a list of fields.
    package init(_ fields: [HeaderField] = []) {
        for field in fields { append(field) }
    }

    /// Creates the fields of a head. Names must be tokens, and values trimmed and free of control characters.
    init(_ bytes: [UInt8], at locations: [Location]) {
        self.bytes = bytes
        self.locations = locations
    }

    /// The size of the names and values.
    var byteCount: Int { bytes.count }

    /// Appends a field.
    package mutating func append(_ field: HeaderField) {
        locations.append(write(field))
    }

    private mutating func write(_ field: HeaderField) -> Location {
        // Most lists fit.
        if bytes.isEmpty {
            bytes.reserveCapacity(384)
            locations.reserveCapacity(12)
        }
        let start = bytes.count
        bytes.append(field.name)
        let nameEnd = bytes.count
        field.appendValue(to: &bytes)
        return Location(name: start..<nameEnd, value: nameEnd..<bytes.count)
    }

    /// Removes all fields with this name.
    mutating func remove(named name: String) {
        while let index = index(of: name) { locations.remove(at: index) }
    }

    /// Replaces the first field with the same name, if there is one.
    mutating func replaceFirst(with field: HeaderField) {
        guard let index = index(of: field.name) else { return }
        locations[index] = write(field)
    }

    /// Whether there is a field with this name.
    package func contains(named name: String) -> Bool { index(of: name) != nil }

    /// Whether there is more than one field with this name.
    func isRepeated(_ name: String) -> Bool {
        guard let first = index(of: name) else { return false }
        return index(of: name, from: first + 1) != nil
    }

    /// The value of the field with this name if exactly one field has it, otherwise `nil`.
    func only(named name: String) -> String? { onlyBytes(named: name).map { String(decoding: $0, as: UTF8.self) } }

    /// The value of the field with this name as bytes, if exactly one field has it, otherwise `nil`.
    func onlyBytes(named name: String) -> ArraySlice<UInt8>? {
        guard let first = index(of: name), index(of: name, from: first + 1) == nil else { return nil }
        return bytes[locations[first].value]
    }

    /// The value of the first field with this name, or `nil`.
    package func first(named name: String) -> String? { index(of: name).map(value) }

    /// The values of all fields with this name, in order.
    package func all(named name: String) -> [String] {
        var values: [String] = []
        var next = index(of: name)
        while let index = next {
            values.append(value(at: index))
            next = self.index(of: name, from: index + 1)
        }
        return values
    }

    /// The elements of the comma-separated list that all fields with this name form together.
    ///
    /// White space around elements and empty elements are dropped (RFC 9110 §5.6.1). Suitable for lists of tokens only:
    /// commas in quoted strings separate elements, too.
    package func elements(named name: String) -> [String] {
        var elements: [String] = []
        forEachElement(named: name) { elements.append(String(decoding: $0, as: UTF8.self)) }
        return elements
    }

    /// The elements of the comma-separated list that all fields with this name form together, in lower case.
    package func tokens(named name: String) -> [String] {
        elements(named: name).map { ASCII.lowercased($0) }
    }

    /// Whether the comma-separated list that all fields with this name form together contains a token, ignoring case.
    func contains(token: String, named name: String) -> Bool {
        // Most lists have one element.
        if let index = index(of: name),
            ASCII.areEqualIgnoringCase(bytes.span.extracting(locations[index].value), token.utf8.span)
        {
            return true
        }
        var isFound = false
        forEachElement(named: name) { element in
            if ASCII.areEqualIgnoringCase(element.span, token.utf8.span) { isFound = true }
        }
        return isFound
    }

    private func forEachElement(named name: String, _ body: (ArraySlice<UInt8>) -> Void) {
        var next = index(of: name)
        while let index = next {
            var rest = bytes[locations[index].value]
            while !rest.isEmpty {
                let element = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest[element.endIndex...].dropFirst()
                let trimmed = ASCII.trimmed(element)
                if !trimmed.isEmpty { body(trimmed) }
            }
            next = self.index(of: name, from: index + 1)
        }
    }

    private func index(of name: String, from start: Int = 0) -> Int? {
        let byteCount = name.utf8.count
        for index in start..<locations.count
        where locations[index].name.count == byteCount
            && ASCII.areEqualIgnoringCase(bytes.span.extracting(locations[index].name), name.utf8.span)
        {
            return index
        }
        return nil
    }

    private func value(at index: Int) -> String { String(decoding: bytes[locations[index].value], as: UTF8.self) }

    /// Appends the fields' lines in a head, each with its CRLF.
    func appendLines(to head: inout [UInt8]) {
        head.reserveCapacity(head.count + bytes.count + 4 * locations.count + 2)
        bytes.withUnsafeBufferPointer { bytes in
            for location in locations {
                head.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[location.name]))
                head.append(ASCII.colon)
                head.append(ASCII.space)
                head.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[location.value]))
                head.appendLineEnd()
            }
        }
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The position of the first field, 0.
    package var startIndex: Int { 0 }
    /// The number of fields.
    package var endIndex: Int { locations.count }
    /// The field at a position.
    package subscript(position: Int) -> HeaderField {
        let location = locations[position]
        return HeaderField(
            wellFormedName: String(decoding: bytes[location.name], as: UTF8.self), bytes: Array(bytes[location.value]))
    }
}

extension HTTPFields: Equatable {
    /// Whether the fields are equal, wherever their bytes are.
    package static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.elementsEqual(right) }
}

extension HTTPFields {
    /// The fields for HTTP/2, with names in lower case, and without those of the connection.
    var http2Fields: [HeaderField] {
        filter { !Self.http1Fields.contains(where: $0.isNamed) }.map(\.lowercased)
    }

    /// RFC 9113 §8.2.2: fields of a connection have no meaning in HTTP/2. RFC 8441 §5: Upgrade and Connection are not used.
    private static let http1Fields = [
        "Host", "Upgrade", "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "HTTP2-Settings",
    ]
}
