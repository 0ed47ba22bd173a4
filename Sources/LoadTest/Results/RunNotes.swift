import Formats
import WSCore

/// What results say about a run besides its load: a title and labels from the user, and where it ran.
package struct RunNotes: Equatable, Sendable {
    package var title: String?
    /// Keys and values, sorted by key. Keys differ.
    package var labels: [(key: String, value: String)] = []
    /// The command line, the machine, and the versions, by their names in JSON, sorted. Unknown ones are missing.
    package var environment: [(key: String, value: String)] = []

    /// Creates empty notes.
    package init() {}

    package static func == (one: RunNotes, other: RunNotes) -> Bool {
        one.title == other.title && one.labels.elementsEqual(other.labels, by: ==)
            && one.environment.elementsEqual(other.environment, by: ==)
    }

    /// The notes that two runs have in common.
    internal func joined(with other: RunNotes) -> RunNotes {
        var joined = self
        if title != other.title { joined.title = nil }
        joined.labels.removeAll { label in !other.labels.contains { $0 == label } }
        joined.environment.removeAll { fact in !other.environment.contains { $0 == fact } }
        return joined
    }

    // MARK: JSON

    /// Adds the notes to the JSON object of results.
    internal func add(to json: inout JSONWriter) {
        if let title { json.add("title", title) }
        Self.add(labels, "labels", to: &json)
        Self.add(environment, "environment", to: &json)
    }

    private static func add(_ pairs: [(key: String, value: String)], _ name: StaticString, to json: inout JSONWriter) {
        guard !pairs.isEmpty else { return }
        json.beginObject(name)
        for (key, value) in pairs { json.add(named: key, value) }
        json.endObject()
    }
}
