extension HeaderField {
    /// Whether the field only describes the client, so that it may be sent to an origin that the user did not name.
    ///
    /// These are User-Agent, Origin, Cache-Control, Pragma, DNT, Accept, and its variants in RFC 9110 §12.5.
    package var isForAllOrigins: Bool { Self.namesForAllOrigins.contains(where: isNamed) }

    private static let namesForAllOrigins = [
        "User-Agent", "Origin", "Cache-Control", "Pragma", "DNT", "Accept", "Accept-Charset", "Accept-Encoding",
        "Accept-Language",
    ]
}
