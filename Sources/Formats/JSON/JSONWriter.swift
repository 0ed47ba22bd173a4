import WSCore

/// Writes a JSON text, member by member, and inserts commas.
package struct JSONWriter: ~Copyable {
    /// The text written so far.
    package private(set) var text = ByteBuffer()
    private var needsComma = false

    /// Creates a writer and begins an object.
    package init() {
        text.append(literal: "{")
    }

    /// Begins an object as a member.
    package mutating func beginObject(_ name: StaticString) {
        begin(name)
        open("{")
    }

    /// Begins an object under a name that may need escapes.
    package mutating func beginObject(named name: String) {
        separate()
        append(name)
        text.append(literal: ":")
        open("{")
    }

    /// Begins an object as an element.
    package mutating func beginElement() {
        separate()
        open("{")
    }

    /// Ends an object.
    package mutating func endObject() {
        close("}")
    }

    /// Begins an array as a member.
    package mutating func beginArray(_ name: StaticString) {
        begin(name)
        open("[")
    }

    /// Ends an array.
    package mutating func endArray() {
        close("]")
    }

    /// Adds a string.
    package mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        append(value)
    }

    /// Adds a string under a name that may need escapes.
    package mutating func add(named name: String, _ value: String) {
        separate()
        append(name)
        text.append(literal: ":")
        append(value)
    }

    /// Adds an array of strings under a name that may need escapes.
    package mutating func add(named name: String, _ values: [String]) {
        separate()
        append(name)
        text.append(literal: ":")
        open("[")
        append(values)
        endArray()
    }

    /// Adds an array of strings.
    package mutating func add(_ name: StaticString, _ values: [String]) {
        beginArray(name)
        append(values)
        endArray()
    }

    private mutating func append(_ values: [String]) {
        for value in values {
            separate()
            append(value)
        }
    }

    /// Adds an array of integers.
    package mutating func add(_ name: StaticString, integers values: [Int]) {
        begin(name)
        append(values)
    }

    /// Adds an array of integers as an element.
    package mutating func addElement(integers values: [Int]) {
        separate()
        append(values)
    }

    private mutating func append(_ values: [Int]) {
        open("[")
        for value in values {
            separate()
            text.append(decimal: value)
        }
        endArray()
    }

    /// Adds a complete object.
    package mutating func add(_ name: StaticString, _ object: borrowing JSONWriter) {
        begin(name)
        object.text.withReadableBytes { text.append($0) }
    }

    /// Adds an integer.
    package mutating func add(_ name: StaticString, _ value: Int) {
        begin(name)
        text.append(decimal: value)
    }

    /// Adds an integer, or null for `nil`.
    package mutating func add(_ name: StaticString, orNull value: Int?) {
        if let value { add(name, value) } else { addNull(name) }
    }

    /// Adds a Boolean.
    package mutating func add(_ name: StaticString, _ value: Bool) {
        begin(name)
        text.append(literal: value ? "true" : "false")
    }

    /// Adds null.
    package mutating func addNull(_ name: StaticString) {
        begin(name)
        text.append(literal: "null")
    }

    /// Adds a number with this many decimals.
    package mutating func add(_ name: StaticString, _ value: Double, digits: Int) {
        begin(name)
        text.append(FixedPoint.text(value, digits: digits))
    }

    /// Adds an exact multiple of one thousandth, with three decimals.
    package mutating func add(_ name: StaticString, thousandths: UInt128) {
        begin(name)
        text.append("\(thousandths / 1000).\(padded(Int(thousandths % 1000), to: 3))")
    }

    private mutating func append(_ value: String) {
        var value = value
        value.withUTF8 { JSONString.append(UnsafeRawBufferPointer($0).bytes, to: &text) }
    }

    private mutating func begin(_ name: StaticString) {
        separate()
        text.append(literal: "\"")
        text.append(literal: name)
        text.append(literal: "\":")
    }

    private mutating func separate() {
        if needsComma { text.append(literal: ",") }
        needsComma = true
    }

    private mutating func open(_ bracket: StaticString) {
        text.append(literal: bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: StaticString) {
        text.append(literal: bracket)
        needsComma = true
    }
}
