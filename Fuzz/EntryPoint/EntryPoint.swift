import Foundation

/// The target selected by `FUZZ_TARGET`.
private let chosen = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"] }

/// libFuzzer calls this first. Without a target, it lists all targets.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ argumentCount: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard chosen == nil else { return 0 }
    for target in FuzzTarget.all { print(target.name) }
    exit(0)
}

/// libFuzzer calls this for each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen?.check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
