import WSCore

/// The location of scalars in JSON texts: the name of a member, or a ``JSONPath``.
///
///     id                           the member of the object, or of each object in an array of them
///     /params/0/id, .params[0].id  the value at this location
///
/// If several members have the same name, the last one counts, as in JavaScript and Python.
package struct JSONField: Equatable, Sendable {
    /// The field as typed.
    package var source: String { path.source }
    private let path: JSONPath
    private let isPath: Bool

    /// Parses a path if the text begins with a slash or a dot, and otherwise a name. Returns `nil` for an empty text or an
    /// invalid path.
    package init?(_ text: String) {
        guard let first = text.utf8.first else { return nil }
        isPath = first == UInt8(ascii: "/") || first == UInt8(ascii: ".")
        guard isPath else {
            path = JSONPath([.member(Array(text.utf8))], source: text)
            return
        }
        do throws(JSONQueryError) {
            path = try JSONPath(text)
        } catch {
            return nil
        }
    }

    /// Returns the values at this location: at most one, except for a member name and an array of objects. Returns none
    /// if the text is not JSON.
    package func values(in text: RawSpan) -> [JSONScalar] {
        do throws(JSONError) {
            return try checkedValues(in: text)
        } catch {
            return []
        }
    }

    /// Why a text has no value at this location.
    package enum Problem: Equatable, Sendable {
        case notJSON
        case missing
        /// The value is null, an object, or an array.
        case notAScalar
    }

    /// Finds out why a text, or an object in an array of them, has no value at this location. Returns `nil` if it has one.
    package func problem(in text: RawSpan) -> Problem? {
        do throws(JSONError) {
            var reader = JSONReader()
            guard let first = try reader.next(in: text) else { return .notJSON }
            var problem: Problem?
            if first.kind == .beginArray, !isPath {
                var isEmpty = true
                while let token = try reader.next(in: text), token.kind != .endArray {
                    isEmpty = false
                    let found = try self.problem(with: token, of: text, &reader)
                    if problem == nil { problem = found }
                }
                if isEmpty { problem = .missing }
            } else {
                problem = try self.problem(with: first, of: text, &reader)
            }
            // Check that nothing follows the value.
            _ = try reader.next(in: text)
            return problem
        } catch {
            return .notJSON
        }
    }

    private func problem(
        with token: JSONToken, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> Problem? {
        guard let value = try path.value(from: token, of: text, &reader) else { return .missing }
        return JSONScalar(value, in: text) == nil ? .notAScalar : nil
    }

    private func checkedValues(in text: RawSpan) throws(JSONError) -> [JSONScalar] {
        var reader = JSONReader()
        guard let first = try reader.next(in: text) else { return [] }
        var values: [JSONScalar] = []
        if first.kind == .beginArray, !isPath {
            while let token = try reader.next(in: text), token.kind != .endArray {
                if let value = try value(from: token, of: text, &reader) { values.append(value) }
            }
        } else if let value = try value(from: first, of: text, &reader) {
            values.append(value)
        }
        // Check that nothing follows the value.
        _ = try reader.next(in: text)
        return values
    }

    /// Reads to the end of the value that begins with a token. Returns the scalar at the location, if any.
    private func value(
        from token: JSONToken, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONScalar? {
        try path.value(from: token, of: text, &reader).flatMap { JSONScalar($0, in: text) }
    }
}
