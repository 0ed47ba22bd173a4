import Conversation
import Formats
import UserInterface
import WSCore

/// The messages of all connections that wait for the pages. Together, they are limited: what a page does not settle must not
/// fill the memory.
package final class PageHolds {
    /// The conditions of messages to hold.
    private(set) var conditions: [ScopedCondition]
    private let prefixes: ScopedCondition.Prefixes
    private let diagnostics: Diagnostics
    private let loop: EventLoop
    private var compiled: ScopedConditions
    /// Whether a page is open.
    private var isAttended = false
    private var queues: [ObjectIdentifier: HeldMessages] = [:]
    /// What waits, by number.
    private var places: [Int: Place] = [:]
    private var lastNumber = 0
    /// Whether the page settles messages, as opposed to this end.
    private var isPageActing = false
    /// Writes an event.
    var didHold: (Int) -> Void = { _ in }
    var didSettle: (Int, HeldMessages.Settlement, _ byPage: Bool) -> Void = { _, _, _ in }

    private struct Place {
        let queue: HeldMessages
        let time: [UInt8]
        /// Limits the wait of a close frame.
        let timer: Timer?
    }

    /// The maximum number and size in memory of all that waits.
    private static let (maximumCount, maximumBytes) = (1000, 16 << 20)
    private static let closeLimit = Duration.seconds(300)

    init(
        _ conditions: [ScopedCondition], allowing prefixes: ScopedCondition.Prefixes, diagnostics: Diagnostics,
        on loop: EventLoop
    ) {
        self.conditions = conditions
        self.prefixes = prefixes
        self.diagnostics = diagnostics
        self.loop = loop
        compiled = ScopedConditions(conditions)
        watchPatterns()
    }

    private func watchPatterns() {
        for pattern in compiled.patterns { diagnostics.watch(pattern) }
    }

    // MARK: Connections

    /// Creates the queue of one direction of a connection.
    package func makeQueue(from side: RelaySide?, client: Int?, at path: String?) -> HeldMessages {
        let queue = HeldMessages(side: side, client: client, path: path)
        queue.makeNumber = { [unowned self] in
            lastNumber += 1
            return lastNumber
        }
        queue.didHold = { [unowned self, unowned queue] in hold($0, in: queue) }
        queue.didSettle = { [unowned self] in settle($0, $1) }
        queues[ObjectIdentifier(queue)] = queue
        select(for: queue)
        return queue
    }

    /// Drops what waits in a queue, because a side is gone.
    /// - Returns: The close frame that has waited, if any.
    @discardableResult
    package func remove(_ queue: HeldMessages) -> CloseFrame? {
        queues[ObjectIdentifier(queue)] = nil
        queue.conditions = []
        let (count, frame) = queue.lose()
        if count > 0 {
            let client = queue.client.map { queue.side == .server ? " for client \($0)" : " of client \($0)" } ?? ""
            diagnostics.error(
                "\(Phrase.count(count, "held message"))\(client) \(count == 1 ? "was" : "were") dropped: the connection ended"
            )
        }
        return frame
    }

    private func select(for queue: HeldMessages) {
        queue.conditions = isAttended ? compiled.concerning(queue.side, at: queue.path) : []
    }

    private func hold(_ entry: HeldMessages.Entry, in queue: HeldMessages) {
        var clock = EventClock()
        clock.update()
        var timer: Timer?
        if case .close = entry.item {
            timer = Timer(on: loop) { [unowned queue] in queue.releaseAll(because: .limit) }
            timer?.start(after: Self.closeLimit)
        }
        places[entry.number] = Place(queue: queue, time: clock.text, timer: timer)
        didHold(entry.number)
        keepLimits()
    }

    /// Releases everything if too much waits.
    private func keepLimits() {
        let byteCount = queues.values.reduce(0) { $0 + $1.byteCount }
        guard places.count > Self.maximumCount || byteCount > Self.maximumBytes else { return }
        diagnostics.error(
            "more than \(Phrase.grouped(Self.maximumCount)) messages, or 16 MiB, were held on the page: all are released"
        )
        releaseAll(because: .limit)
    }

    private func settle(_ entry: HeldMessages.Entry, _ settlement: HeldMessages.Settlement) {
        places[entry.number] = nil
        didSettle(entry.number, settlement, isPageActing)
    }

    private func releaseAll(because settlement: HeldMessages.Settlement) {
        for queue in queues.values { queue.releaseAll(because: settlement) }
    }

    // MARK: Pages

    /// Lets everything pass while no page is open.
    func pagesChanged(areOpen: Bool) {
        guard areOpen != isAttended else { return }
        isAttended = areOpen
        for queue in queues.values { select(for: queue) }
        if !areOpen { releaseAll(because: .released) }
    }

    /// Replaces the conditions, or changes nothing if one of them is invalid.
    func replaceConditions(by texts: [String]) throws(PageProblem) {
        var conditions: [ScopedCondition] = []
        for text in texts {
            do throws(ScopedConditionError) {
                conditions.append(try ScopedCondition(text, allowing: prefixes))
            } catch {
                throw PageProblem("\(quoted(text)) is no condition: \(error)")
            }
        }
        self.conditions = conditions
        compiled = ScopedConditions(conditions)
        watchPatterns()
        for queue in queues.values { select(for: queue) }
    }

    /// Lets messages pass: these, or all.
    func release(_ numbers: [Int]?, with edit: PageAction.HeldEdit?) throws(PageProblem) {
        isPageActing = true
        defer { isPageActing = false }
        guard let numbers else { return releaseAll(because: .released) }
        try forEach(numbers) { (number) throws(PageProblem) in
            let queue = try place(number).queue
            do throws(CodecError) {
                try queue.release(number, as: edit.map { ($0.payload, $0.kind) })
            } catch {
                throw PageProblem("message \(number) still waits: \(error)")
            }
        }
        keepLimits()
    }

    func drop(_ numbers: [Int]) throws(PageProblem) {
        isPageActing = true
        defer { isPageActing = false }
        try forEach(numbers) { (number) throws(PageProblem) in
            guard try place(number).queue.drop(number) else {
                throw PageProblem("a close frame cannot be dropped; release it")
            }
        }
    }

    /// Acts on all, although some may fail: another page may have settled them. Throws the first problem.
    private func forEach(_ numbers: [Int], _ act: (Int) throws(PageProblem) -> Void) throws(PageProblem) {
        var problem: PageProblem?
        for number in numbers {
            do throws(PageProblem) { try act(number) } catch { problem = problem ?? error }
        }
        if let problem { throw problem }
    }

    private func place(_ number: Int) throws(PageProblem) -> Place {
        guard let place = places[number] else { throw PageProblem("message \(number) no longer waits") }
        return place
    }

    /// The numbers of what waits, the last one first.
    var numbers: [Int] { places.keys.sorted(by: >) }

    /// The event of something that waits, or `nil` if it no longer does.
    func line(_ number: Int) -> [UInt8]? {
        guard let place = places[number], let entry = place.queue.entries.first(where: { $0.number == number }) else {
            return nil
        }
        var event = JSONEvent("held", time: place.time.span.bytes, into: ByteBuffer())
        event.add("id", number)
        if let client = place.queue.client { event.add("client", client) }
        if let side = place.queue.side { event.add("from", side.rawValue) }
        if entry.isBehind { event.add("behind", true) }
        switch entry.item {
        case .message(let message): event.add(message)
        case .close(let frame):
            event.add("opcode", "close" as StaticString)
            event.add("code", Int((frame.code ?? .noStatus).rawValue))
            event.add("reason", diagnostics.secrets.masking(frame.reason))
        }
        return event.finish().withReadableBytes { $0.withUnsafeBytes { Array($0.dropLast()) } }
    }
}

extension JSONEvent {
    /// Adds the fields of a held message.
    fileprivate mutating func add(_ message: HeldMessage) {
        add("opcode", message.kind == .text ? "text" as StaticString : "binary")
        add("bytes", message.message.count)
        let shown = message.shown
        addPayload(shown.span.bytes, isText: false)
        if let codecs = message.codecs { add("decoded", codecs) }
    }
}
