/// The access of a parser to the user's configuration, which it reads only for commands with options.
public struct ConfigurationSource {
    /// A place in the file that set an option.
    public struct Place: Equatable, Sendable {
        /// The name of the option with its hyphens, or the placeholder of an operand.
        public let name: String
        /// The path of the file.
        public let path: String
        /// The number of the line.
        public let line: Int
    }

    /// Reads the configuration. Called at most once for each command line.
    let load: () throws(UsageError) -> Configuration
    /// Receives the places of the options that take effect, because problems of some values show up only later.
    let didUse: ([Place]) -> Void

    /// Creates a source.
    public init(load: @escaping () throws(UsageError) -> Configuration, didUse: @escaping ([Place]) -> Void = { _ in })
    {
        self.load = load
        self.didUse = didUse
    }

    /// No configuration.
    public static var none: ConfigurationSource {
        ConfigurationSource(load: { Configuration(path: "", absence: "there is no configuration file") })
    }
}
