import Formats

/// The formatting of numbers in results.
package enum ResultWords {
    /// Rounds a nonnegative number to an integer. Numbers that are too large are clamped.
    package static func whole(_ number: Double) -> Int {
        Int(min(number.rounded(), 9e18))
    }

    /// A rate: `12.5`, `20,000`.
    package static func rate(_ rate: Double) -> String {
        rate < 100 ? FixedPoint.text(rate, digits: 1) : Phrase.grouped(whole(rate))
    }

    /// Several counts, without zeros: `3 lost, 1 reordered`.
    package static func counts(_ parts: [(count: Int, words: String)]) -> String {
        parts.filter { $0.count > 0 }.map { "\(Phrase.grouped($0.count)) \($0.words)" }.joined(separator: ", ")
    }

    /// A number of bytes in powers of 1024: `20 B`, `1.50 MiB`.
    package static func bytes(_ number: Int) -> String {
        let units: [(bits: Int, name: String)] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")]
        guard let unit = units.first(where: { number >> $0.bits > 0 }) else { return "\(number) B" }
        return "\(FixedPoint.text(Double(number) / Double(1 << unit.bits), digits: 2)) \(unit.name)"
    }

    /// The width of each column of a table.
    package static func widths(of rows: [[String]]) -> [Int] {
        (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    }

    /// Pads a text on the right to a width.
    package static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
