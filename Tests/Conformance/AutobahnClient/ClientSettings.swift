import WSCore

/// What `wsx connect` uses unless told otherwise: the suite judges what users run.
enum ClientSettings {
    /// The extensions that `wsx connect` offers.
    static let extensionOffers = [DeflatePreferences().offer]

    /// What `wsx connect` accepts, and how it closes.
    static let connection = Connection<EchoHandler>.Settings(role: .client, limits: .client)

    /// Longer than that of `wsx connect`: the suite is one thread, which takes no connection while it writes reports.
    static let connectTimeout = Duration.seconds(120)
}
