import Peer
import UserInterface
import WSCore

/// Parses the events of a recording, line by line, into conversations.
///
/// If events carry client numbers, a server made the recording, and its own messages have direction `out`. In a
/// client's recording, the server's messages have direction `in`. A conversation begins with `open` and ends when
/// either side closes it.
struct ReplayReader: ~Copyable {
    private struct Draft {
        var exchanges = [ReplayConversation.Exchange(request: nil)]
        /// When the latest exchange began, or `nil` without times.
        var exchangeTime: Duration?
        var isOver = false
    }

    private let speed: ReplaySpeed
    private var reader: EventReader
    private var drafts: [Draft] = []
    /// The latest conversation of each client. The key is `nil` for a client's own recording.
    private var latest: [Int?: Int] = [:]
    private var isOfServer = false
    private var payloads: [UInt8] = []

    /// Creates a reader. `speed` scales the pauses before replies.
    init(speed: ReplaySpeed) {
        self.speed = speed
        reader = EventReader(readsTimes: speed != .max)
    }

    /// Parses a line.
    mutating func read(_ line: RawSpan) throws(InputProblem) {
        let event = try reader.read(line)
        if event.client != nil { isOfServer = true }
        switch event.kind {
        case .recording, .exchange, .report: return
        case .open: begin(event.client, at: event.time)
        case .item(let item):
            guard let direction = event.direction else { throw .missingMember("direction") }
            guard isOfServer, event.client == nil else {
                return add(item, event, isOfServer: (direction == .outgoing) == isOfServer, to: event.client)
            }
            // An item without a client number was sent to all clients.
            for client in latest.keys.sorted(by: { $0 ?? 0 < $1 ?? 0 }) {
                add(item, event, isOfServer: direction == .outgoing, to: client)
            }
        }
    }

    /// The conversations read so far.
    var conversations: [ReplayConversation] {
        drafts.map { ReplayConversation($0.exchanges, payloads: payloads) }
    }

    @discardableResult
    private mutating func begin(_ client: Int?, at time: Duration?) -> Int {
        drafts.append(Draft(exchangeTime: time))
        latest[client] = drafts.count - 1
        return drafts.count - 1
    }

    private mutating func add(_ item: InputItem, _ event: InputEvent, isOfServer: Bool, to client: Int?) {
        let index = latest[client] ?? begin(client, at: event.time)
        guard !drafts[index].isOver else { return }
        switch item {
        case .message(let kind) where !isOfServer:
            let request = ReplayConversation.Request(kind: kind, payload: keepPayload())
            drafts[index].exchanges.append(.init(request: request))
            drafts[index].exchangeTime = event.time
        case .message, .ping: if isOfServer, !event.isDropped { addReply(item, at: event.time, to: index) }
        // A pong answers a ping, and the engine answers pings itself.
        case .pong: break
        case .close(let frame), .end(let frame as CloseFrame?):
            if isOfServer, frame != nil { addReply(item, at: event.time, to: index) }
            drafts[index].isOver = true
        }
    }

    private mutating func addReply(_ item: InputItem, at time: Duration?, to index: Int) {
        var pause = Duration.zero
        if case .factor(let factor) = speed, let time, let begin = drafts[index].exchangeTime {
            pause = max(.zero, time - begin) / factor
        }
        let last = drafts[index].exchanges.count - 1
        drafts[index].exchanges[last].replies.append(.init(item: item, payload: keepPayload(), pause: pause))
    }

    private mutating func keepPayload() -> Range<Int> {
        let start = payloads.count
        reader.withPayload { payload in payload.withUnsafeBytes { payloads.append(contentsOf: $0) } }
        return start..<payloads.count
    }
}
