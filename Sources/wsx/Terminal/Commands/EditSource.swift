/// What `/edit` opens the editor with.
enum EditSource: Equatable {
    /// The last line that was typed before.
    case lastLine
    /// The line with a number, as `/history` shows it.
    case line(number: Int)
    case text([UInt8])
}
