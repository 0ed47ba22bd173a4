/// Which requests are refused: all with `503`, the first three with `503x3`.
enum RejectionValue {
    /// What a refusal may say: a redirect or an error.
    private static let statuses = 300...599

    /// Reads a status, and a count of 1 or more behind an `x`.
    static func parse(_ text: String) throws(ValueProblem) -> Rejection {
        let parts = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts[0].utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard isNumber, let status = Int(parts[0]), statuses ~= status else { throw .notARejection }
        guard parts.count > 1 else { return Rejection(status: status) }
        guard let count = try? CountValue.parse(String(parts[1])) else { throw .notARejection }
        return Rejection(status: status, count: count)
    }
}
