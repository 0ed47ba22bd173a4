/// Media types of files, by file name extension.
enum MediaType {
    /// The value of Content-Type for a file with this name.
    static func ofFile(named name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        let end = ASCII.lowercased(name[name.utf8.index(after: dot)...])
        guard let type = types[end] else { return unknown }
        return type
    }

    /// The type of unknown files. Browsers save them.
    static let unknown = "application/octet-stream"
    static let html = "text/html; charset=utf-8"

    private static let types = essences.mapValues { $0.hasPrefix("text/") ? $0 + "; charset=utf-8" : $0 }

    private static let essences = [
        "html": "text/html", "htm": "text/html", "css": "text/css", "js": "text/javascript", "mjs": "text/javascript",
        "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "csv": "text/csv", "vtt": "text/vtt",
        "ics": "text/calendar", "xml": "text/xml",

        "json": "application/json", "map": "application/json", "jsonl": "application/jsonl",
        "webmanifest": "application/manifest+json", "wasm": "application/wasm", "pdf": "application/pdf",
        "yaml": "application/yaml", "yml": "application/yaml", "xhtml": "application/xhtml+xml",
        "atom": "application/atom+xml", "rss": "application/rss+xml", "m3u8": "application/vnd.apple.mpegurl",
        "mpd": "application/dash+xml", "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar",
        "bin": "application/octet-stream",

        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "apng": "image/apng", "bmp": "image/bmp", "ico": "image/x-icon",

        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",

        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg",
        "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "weba": "audio/webm",
    ]
}
