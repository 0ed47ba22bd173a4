import WSCore

/// The window in which lines are shown, in characters.
struct ScreenSize: Equatable {
    let columns: Int
    let rows: Int

    /// The terminal's that shows what the program has to say; nil: it is none.
    /// - Parameter isPrompt: Whether lines are typed there, so that standard error may lead elsewhere.
    static func current(isPrompt: Bool) -> ScreenSize? {
        for descriptor in isPrompt
            ? [StandardDescriptors.error, StandardDescriptors.input] : [StandardDescriptors.error]
        {
            if let size = StandardDescriptors.windowSize(of: descriptor) {
                return ScreenSize(columns: size.columns, rows: size.rows)
            }
        }
        return nil
    }
}
