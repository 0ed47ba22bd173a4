import WSCore

/// Removes the blanks between the tokens of a JSON text, and changes nothing else.
enum CompactJSON {
    /// Appends a text on one line.
    /// - Throws: ``CodecProblem`` if the text is not JSON. A part may already have been appended.
    static func append(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        guard UTF8Validator.isValid(text) else { throw .notUTF8 }
        var reader = JSONReader()
        var needsComma = false
        do throws(JSONError) {
            while let token = try reader.next(in: text) {
                let isEnd = token.kind == .endObject || token.kind == .endArray
                if needsComma, !isEnd { buffer.append(literal: ",") }
                buffer.append(text.extracting(token.range))
                if token.kind == .key { buffer.append(literal: ":") }
                needsComma = token.kind != .key && token.kind != .beginObject && token.kind != .beginArray
            }
        } catch {
            throw .notJSON(error)
        }
    }
}
