import Formats
import WSCore

/// The location of the id that a request and its reply have in common.
///
///     id                                     the same in both
///     /header/msg_id=/parent_header/msg_id   another one in the reply
///     id=id,ref                              one of several in the reply, which are tried in this order
///
/// A class, because it is part of settings that are copied in many places.
package final class Correlation: Equatable, Sendable {
    /// The text as typed.
    package let source: String
    /// The location in a request.
    package let request: JSONField
    /// The locations in a reply. The first one with the id of a request in flight counts, or else of one that is late.
    package let replies: [JSONField]

    /// Parses `FIELD` or `REQUEST=REPLY[,REPLY...]`. Returns `nil` for a text with an invalid field.
    package init?(_ text: String) {
        let (request, replies) = Self.split(text)
        guard let request = JSONField(request) else { return nil }
        var fields: [JSONField] = []
        for reply in replies ?? [] {
            guard !reply.utf8.contains(UInt8(ascii: "=")), let field = JSONField(reply) else { return nil }
            fields.append(field)
        }
        source = text
        self.request = request
        self.replies = replies == nil ? [request] : fields
    }

    /// Splits `REQUEST[=REPLY[,REPLY...]]`. No field can contain an equals sign, or a comma behind one.
    static func split(_ text: String) -> (request: String, replies: [String]?) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let replies = sides.count == 1 ? nil : sides[1].split(separator: ",", omittingEmptySubsequences: false)
        return (String(sides[0]), replies?.map { String($0) })
    }

    /// The ids of a reply, at its first location with an id that meets a condition, or `nil` if there is none. A batch of
    /// replies has several.
    package func replyIDs(in payload: RawSpan, where isKnown: (JSONScalar) -> Bool) -> [JSONScalar]? {
        for field in replies {
            let ids = field.values(in: payload)
            if ids.contains(where: isKnown) { return ids }
        }
        return nil
    }

    package static func == (one: Correlation, other: Correlation) -> Bool { one.source == other.source }
}
