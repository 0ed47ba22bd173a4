/// A section of the manual.
struct ManualSection: Sendable {
    /// In capitals, as manuals have it.
    let title: String
    let blocks: [ManualBlock]

    init(_ title: String, _ blocks: ManualBlock...) {
        self.init(title, blocks: blocks)
    }

    init(_ title: String, blocks: [ManualBlock]) {
        self.title = title
        self.blocks = blocks
    }
}
