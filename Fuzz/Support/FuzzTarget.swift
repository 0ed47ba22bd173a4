/// A parser and its properties, which hold for any input.
///
/// To add a target, create a file in `Targets/` with an `extension FuzzTarget`, add its name to ``parsers``, and add seeds
/// in `Seeds/NAME/`.
struct FuzzTarget: Sendable {
    /// The name of the target and of its folder of seeds.
    let name: String
    /// Runs the parser on an input, and reports a finding through ``expect(_:_:)`` if a property does not hold.
    let check: @Sendable (_ input: [UInt8]) -> Void

    /// All targets.
    static let all = parsers + protocols

    private static let parsers = [
        frames, compressedFrames, closeFrames, session, inflating, deflating, utf8, httpHeads, http2Server, http2Client,
        clientHandshake, serverHandshake, requestEnvironment,
        extensions, compressionOffers, urls, redirects, cookies, cookieFile, challenges, netrc, awsProfiles,
        proxyChoice, proxyConnect, proxySOCKS, requestPaths, requestConditions, tls, json, jsonPaths, jsonChanges,
        har, shownMessages, jsonEvents, eventInput, encodedInput,
        options, configuration, records, replLines, histograms, benchResults, templates, filters, answerRules,
        conditions, dataFiles, matchers, scenarios, declarativeProtocols, codecs, messageRecords, protobuf, stomp, mqtt,
    ]
}
