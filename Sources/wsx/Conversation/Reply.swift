/// What a received message answers.
struct Reply: Equatable {
    /// The number of the request.
    let number: Int
    /// The time since the request was sent.
    let roundTrip: Duration
}
