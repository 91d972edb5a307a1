//! Peak allocation.

use peakmem_alloc::{PeakMemAlloc, PeakMemAllocTrait};
use std::alloc::System;

/// The system's allocator with two counters: two atomic additions per allocation, of which a run makes few once
/// it is under way. It leaves zeroed memory to the system, so memory that is never touched costs nothing.
#[global_allocator]
static COUNTED: PeakMemAlloc<System> = PeakMemAlloc::system();

/// The peak of what `work` allocates, in bytes, beyond what was allocated before.
pub(super) fn peak_bytes(work: impl FnOnce()) -> usize {
    COUNTED.reset_peak_memory();
    work();
    COUNTED.get_peak_memory()
}
