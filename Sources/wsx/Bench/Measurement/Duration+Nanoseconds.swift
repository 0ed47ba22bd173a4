extension Duration {
    /// The nanoseconds in it; none, if it is negative, and 146 years at most.
    var wholeNanoseconds: UInt64 { UInt64(min(max(0, self / .nanoseconds(1)), 0x1p62)) }
}
