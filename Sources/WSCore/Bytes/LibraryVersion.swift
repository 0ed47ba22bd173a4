/// A C library in the program. Extensions next to the library's imports provide the instances.
package struct LibraryVersion: Equatable, Sendable {
    /// The name that the library's project uses.
    package let name: String
    /// The version that the library reports, such as `3.0.19`.
    package let version: String

    /// Creates a version from the library's text.
    /// - Parameter text: The version. Words after the first, such as a date, are dropped.
    package init(name: String, text: String) {
        self.name = name
        version = String(text.prefix { $0 != " " })
    }
}
