@testable import Listen
@testable import WSCore

extension FuzzTarget {
    /// The environment variables that describe a request to a program.
    ///
    /// - Names consist of capitals, digits, and underscores, and collide with no variable of another program.
    /// - Values contain no control characters and do not begin like the exported functions of old shells.
    /// - A harmless field with only letters, digits, and hyphens in its name is passed on byte for byte.
    static let requestEnvironment = FuzzTarget(name: "request-environment") { input in
        var parser = HTTPHeadParser(.request, limits: .server)
        guard (try? parser.receive(input.span.bytes)) != nil, let request = parser.requestHead else { return }
        let variables = RequestEnvironment(
            request: request, login: nil, subprotocol: nil, client: 1, clientAddress: nil, serverPort: 80, tls: nil
        ).variables
        for (name, value) in variables {
            expect(name.utf8.allSatisfy(isNameByte), "the name \(name)")
            expect(name.utf8.starts(with: "HTTP_".utf8) || ownNames.contains(name), "the name \(name)")
            expect(!withheldNames.contains(name), "\(name) is passed on")
            expect(!value.contains { $0 < 0x20 || $0 == 0x7F }, "the value of \(name): \(value)")
            expect(!value.starts(with: "() {".utf8), "the value of \(name): \(value)")
        }
        for field in request.fields where field.name.utf8.allSatisfy(isFieldByte) {
            let name = "HTTP_" + String(decoding: field.name.utf8.map(variableByte), as: UTF8.self)
            let isHarmless = request.fields.filter { $0.isNamed(field.name) }.map(\.valueBytes).allSatisfy { value in
                value.allSatisfy { 0x20..<0x7F ~= $0 || $0 > 0x9F } && !value.starts(with: "() {".utf8)
            }
            guard isHarmless, !withheldNames.contains(name) else { continue }
            let value = variables[name] ?? []
            expect(variables[name] != nil && value.count >= field.valueBytes.count, "\(name) is not passed on")
        }
    }

    private static let ownNames: Set = [
        "GATEWAY_INTERFACE", "SERVER_SOFTWARE", "SERVER_PROTOCOL", "SERVER_NAME", "SERVER_PORT", "REQUEST_METHOD",
        "REQUEST_URI", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "WSX_CLIENT",
    ]
    private static let withheldNames: Set = [
        "HTTP_PROXY", "HTTP_AUTHORIZATION", "HTTP_PROXY_AUTHORIZATION", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE",
    ]

    private static func isNameByte(_ byte: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
    }

    private static func isFieldByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
    }

    private static func variableByte(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : ASCII.isLetter(byte) ? byte & ~0x20 : byte
    }
}
