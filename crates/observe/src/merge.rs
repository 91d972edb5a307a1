//! Several observers of one run, added up.

use crate::Observer;

impl Observer {
    /// Adds what another observer saw of the same run: other nodes, or other cycles.
    pub fn merge(&mut self, other: Observer) {
        let (sums, more) = (&mut self.observation, other.observation);
        sums.created += more.created;
        sums.injected += more.injected;
        sums.delivered += more.delivered;
        for (lost, more) in sums.lost.iter_mut().zip(more.lost) {
            *lost += more;
        }
        sums.last_injection = sums.last_injection.max(more.last_injection);
        sums.last_delivery = sums.last_delivery.max(more.last_delivery);
        sums.last_head = sums.last_head.max(more.last_head);
        sums.network_latency.merge(&more.network_latency);
        let network = &mut sums.network_latency_by_creation;
        network.merge(&more.network_latency_by_creation);
        sums.latency_by_delivery.merge(&more.latency_by_delivery);
        sums.words_created.merge(&more.words_created);
        sums.words_delivered.merge(&more.words_delivered);
        sums.hops += more.hops;
        sums.deroutes += more.deroutes;
        sums.hops_in_window += more.hops_in_window;
        sums.deroutes_in_window += more.deroutes_in_window;
        sums.all_deroutes += more.all_deroutes;
        sums.all_hops += more.all_hops;
        add(&mut sums.backlog, &more.backlog);
        add(&mut sums.node_deliveries, &more.node_deliveries);
        add(&mut sums.link_words, &more.link_words);
        greatest(&mut sums.queue_max, &more.queue_max);
        greatest(&mut sums.buffer_max, &more.buffer_max);
        sums.throughput.merge(&more.throughput);
        sums.activity.merge(&more.activity);
        self.held.merge(&other.held);
        self.queued.merge(&other.queued);
        self.buffered.merge(&other.buffered);
        self.latencies.merge(other.latencies);
        self.waits.merge(&other.waits);
        if let (Some(watch), Some(more)) = (&mut self.stopwatch, other.stopwatch) {
            watch.merge(*more);
        }
        if let (Some(counter), Some(more)) = (&mut self.clocking, other.clocking) {
            counter.merge(&more);
        }
    }
}

pub(crate) fn add<N: Copy + std::ops::AddAssign>(sums: &mut [N], more: &[N]) {
    sums.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += *more);
}

pub(crate) fn greatest(most: &mut [u32], more: &[u32]) {
    let pairs = most.iter_mut().zip(more);
    pairs.for_each(|(most, other)| *most = (*most).max(*other));
}
