//! Two rules at once, of which one is first.

use flitwork_steps::{Beginning, Choice, Here, Offer, Offers, Rule, Seen, Store};
use flitwork_topology::Grid;
use flitwork_types::{NodeId, Port, PortSet};

/// The first rule chooses; the second gets the packets and the links that are left, and what it chooses over a link that is
/// taken stays. So it is with offers: the second gets those that the first doesn't accept, and the room that is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Together<A, B> {
    /// The rule that is first.
    pub(crate) first: A,
    /// The other.
    pub(crate) second: B,
}

type Pair<A, B> = (<A as Rule>::Packet, <B as Rule>::Packet);

/// A packet with the state that is one rule's.
fn with_state<'a, R: Rule, P>(
    seen: &Seen<'a, R::Sight, P>,
    state: &'a R::Packet,
) -> Seen<'a, R::Sight, R::Packet> {
    Seen {
        source: seen.source,
        productive: seen.productive,
        arrived: seen.arrived,
        through: seen.through,
        queue: seen.queue,
        state,
        to_go: seen.to_go,
        leg: seen.leg,
    }
}

/// A node with the packets, the links and the state that are one rule's.
fn part<'a, W, R>(
    here: &Here<'a, W>,
    links: PortSet,
    state: &'a R::Node,
    packets: &'a [Seen<'a, R::Sight, R::Packet>],
) -> Here<'a, R>
where
    W: Rule<Note = R::Note>,
    R: Rule,
{
    Here {
        node: here.node,
        links,
        grid: here.grid,
        step: here.step,
        began: here.began,
        store: here.store,
        state,
        packets,
        notes: here.notes,
    }
}

