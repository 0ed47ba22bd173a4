/// One of the words that an option or operand takes.
struct ValueChoice: Equatable {
    let name: String
    let summary: String
}
