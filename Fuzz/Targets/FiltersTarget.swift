import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// Filters on the first line, and the value after it.
    ///
    /// - The error for invalid filters is one line that is safe to show. That of a filter shows nothing of the value.
    /// - A result is the same each time. As text, it is UTF-8 or reported.
    /// - Decoders restore what encoders encode, and what is escaped stands for the value.
    static let filters = FuzzTarget(name: "filters") { input in
        guard let (text, value) = lineAndRest(of: input) else { return }
        let pieces = TemplateParser.pieces(of: Array(text.utf8)[...], until: "")?.pieces ?? []
        do throws(TemplateError) {
            let filters = try [TemplateFilter](parsing: pieces[...])
            expectEqual(result(filters, value), result(filters, value), "the same result twice")
        } catch {
            expectOneSafeLine("\(error)")
        }
        for (encoder, decoder) in [("base64", "unbase64"), ("base64url", "unbase64"), ("hex", "unhex")] {
            expectEqual(result([encoder, decoder], value), .success(FilteredValue(bytes: value)), "\(encoder)")
        }
        for name in ["md5", "sha1", "sha256", "sha512"] {
            guard case .success(let digest) = result([name], value) else { continue }
            expectEqual(result([name, "hex"], value), .success(FilteredValue(bytes: digest.insertedBytes)), name)
        }
        guard UTF8Validator.isValid(value.span.bytes) else {
            expect((try? result(["json"], value).get()) == nil, "a JSON string of bytes")
            return
        }
        if case .success(let literal) = result(["json"], value) {
            expectEqual(JSONString.decoded(literal.bytes.span.bytes), String(decoding: value, as: UTF8.self), "json")
        }
        if case .success(let encoded) = result(["url"], value) {
            let decoded = try? PercentEncoding.decode(String(decoding: encoded.bytes, as: UTF8.self))
            expectEqual(decoded, String(decoding: value, as: UTF8.self), "url")
        }
    }

    private static func result(
        _ names: [String], _ value: [UInt8]
    ) -> Result<FilteredValue, TemplateValueError> {
        do throws(TemplateError) {
            return result(try [TemplateFilter](parsing: names[...]), value)
        } catch {
            unexpected("\(error)")
        }
    }

    private static func result(
        _ filters: [TemplateFilter], _ value: [UInt8]
    ) -> Result<FilteredValue, TemplateValueError> {
        do throws(TemplateValueError) {
            return .success(try filters.apply(to: .success(value)))
        } catch {
            expectOneSafeLine("\(error)")
            return .failure(error)
        }
    }
}
