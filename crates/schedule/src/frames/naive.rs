//! The naive schedule.

use super::Scheduled;
use super::paths::Paths;

/// The naive schedule, of at most c d steps: first all packets cross the first links of their paths, those of the same link one
/// after the other, then the second, and so on. Each of the d parts takes as many steps as the most packets that cross a link in
/// it, which are c at most.
pub fn naive(paths: &Paths) -> Scheduled {
    let mut steps: Vec<Vec<u32>> = (0..paths.packets()).map(|_| Vec::new()).collect();
    let mut begin = 0;
    // The next step in which a link is free.
    let mut free = vec![0; paths.users().len()];
    for hop in 0..paths.dilation() as usize {
        let mut end = begin;
        for (packet, steps) in steps.iter_mut().enumerate() {
            if let Some(crossing) = paths.crossings(packet).get(hop) {
                let free = &mut free[crossing.link.index()];
                let step = begin.max(*free);
                steps.push(step);
                *free = step + 1;
                end = end.max(step + 1);
            }
        }
        begin = end;
    }
    let plans = steps.into_iter().enumerate();
    let plans = plans.map(|(packet, steps)| paths.plan(packet, steps));
    Scheduled::new(paths, plans.collect(), 0)
}
