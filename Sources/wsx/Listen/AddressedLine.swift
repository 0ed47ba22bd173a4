/// A line typed at the prompt of `wsx listen`, which may begin with the client that it is for: `@3 text`.
struct AddressedLine: Equatable {
    /// The client's number; nil: it is for all.
    let client: Int?
    /// What it is to be sent, or the command.
    let content: [UInt8]

    /// Reads a line. One that begins `@@3 ` is for all and begins `@3 `; any other `@` is what it is.
    init(_ line: [UInt8]) {
        let marks = line.prefix { $0 == UInt8(ascii: "@") }
        let digits = line[marks.endIndex...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let rest = line[digits.endIndex...]
        guard 1...2 ~= marks.count, !digits.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: " ") else {
            (client, content) = (nil, line)
            return
        }
        guard marks.count == 1 else {
            (client, content) = (nil, Array(line.dropFirst()))
            return
        }
        // A number that is too large is that of no client.
        client = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        content = Array(rest.dropFirst())
    }
}
