import WSCore

/// The size of the window that shows output, in characters.
package struct ScreenSize: Equatable {
    package let columns: Int
    let rows: Int

    /// The size of the terminal that shows notices, or nil if there is none.
    /// - Parameter isPrompt: Whether the terminal has a prompt; standard error may then be redirected.
    package static func current(isPrompt: Bool) -> ScreenSize? {
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
