import Testing

@testable import UserInterface

@Suite struct LayoutLimitTests {
    @Test(
        "A fold leaves room for other lines, and has a minimum and a maximum size",
        arguments: [(10, 6), (24, 18), (30, 24), (200, 24)])
    func rows(windowRows: Int, rows: Int) {
        let limit = LayoutLimit.fold(for: ScreenSize(columns: 100, rows: windowRows), column: 30)
        #expect(limit == LayoutLimit(rows: rows, columns: 70, bytes: 16 << 10))
    }

    @Test("Without a window lines are not limited, and a window that is too narrow still has a column")
    func columns() {
        #expect(LayoutLimit.fold(for: nil, column: 30) == LayoutLimit(rows: 24, columns: nil, bytes: 16 << 10))
        #expect(LayoutLimit.fold(for: ScreenSize(columns: 20, rows: 24), column: 30).columns == 1)
    }
}
