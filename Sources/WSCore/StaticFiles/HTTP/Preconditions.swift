/// The conditions of a request for a file (RFC 9110 §13).
struct Preconditions {
    /// The result of evaluating the conditions.
    enum Outcome: Equatable {
        /// The request is processed as if it had no conditions.
        case hold
        /// The client's copy is current: 304.
        case notModified
        /// The file is not in the state that the client expects: 412.
        case failed
    }

    private let fields: HTTPFields
    private let tag: EntityTag
    private let modifiedSeconds: Int
    private let now: Int

    /// Creates the conditions of a GET or HEAD request. All times are in seconds since 1970-01-01 00:00 UTC.
    /// - Parameters:
    ///   - fields: The request's header fields.
    ///   - tag: The file's current entity tag.
    ///   - modifiedSeconds: The file's modification time, as in Last-Modified.
    ///   - now: The current time.
    init(_ fields: HTTPFields, tag: EntityTag, modifiedSeconds: Int, now: Int) {
        self.fields = fields
        self.tag = tag
        self.modifiedSeconds = modifiedSeconds
        self.now = now
    }

    /// The result, evaluated in the order of RFC 9110 §13.2.2.
    var outcome: Outcome {
        // RFC 9110 §13.1.4: ignore If-Unmodified-Since if If-Match is present.
        if fields.contains(named: "If-Match") {
            let condition = EntityTagCondition(parsing: fields.all(named: "If-Match"))
            guard condition.matches(where: tag.isStronglyEqual) else { return .failed }
        } else if let date = date(named: "If-Unmodified-Since"), modifiedSeconds > date {
            return .failed
        }
        // RFC 9110 §13.1.3: ignore If-Modified-Since if If-None-Match is present.
        if fields.contains(named: "If-None-Match") {
            let condition = EntityTagCondition(parsing: fields.all(named: "If-None-Match"))
            if condition.matches(where: tag.isWeaklyEqual) { return .notModified }
        } else if let date = date(named: "If-Modified-Since"), modifiedSeconds <= date {
            return .notModified
        }
        return .hold
    }

    /// Whether to process Range: there is no If-Range, or it matches the file's current state (RFC 9110 §13.1.5).
    var allowRange: Bool {
        let values = fields.all(named: "If-Range")
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        var rest = Array(value.utf8)[...]
        if let named = EntityTag(takingFrom: &rest) { return rest.isEmpty && tag.isStronglyEqual(to: named) }
        // RFC 9110 §13.1.5: a date must equal Last-Modified exactly and be a strong validator.
        return !tag.isWeak && HTTPDate.seconds(parsing: value, now: now) == modifiedSeconds
    }

    /// RFC 9110 §13.1.3, §13.1.4: ignore a field that is not a single valid date.
    private func date(named name: String) -> Int? {
        let values = fields.all(named: name)
        return values.count == 1 ? HTTPDate.seconds(parsing: values[0], now: now) : nil
    }
}