impl<A, B> Together<A, B>
where
    A: Rule,
    B: Rule<Sight = A::Sight, Note = A::Note>,
{
    /// What the second rule chooses, of what the first has left.
    fn choose_rest(&self, here: &Here<'_, Self>, choice: &mut Choice<A::Note>) {
        let mut links = here.links;
        let notes = choice.notes.iter().map(|it| it.0);
        let taken = choice.sent.iter().map(|it| it.0).chain(notes);
        taken.for_each(|port| links.remove(port));
        let places: Vec<usize> = (0..here.packets.len())
            .filter(|place| !choice.sends(*place))
            .collect();
        let left = places.iter().map(|place| &here.packets[*place]);
        let left: Vec<_> = left.map(|it| with_state::<B, _>(it, &it.state.1)).collect();
        let mut rest = Choice::default();
        let second = part::<_, B>(here, links, &here.state.1, &left);
        self.second.choose(&second, &mut rest);
        let sent = rest.sent.into_iter().filter(|it| links.contains(it.0));
        choice
            .sent
            .extend(sent.map(|(port, place)| (port, places[place])));
        let notes = rest.notes.into_iter().filter(|it| links.contains(it.0));
        choice.notes.extend(notes);
    }

    /// What the second rule accepts, of what the first has left.
    fn accept_rest(
        &self,
        here: &Here<'_, Self>,
        packets: &[Seen<'_, A::Sight, B::Packet>],
        offers: &Offers<'_, Self>,
        accepted: &mut Vec<usize>,
    ) {
        let places: Vec<usize> = (0..offers.len())
            .filter(|place| !accepted.contains(place))
            .collect();
        let offer = |place: &usize| {
            let offer = &offers[*place];
            let before = accepted.iter().map(|it| &offers[*it]);
            let taken = before.filter(|it| it.shares(here.store, offer)).count();
            Offer {
                through: offer.through,
                room: offer.room.saturating_sub(taken),
                queues: offer.queues,
                packet: with_state::<B, _>(&offer.packet, &offer.packet.state.1),
            }
        };
        let left: Vec<_> = places.iter().map(offer).collect();
        let mut rest = Vec::new();
        let second = part::<_, B>(here, here.links, &here.state.1, packets);
        self.second.accept(&second, &left, &mut rest);
        accepted.extend(rest.into_iter().map(|place| places[place]));
    }
}

impl<A, B> Rule for Together<A, B>
where
    A: Rule,
    B: Rule<Sight = A::Sight, Note = A::Note>,
{
    type Sight = A::Sight;
    type Node = (A::Node, B::Node);
    type Packet = Pair<A, B>;
    type Note = A::Note;
    const HAS_NOTES: bool = A::HAS_NOTES || B::HAS_NOTES;
    const WAITS_FOR_LINKS: bool = A::WAITS_FOR_LINKS || B::WAITS_FOR_LINKS;

    fn begin(&self, node: NodeId, productive: &[PortSet]) -> Self::Node {
        (
            self.first.begin(node, productive),
            self.second.begin(node, productive),
        )
    }

    fn begin_packet(&self, node: &Self::Node, packet: &Beginning<'_, A::Sight>) -> Self::Packet {
        (
            self.first.begin_packet(&node.0, packet),
            self.second.begin_packet(&node.1, packet),
        )
    }

    fn resume_packet(
        &self,
        node: &Self::Node,
        packet: &Beginning<'_, A::Sight>,
        before: &Self::Packet,
    ) -> Self::Packet {
        (
            self.first.resume_packet(&node.0, packet, &before.0),
            self.second.resume_packet(&node.1, packet, &before.1),
        )
    }

    fn begins_in(&self, store: Store, packet: &Beginning<'_, A::Sight>) -> Option<Port> {
        let first = self.first.begins_in(store, packet);
        first.or_else(|| self.second.begins_in(store, packet))
    }

    fn waits_for(
        &self,
        at: NodeId,
        source: NodeId,
        productive: PortSet,
        grid: Option<&Grid>,
    ) -> Option<Port> {
        match A::WAITS_FOR_LINKS {
            true => self.first.waits_for(at, source, productive, grid),
            false => self.second.waits_for(at, source, productive, grid),
        }
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice<A::Note>) {
        let packets = here.packets.iter();
        let packets: Vec<_> = packets
            .map(|it| with_state::<A, _>(it, &it.state.0))
            .collect();
        let first = part::<_, A>(here, here.links, &here.state.0, &packets);
        self.first.choose(&first, choice);
        self.choose_rest(here, choice);
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        let packets = here.packets.iter();
        let (firsts, seconds): (Vec<_>, Vec<_>) = packets
            .map(|it| {
                let first = with_state::<A, _>(it, &it.state.0);
                (first, with_state::<B, _>(it, &it.state.1))
            })
            .unzip();
        let first_offers = offers.iter().map(|it| Offer {
            through: it.through,
            room: it.room,
            queues: it.queues,
            packet: with_state::<A, _>(&it.packet, &it.packet.state.0),
        });
        let first_offers: Vec<_> = first_offers.collect();
        let first = part::<_, A>(here, here.links, &here.state.0, &firsts);
        self.first.accept(&first, &first_offers, accepted);
        self.accept_rest(here, &seconds, offers, accepted);
    }

    fn has_state(&self) -> bool {
        self.first.has_state() || self.second.has_state()
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut Self::Node, packets: &mut [Self::Packet]) {
        let (mut firsts, mut seconds): (Vec<_>, Vec<_>) = packets.iter().cloned().unzip();
        let seen = here.packets.iter();
        let seen: Vec<_> = seen.map(|it| with_state::<A, _>(it, &it.state.0)).collect();
        let first = part::<_, A>(here, here.links, &here.state.0, &seen);
        self.first.after(&first, &mut node.0, &mut firsts);
        let seen = here.packets.iter();
        let seen: Vec<_> = seen.map(|it| with_state::<B, _>(it, &it.state.1)).collect();
        let second = part::<_, B>(here, here.links, &here.state.1, &seen);
        self.second.after(&second, &mut node.1, &mut seconds);
        for (packet, pair) in packets.iter_mut().zip(firsts.into_iter().zip(seconds)) {
            *packet = pair;
        }
    }
}
