import Testing

// Comparisons that record an issue with both values. `#expect` expands into code that takes ten times as long to compile,
// so it remains for what these functions do not show as well: `<`, `contains`, `&&`, and thrown errors.
//
// The locations are default arguments without a macro, and there is one function for each comparison, because macros and
// overloads cost compile time in each call. Helpers pass on the location of their caller as `sourceLocation`.

/// Records an issue with both values unless they are equal.
@inline(never)
public func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    record(
        "\(shown(actual)) is not equal to \(shown(expected))", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with the value if it is equal to the other one.
@inline(never)
public func expectNotEqual<Value: Equatable>(
    _ actual: Value, _ other: Value, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if actual != other { return }
    record(
        "\(shown(actual)) is equal to \(shown(other))", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue unless the condition holds.
@inline(never)
public func expectTrue(
    _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if condition { return }
    record(
        "the condition is false", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue if the condition holds.
@inline(never)
public func expectFalse(
    _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if !condition { return }
    record(
        "the condition is true", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with the value unless there is none.
@inline(never)
public func expectNil<Value>(
    _ value: Value?, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    guard let value else { return }
    record(
        "\(shown(value)) is not nil", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue if there is no value.
@inline(never)
public func expectNotNil<Value>(
    _ value: Value?, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if value != nil { return }
    record(
        "the value is nil", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with the elements unless there are none.
@inline(never)
public func expectEmpty<Elements: Collection>(
    _ elements: Elements, _ comment: Comment? = nil, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if elements.isEmpty { return }
    record(
        "\(shown(elements)) is not empty", comment,
        sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func shown(_ value: some Any) -> String { String(reflecting: value) }

private func record(_ finding: String, _ comment: Comment?, _ location: SourceLocation) {
    Issue.record(Comment(rawValue: comment.map { "\(finding): \($0.rawValue)" } ?? finding), sourceLocation: location)
}
