/// Which requests `wsx listen` refuses, and how.
struct Rejection: Equatable, Sendable {
    /// The status, 300 through 599.
    var status: Int
    /// How many requests are refused before others are accepted; nil: all.
    var count: Int?
}
