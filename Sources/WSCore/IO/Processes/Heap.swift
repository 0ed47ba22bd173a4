import CLibuv

/// The memory from which the process allocates.
public enum Heap {
    /// The largest block that lies in the heap, in bytes; larger ones are the kernel's own, and go back to it when freed.
    private static let largestBlockBytes: Int32 = 1 << 20
    /// How much free memory is kept at the heap's end, in bytes.
    private static let keptBytes: Int32 = 2 << 20

    /// Has the heap keep some of what is freed, to be called before anything runs.
    ///
    /// Buffers that fill and empty again with each turn of the loop grow beyond what glibc keeps of itself. The kernel
    /// would take their pages back and give them anew, cleared, which takes more time than all else that is done with
    /// the bytes.
    public static func prepare() {
        wsx_keep_freed_memory(largestBlockBytes, keptBytes)
    }

    /// Gives the pages that lie free in the heap back to the system, those between blocks in use too; takes milliseconds.
    public static func trim() {
        wsx_trim_heap()
    }
}
