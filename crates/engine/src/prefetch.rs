//! A hint to the processor: the one place with `unsafe` in the workspace.
//!
//! Nodes wake in an order that no processor can predict, and the state of a large network does not fit into the
//! nearest caches, so that each wake begins by waiting for memory. The list of a cycle's nodes is known in advance,
//! so that fetching one node can overlap the work on those before it.

/// Prefetches the first cache lines of `items[index]`. Does nothing for an index past the end, or on a processor
/// without such an instruction.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], index: usize) {
    prefetch_lines(items, index, 4);
}

/// The same for at most `most` lines.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch_lines<T>(items: &[T], index: usize, most: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start: *const i8 = std::ptr::from_ref(item).cast();
        let lines = size_of::<T>().div_ceil(64);
        for line in 0..lines.min(most) {
            // SAFETY: a prefetch reads nothing and can't fault, whatever the address; this one lies within
            // or at the end of `item`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index, most);
}
