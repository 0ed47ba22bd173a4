import WSCore

/// The defaults of `wsx connect`, so the suite tests what users run.
enum ClientSettings {
    /// The extensions that `wsx connect` offers.
    static let extensionOffers = [DeflatePreferences().offer]

    /// The limits and the closing behavior of `wsx connect`.
    static let connection = Connection<EchoHandler>.Settings(role: .client, limits: .client)

    /// Longer than in `wsx connect`, because the single-threaded suite accepts no connections while it writes reports.
    static let connectTimeout = Duration.seconds(120)
}
