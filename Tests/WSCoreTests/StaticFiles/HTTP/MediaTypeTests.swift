import TestSupport
import Testing

@testable import WSCore

@Suite struct MediaTypeTests {
    static let typesCases: [(String, String)] = [
        ("index.html", "text/html; charset=utf-8"), ("a.JS", "text/javascript; charset=utf-8"),
        ("a.mjs", "text/javascript; charset=utf-8"), ("a.css", "text/css; charset=utf-8"),
        ("a.min.js.map", "application/json"), ("a.wasm", "application/wasm"), ("a.svg", "image/svg+xml"),
        ("a.woff2", "font/woff2"), ("a.mp4", "video/mp4"), ("a.tar.gz", "application/gzip"),
        ("a", "application/octet-stream"), ("html", "application/octet-stream"), ("a.", "application/octet-stream"),
        (".html", "text/html; charset=utf-8"), ("a.html.", "application/octet-stream"),
        ("a.\u{212A}ml", "application/octet-stream"), ("", "application/octet-stream"),
    ]

    @Test("the media type follows the file name extension, and text is UTF-8", arguments: Self.typesCases)
    func types(name: String, type: String) {
        expectEqual(MediaType.ofFile(named: name), type)
    }
}
