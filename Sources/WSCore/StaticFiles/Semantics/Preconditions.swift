/// What a request knows of a file already, and what follows from that (RFC 9110 §13).
struct Preconditions {
    /// What becomes of the request.
    enum Outcome: Equatable {
        /// It is answered as if it had no conditions.
        case hold
        /// The client has the file as it is: 304.
        case notModified
        /// The file is another than the client thinks: 412.
        case failed
    }

    private let fields: HTTPFields
    private let tag: EntityTag
    private let modifiedSeconds: Int
    private let now: Int

    /// Takes the fields of a GET or HEAD request and the file's validators.
    /// - Parameters:
    ///   - fields: The request's fields.
    ///   - tag: The tag of the file's state.
    ///   - modifiedSeconds: The time of the file's last change, as Last-Modified says it, since the beginning of 1970.
    ///   - now: The present time.
    init(_ fields: HTTPFields, tag: EntityTag, modifiedSeconds: Int, now: Int) {
        self.fields = fields
        self.tag = tag
        self.modifiedSeconds = modifiedSeconds
        self.now = now
    }

    /// What the conditions come to, in the order of RFC 9110 §13.2.2.
    var outcome: Outcome {
        // RFC 9110 §13.1.4: If-Match takes the place of If-Unmodified-Since.
        if fields.contains(named: "If-Match") {
            let condition = EntityTagCondition(parsing: fields.all(named: "If-Match"))
            guard condition.matches(where: tag.isStronglyEqual) else { return .failed }
        } else if let date = date(named: "If-Unmodified-Since"), modifiedSeconds > date {
            return .failed
        }
        // RFC 9110 §13.1.3: If-None-Match takes the place of If-Modified-Since.
        if fields.contains(named: "If-None-Match") {
            let condition = EntityTagCondition(parsing: fields.all(named: "If-None-Match"))
            if condition.matches(where: tag.isWeaklyEqual) { return .notModified }
        } else if let date = date(named: "If-Modified-Since"), modifiedSeconds <= date {
            return .notModified
        }
        return .hold
    }

    /// Whether Range is to be heeded: there is no If-Range, or it names the file's present state (RFC 9110 §13.1.5).
    var allowRange: Bool {
        let values = fields.all(named: "If-Range")
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        var rest = Array(value.utf8)[...]
        if let named = EntityTag(takingFrom: &rest) { return rest.isEmpty && tag.isStronglyEqual(to: named) }
        // RFC 9110 §13.1.5: a date has to be exactly that of Last-Modified, and one that tells states for certain.
        return !tag.isWeak && HTTPDate.seconds(parsing: value, now: now) == modifiedSeconds
    }

    /// RFC 9110 §13.1.3, §13.1.4: what is not one valid date is ignored.
    private func date(named name: String) -> Int? {
        let values = fields.all(named: name)
        return values.count == 1 ? HTTPDate.seconds(parsing: values[0], now: now) : nil
    }
}
