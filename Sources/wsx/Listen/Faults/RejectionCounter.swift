/// Counts the requests that `--reject` refuses.
struct RejectionCounter {
    private let status: Int?
    /// How many are still to be refused; nil: all.
    private var left: Int?

    /// Begins to count; without a rejection, none is refused.
    init(_ rejection: Rejection?) {
        status = rejection?.status
        left = rejection?.count
    }

    /// The status with which the next request is refused; nil: it is not.
    mutating func next() -> Int? {
        guard let status, left != 0 else { return nil }
        left? -= 1
        return status
    }
}
