import CSystem

/// Settings of the process's heap.
package enum Heap {
    /// The largest block allocated from the heap, in bytes. Larger blocks are mapped separately and unmapped when
    /// freed.
    private static let largestBlockBytes: Int32 = 1 << 20
    /// The free memory to keep at the end of the heap, in bytes.
    private static let keptBytes: Int32 = 2 << 20

    /// Makes the heap keep some freed memory. Call it before any other work.
    ///
    /// Buffers that fill and empty in each turn of the loop grow beyond glibc's default thresholds. The kernel would
    /// take their pages back and later provide new zeroed pages, which costs more time than all other work on the
    /// bytes.
    package static func prepare() {
        wsx_keep_freed_memory(largestBlockBytes, keptBytes)
    }

    /// Returns free pages to the system, including pages between blocks in use. Takes milliseconds.
    package static func trim() {
        wsx_trim_heap()
    }
}
