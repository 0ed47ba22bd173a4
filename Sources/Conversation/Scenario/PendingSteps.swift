/// The steps that may take the next message: the current one, the others of its group, and the next ones if it is optional.
struct PendingSteps {
    private let steps: [Scenario.Step]
    /// The first step of the next iteration, which optional steps before it do not look ahead to, or `nil`.
    private let boundary: Int?
    /// The steps of the current group that have ended.
    private var ended: Set<Int> = []
    /// Whether the current step has received a part of its reply, so no other step may take a message.
    var hasPart = false

    init(_ steps: [Scenario.Step], boundary: Int?) {
        self.steps = steps
        self.boundary = boundary
    }

    /// Whether a step has ended, although the current one precedes it.
    func hasEnded(_ index: Int) -> Bool { !ended.isEmpty && ended.contains(index) }

    /// The steps that wait together with the current one: its group, without those that have ended, or itself.
    func waiting(at index: Int) -> [Int] {
        guard let group = steps[index].group else { return hasEnded(index) ? [] : [index] }
        return group.filter { !hasEnded($0) }
    }

    /// Whether no step that waits needs its message.
    func isOptional(at index: Int) -> Bool {
        if hasPart { return false }
        if steps[index].group == nil { return steps[index].isOptional }
        return waiting(at: index).allSatisfy { steps[$0].isOptional }
    }

    /// The steps that may take the next message, with the exception of those that have ended.
    func candidates(at index: Int) -> Range<Int> {
        var end = steps[index].group?.upperBound ?? index + 1
        guard !hasPart else { return index..<end }
        var current = index
        while isOptional(at: current), end < steps.count, end != boundary, case .receive = steps[end].action {
            current = end
            end = steps[end].group?.upperBound ?? end + 1
        }
        return index..<end
    }

    /// Ends a step of the current group.
    /// - Returns: The first step that still waits, or `nil` if none does.
    mutating func end(_ index: Int) -> Int? {
        hasPart = false
        ended.insert(index)
        return waiting(at: index).first
    }

    /// Leaves the current group.
    mutating func leave() {
        hasPart = false
        if !ended.isEmpty { ended.removeAll() }
    }
}
