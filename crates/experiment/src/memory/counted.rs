//! What is allocated at most.

use peakmem_alloc::{PeakMemAlloc, PeakMemAllocTrait};
use std::alloc::System;

/// The system's allocator, with two counters: two atomic additions an allocation, which runs make few of
/// once they are under way. It leaves zeroed memory to the system, so that what is never touched costs
/// nothing.
#[global_allocator]
static COUNTED: PeakMemAlloc<System> = PeakMemAlloc::system();

/// The most bytes that `work` has allocated at a time, beyond what was allocated before.
pub(super) fn peak_bytes(work: impl FnOnce()) -> usize {
    COUNTED.reset_peak_memory();
    work();
    COUNTED.get_peak_memory()
}
