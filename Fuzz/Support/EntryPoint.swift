import Foundation

/// The target that `FUZZ_TARGET` names.
private let chosen = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"] }

/// What libFuzzer calls first. Without a target, lists them.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ argumentCount: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard chosen == nil else { return 0 }
    for target in FuzzTarget.all { print(target.name) }
    exit(0)
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen?.check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
