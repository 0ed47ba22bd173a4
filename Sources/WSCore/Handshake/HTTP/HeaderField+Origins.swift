extension HeaderField {
    /// Whether the field only describes the client, so that it may be sent to an origin that the user did not name.
    ///
    /// These are User-Agent, Origin, Cache-Control, Pragma, DNT, and all fields that begin with Accept.
    public var isForAllOrigins: Bool {
        ASCII.lowercased(name).utf8.starts(with: "accept".utf8)
            || ["User-Agent", "Origin", "Cache-Control", "Pragma", "DNT"].contains(where: isNamed)
    }
}
