/// Where the lines are kept that are typed at the prompt.
enum HistoryChoice: Equatable {
    /// In a file for each host.
    case host
    case file(String)
    /// In memory.
    case none
}
