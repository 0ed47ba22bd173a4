/// A parser, and what holds for it whatever it is given.
///
/// To add one: a file in `Targets/` with an `extension FuzzTarget`, its name in ``all``, and seeds in `Seeds/NAME/`.
struct FuzzTarget: Sendable {
    /// The name, which is also that of the folder of its seeds.
    let name: String
    /// Gives the parser an input, and ends the process by ``expect(_:_:)`` where a property does not hold.
    let check: @Sendable (_ input: [UInt8]) -> Void

    /// All targets.
    static let all = [
        frames, compressedFrames, closeFrames, session, inflating, utf8, httpHeads, clientHandshake, serverHandshake,
        requestEnvironment,
        extensions, compressionOffers, urls, redirects, cookies, challenges, proxyChoice, proxyConnect, proxySOCKS,
        requestPaths, requestConditions, tls, json, jsonEvents, eventInput, encodedInput, options, records, replLines,
        histograms, benchResults,
    ]
}
