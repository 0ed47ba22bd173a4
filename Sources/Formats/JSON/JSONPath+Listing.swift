import WSCore

extension JSONPath {
    /// The dotted paths of the values in a text, such as `.user`, `.user.name`, and `.items[0]`. Of each array, only the
    /// first element is listed. Empty if the text is not JSON.
    /// - Parameter limit: The maximum number of paths.
    package static func paths(in text: RawSpan, limit: Int = 1000) -> [String] {
        guard JSONReader.problem(in: text) == nil else { return [] }
        var reader = JSONReader()
        var paths: [String] = []
        do throws(JSONError) {
            if let first = try reader.next(in: text) {
                try list(first, at: "", of: text, &reader, limit: limit, to: &paths)
            }
        } catch {
            return []
        }
        return paths
    }

    private static func list(
        _ token: JSONToken, at path: String, of text: RawSpan, _ reader: inout JSONReader, limit: Int,
        to paths: inout [String]
    ) throws(JSONError) {
        guard paths.count < limit else {
            _ = try reader.value(from: token, in: text)
            return
        }
        if !path.isEmpty { paths.append(path) }
        switch token.kind {
        case .beginObject:
            while let key = try reader.next(in: text), key.kind != .endObject {
                guard let value = try reader.next(in: text) else { return }
                let name = Array(JSONString.decoded(text.extracting(key.range)).utf8)
                try list(value, at: path + step(to: name), of: text, &reader, limit: limit, to: &paths)
            }
        case .beginArray:
            var isFirst = true
            while let element = try reader.next(in: text), element.kind != .endArray {
                if isFirst {
                    try list(
                        element, at: (path.isEmpty ? "." : path) + "[0]", of: text, &reader, limit: limit, to: &paths)
                } else {
                    _ = try reader.value(from: element, in: text)
                }
                isFirst = false
            }
        default: break
        }
    }
}
