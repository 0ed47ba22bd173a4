import WSCore

/// A WebSocket connection of a HAR file, without its messages.
package struct HAREntry {
    /// The messages of a connection, before they are read.
    package struct Messages: Equatable {
        /// The offset of the array in the file.
        package let offset: Int
        package var sentCount = 0
        package var receivedCount = 0
        /// The times of the first and the last message, if known.
        package var times: ClosedRange<Duration>?

        package init(offset: Int) {
            self.offset = offset
        }
    }

    /// The number of the entry in the file, from 1.
    package let number: Int
    /// The offset of the entry in the file.
    package let offset: Int
    /// The URL with the scheme `ws` or `wss`. It may contain secrets.
    package var url = ""
    /// The status of the response, or 0 if it is unknown.
    package var status = 0
    /// The fields of the request. They may contain secrets.
    package var requestFields: [HeaderField] = []
    /// The fields of the response. They may contain secrets.
    package var responseFields: [HeaderField] = []
    /// The phases of the handshake. Other times are not read.
    package var timings = HARConnection.Timings()
    /// The time at which the request began, since 1970-01-01 UTC.
    package var start: Duration?
    /// `nil` if the file does not contain the messages.
    package var messages: Messages?

    package init(number: Int, offset: Int) {
        self.number = number
        self.offset = offset
    }
}

/// A message of a HAR file. Its payload is separate.
package enum HARMessage: Equatable {
    /// `time` is the time since 1970-01-01 UTC, or `nil` if it is unknown.
    case message(MessageKind, isSent: Bool, time: Duration?)
    /// A control frame, or an error that a browser reports.
    case other
}

/// Why a file is not a valid HAR file.
package enum HARError: Error, Equatable {
    case text(JSONStreamError)
    /// It has no object `log` with an array `entries`.
    case notAnArchive
    /// The value at this place is not of the expected form.
    case badValue(HARPlace, expected: String)
    case notBase64(HARPlace, EncodedTextError)
    /// A string contains an escape for an unpaired surrogate.
    case halfSurrogate(HARPlace)
}

/// The place of a value in a HAR file.
package enum HARPlace: Equatable {
    /// The number of an entry in the file, and a path in the entry; an empty path is the entry.
    case entry(Int, String)
    /// The number of a message of the connection, and a member; an empty name is the message.
    case message(Int, String)
}

extension HARError: CustomStringConvertible {
    /// The reason in words, to follow a colon.
    package var description: String {
        switch self {
        case .text(let error): "\(error)"
        case .notAnArchive: "it is not a HAR file: it has no 'log' with 'entries'"
        case .badValue(let place, let expected): "\(place) is not \(expected)"
        case .notBase64(let place, .unexpected(let offset)):
            "\(place) is not Base64: byte \(offset + 1) is no Base64 character"
        case .notBase64(let place, .truncated): "\(place) is not Base64: the text is incomplete"
        case .notBase64(let place, .badPadding): "\(place) is not Base64: its padding does not suit its length"
        case .halfSurrogate(let place): "\(place) contains half of a surrogate pair"
        }
    }
}

extension HARPlace: CustomStringConvertible {
    package var description: String {
        switch self {
        case .entry(let number, let path): path.isEmpty ? "entry \(number)" : "entry \(number): its '\(path)'"
        case .message(let number, let name): name.isEmpty ? "message \(number)" : "message \(number): its '\(name)'"
        }
    }
}
