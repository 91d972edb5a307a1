//! The order in which packets arrive: by node, and in a node by port.

use crate::meddler::Scheduled;

/// Which links carry a packet, by their far ends.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// A bit a link: none between steps.
    are_used: Vec<u64>,
    /// By link, if it is used: the packet's place among those that are scheduled.
    by_link: Vec<u32>,
    /// The packets' places in the order of their arrival.
    order: Vec<u32>,
}

impl Arrivals {
    /// For so many links.
    pub(super) fn over(links: usize) -> Arrivals {
        Arrivals {
            are_used: vec![0; links.div_ceil(64)],
            by_link: vec![0; links],
            order: Vec::new(),
        }
    }

    /// The places of what is scheduled in the order in which it arrives, in a network of nodes with so many ports at most. Give them
    /// back.
    pub(super) fn order(&mut self, scheduled: &[Scheduled], ports: usize) -> Vec<u32> {
        let mut order = std::mem::take(&mut self.order);
        let link = |it: &Scheduled| ports * it.to.index() + it.through.index();
        order.clear();
        // A sort of few takes less than a look at every link.
        if scheduled.len() < self.are_used.len() / 32 {
            order.extend(0..scheduled.len() as u32);
            order.sort_unstable_by_key(|place| link(&scheduled[*place as usize]));
            return order;
        }
        for (place, link) in scheduled.iter().map(link).enumerate() {
            self.are_used[link / 64] |= 1 << (link % 64);
            self.by_link[link] = place as u32;
        }
        for (word, bits) in self.are_used.iter_mut().enumerate() {
            let mut left = std::mem::take(bits);
            while left != 0 {
                order.push(self.by_link[64 * word + left.trailing_zeros() as usize]);
                left &= left - 1;
            }
        }
        order
    }

    /// The list is used again.
    pub(super) fn take_back(&mut self, order: Vec<u32>) {
        self.order = order;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PacketId;
    use flitwork_types::{NodeId, Port};

    /// One packet over each of these links.
    fn over(links: &[usize], ports: usize) -> Vec<Scheduled> {
        let one = |(packet, link): (usize, &usize)| Scheduled {
            packet: PacketId(packet as u32),
            from: NodeId(0),
            port: Port(0),
            to: NodeId((link / ports) as u32),
            through: Port((link % ports) as u8),
        };
        links.iter().enumerate().map(one).collect()
    }

    #[test]
    fn few_and_many_arrive_by_their_links() {
        let links = 64 * 97 + 3;
        let mut arrivals = Arrivals::over(links);
        for count in [0, 1, 2, 3, 4, 64, 1000, links] {
            // 6211 is a prime: no link twice.
            let list: Vec<usize> = (0..count).map(|it| (it * 4099 + 17) % links).collect();
            let order = arrivals.order(&over(&list, 7), 7);
            let by_link: Vec<usize> = order.iter().map(|it| list[*it as usize]).collect();
            assert_eq!(by_link.len(), count);
            assert!(by_link.is_sorted(), "{count}");
            arrivals.take_back(order);
        }
    }
}
