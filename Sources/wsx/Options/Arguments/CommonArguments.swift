import WSCore

/// The arguments that all commands have in common that open or accept connections, by which one table entry serves all.
protocol CommonArguments: DisplayArguments {
    var payload: PayloadKind { get set }
    var subprotocols: [String] { get set }
    var headers: [String] { get set }
    var closeTimeout: Duration { get set }
    var compresses: Bool { get set }
    var compressionWindowBits: Int { get set }
    var compressionKeepsContext: Bool { get set }
    var maximumMessageBytes: Int { get set }
    var maximumFragments: Int { get set }
    var fragmentBytes: Int? { get set }
}

extension CommonArguments {
    /// What is wished for permessage-deflate; nil: it is not used.
    var deflate: DeflatePreferences? {
        compresses
            ? DeflatePreferences(windowBits: compressionWindowBits, keepsContext: compressionKeepsContext) : nil
    }
}
