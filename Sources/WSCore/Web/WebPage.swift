/// A page that is part of the program, and the path it is found at.
public struct WebPage: Sendable {
    /// The path, as it comes in a request target.
    public let path: String
    /// The fields of the answer that say what the page is and may do: Content-Type, and others such as
    /// Content-Security-Policy.
    public let fields: [HeaderField]
    /// The page.
    public let bytes: [UInt8]

    /// Takes the parts of a page; `mediaType` becomes its Content-Type.
    public init(path: String, mediaType: String, fields: [HeaderField] = [], bytes: [UInt8]) {
        self.path = path
        self.fields = [HeaderField(wellFormedName: "Content-Type", value: mediaType)] + fields
        self.bytes = bytes
    }
}
