//! The memory that the host has.

use rlimit::Resource;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// Memory that this process may still take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free {
    /// Bytes.
    pub bytes: u64,
    /// What sets the limit.
    pub limit: &'static str,
    /// Whether reserved memory counts even if it is never touched.
    pub counts_reserved: bool,
}

/// The least of what the host has free, what the control group allows, and what the limit of the address space
/// leaves. `None` if the host does not report it.
pub fn free() -> Option<Free> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let touched = |bytes, limit| Free {
        bytes,
        limit,
        counts_reserved: false,
    };
    let host = Some(system.available_memory())
        .filter(|bytes| *bytes > 0)
        .map(|bytes| touched(bytes + system.free_swap(), "on the host"));
    let id = sysinfo::get_current_pid().ok();
    if let Some(id) = id {
        let what = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, what);
    }
    let process = id.and_then(|id| system.process(id));
    let group = process
        .and_then(|process| process.cgroup_limits())
        .or_else(|| system.cgroup_limits())
        .filter(|limits| limits.total_memory > 0)
        .map(|limits| {
            touched(
                limits.free_memory + limits.free_swap,
                "in its control group",
            )
        });
    let (most, _) = Resource::AS.get().unwrap_or((u64::MAX, u64::MAX));
    let address_space = (most < u64::MAX).then(|| Free {
        bytes: most.saturating_sub(process.map_or(0, |process| process.virtual_memory())),
        limit: "under ulimit -v",
        counts_reserved: true,
    });
    let limits = [host, group, address_space];
    limits.into_iter().flatten().min_by_key(|free| free.bytes)
}
