//! The checker of chapter 3's lemmas: it sees moves and where phases begin.

use flitwork_steps::linear::{Action, Axis, Kind, Phase};
use flitwork_steps::{Machine, Part, Rule, Watcher};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::collections::{BTreeMap, BTreeSet};

/// What a packet has done.
#[derive(Clone)]
struct Packet {
    kind: Option<Kind>,
    at: NodeId,
    to: NodeId,
    is_active: bool,
    /// The number of the last subphase in which it was active.
    last_active: Option<usize>,
    /// The step of the part in which it last moved.
    moved: Option<u32>,
}

pub(super) struct Checker<'a> {
    n: u32,
    parts: &'a [Part<Phase>],
    packets: Vec<Packet>,
    /// By node: all packets, and the active ones.
    held: Vec<u32>,
    active: Vec<u32>,
    part: usize,
    /// The steps of all parts before, and of this one.
    begun: u32,
    /// The subphases of a kind so far.
    subphase: usize,
    /// By node: the active packets as a balancing begins.
    balanced: Vec<u32>,
    /// By row: the active packets as a balancing begins, which stay in it.
    rows: BTreeMap<i64, Vec<usize>>,
    /// By column of a strip: what the last packet that entered the next strip had to go across.
    entered: BTreeMap<(u32, u32), u32>,
}

/// Where a node is: along a phase's lines and across, seen in its directions.
fn place(n: u32, phase: &Phase, node: NodeId) -> (i64, i64) {
    let [x, y, last] = [node.0 % n, node.0 / n, n - 1].map(i64::from);
    let (north, east) = match phase.kind {
        Kind::NorthEast => (last - y, x),
        Kind::SouthEast => (x, y),
        Kind::SouthWest => (y, last - x),
        Kind::NorthWest => (last - x, last - y),
    };
    match phase.axis {
        Axis::Vertical => (north, east),
        Axis::Horizontal => (east, north),
    }
}

/// The kind of a packet: from where to where it goes.
fn kind(n: u32, from: NodeId, to: NodeId) -> Option<Kind> {
    let of = |it: NodeId| [it.0 % n, it.0 / n].map(i64::from);
    let ([x, y], [to_x, to_y]) = (of(from), of(to));
    let (x, y) = (to_x - x, to_y - y);
    match (x, y) {
        (0.., ..=-1) => Some(Kind::NorthEast),
        (1.., 0..) => Some(Kind::SouthEast),
        (..=0, 1..) => Some(Kind::SouthWest),
        (..=-1, ..=0) => Some(Kind::NorthWest),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        n: u32,
        parts: &'a [Part<Phase>],
        problem: &[(NodeId, NodeId)],
    ) -> Checker<'a> {
        let mut held = vec![0; (n * n) as usize];
        let packets = problem.iter().map(|(from, to)| {
            held[from.index()] += u32::from(from != to);
            Packet {
                kind: kind(n, *from, *to),
                at: *from,
                to: *to,
                is_active: false,
                last_active: None,
                moved: None,
            }
        });
        Checker {
            n,
            parts,
            packets: packets.collect(),
            active: vec![0; held.len()],
            balanced: vec![0; held.len()],
            held,
            part: 0,
            begun: 0,
            subphase: 0,
            rows: BTreeMap::new(),
            entered: BTreeMap::new(),
        }
    }

    fn phase(&self) -> &'a Phase {
        &self.parts[self.part].rule
    }

    fn d(&self) -> i64 {
        i64::from(self.phase().tile / 27)
    }

    fn q(&self) -> u32 {
        if self.phase().tile == self.n {
            408
        } else {
            102
        }
    }

    fn place(&self, node: NodeId) -> (i64, i64) {
        place(self.n, self.phase(), node)
    }

    /// The tile of a coordinate, and the strip in it.
    fn strip(&self, at: i64) -> (i64, i64) {
        let [tile, shift] = [self.phase().tile, self.phase().shift].map(i64::from);
        let from = at - shift;
        (from.div_euclid(tile), from.rem_euclid(tile) / self.d() + 1)
    }

    /// Rows and columns to go: along and across.
    fn to_go(&self, packet: &Packet) -> (i64, i64) {
        let ((from, from_across), (to, to_across)) = (self.place(packet.at), self.place(packet.to));
        (to - from, to_across - from_across)
    }

    fn strips_to_go(&self, packet: &Packet) -> i64 {
        self.strip(self.place(packet.to).0).1 - self.strip(self.place(packet.at).0).1
    }

    /// A phase begins: who is active in it.
    fn begins_phase(&mut self) {
        if self.phase().tile == self.n && self.phase().axis == Axis::Vertical {
            self.subphase = 0;
            self.packets.iter_mut().for_each(|it| it.last_active = None);
        }
        self.subphase += 1;
        self.active.fill(0);
        for number in 0..self.packets.len() {
            let packet = &self.packets[number];
            let ((at, at_across), (to, to_across)) = (self.place(packet.at), self.place(packet.to));
            let is_in_tile = self.strip(at).0 == self.strip(to).0
                && self.strip(at_across).0 == self.strip(to_across).0;
            let is_active = packet.kind == Some(self.phase().kind)
                && is_in_tile
                && self.strips_to_go(packet) >= 3;
            let (subphase, node) = (self.subphase, packet.at.index());
            let packet = &mut self.packets[number];
            packet.is_active = is_active;
            if is_active {
                self.active[node] += 1;
                // Corollary 3.11.
                let still = packet.last_active.map(|it| subphase - it - 1);
                assert!(
                    still.is_none_or(|it| it <= 7),
                    "{still:?} subphases without a move"
                );
                packet.last_active = Some(subphase);
            }
        }
        assert!(self.active.iter().all(|it| *it <= 17));
    }

    fn of_kind(&self) -> impl Iterator<Item = &Packet> {
        let kind = Some(self.phase().kind);
        self.packets.iter().filter(move |it| it.kind == kind)
    }

    fn active(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().filter(|it| it.is_active)
    }

    /// A part ends.
    fn ends_part(&mut self) {
        let phase = *self.phase();
        let most = *self.active.iter().max().unwrap();
        match phase.action {
            Action::March => {
                assert!(
                    self.active().all(|it| self.strips_to_go(it) == 3),
                    "Lemma 3.14"
                );
                assert!(most <= self.q(), "Lemma 3.6");
                self.is_packed();
            }
            Action::SmoothEven => assert!(most <= 2 * self.q(), "Lemma 3.7"),
            Action::SmoothOdd => {
                assert!(
                    self.active().all(|it| self.strips_to_go(it) == 2),
                    "Lemma 3.15"
                );
                assert!(most <= self.q(), "Lemma 3.7");
                self.is_layered();
                self.rows.clear();
                for (number, packet) in self.packets.iter().enumerate() {
                    if packet.is_active {
                        let row = self.place(packet.at).0;
                        self.rows.entry(row).or_default().push(number);
                    }
                }
                self.condition_c(self.rows.values());
                self.balanced.clone_from(&self.active);
            }
            Action::Balance => {
                assert!(most <= 2, "Lemmas 3.9 and 3.16");
                self.ends_phase();
            }
            Action::End => {
                assert!(self.of_kind().all(|it| it.at == it.to), "Lemma 3.17");
            }
        }
    }

    /// A node in a strip isn't skipped for one before it unless it has as many as it takes.
    fn is_packed(&self) {
        for packet in self.active() {
            let (at, _) = self.place(packet.at);
            if self.strip(at + 1) == self.strip(at) {
                let next = self.neighbour(packet.at);
                assert!(self.active[next.index()] >= self.q(), "a March ends early");
            }
        }
    }

    /// The next node along the phase's lines.
    fn neighbour(&self, node: NodeId) -> NodeId {
        let (kind, n) = (self.phase().kind, self.n);
        let port = match self.phase().axis {
            Axis::Vertical => kind.north(),
            Axis::Horizontal => kind.east(),
        };
        NodeId(match port.0 {
            0 => node.0 - n,
            1 => node.0 + 1,
            2 => node.0 + n,
            _ => node.0 - 1,
        })
    }

    /// In a column of a strip packets lie in layers, in decreasing order of what they have to go across (Figure 3.2).
    fn is_layered(&self) {
        // By column of a strip, and by line: what its packets have to go across.
        let mut columns: BTreeMap<_, BTreeMap<i64, Vec<i64>>> = BTreeMap::new();
        for packet in self.active() {
            let (at, across) = self.place(packet.at);
            let (tile, strip) = self.strip(at);
            let column = columns.entry((tile, strip, across)).or_default();
            column.entry(at).or_default().push(self.to_go(packet).1);
        }
        for column in columns.values_mut() {
            let lines = self.d() as usize;
            let most = column.values().map(Vec::len).max().unwrap();
            let is_full =
                |layer| column.len() == lines && column.values().all(|it| it.len() > layer);
            assert!((0..most - 1).all(is_full), "layers aren't even");
            // The farthest to go are in the first layer, and of a layer in its last line.
            let farthest_first = |it: &mut Vec<i64>| it.sort_unstable_by_key(|it| -it);
            column.values_mut().for_each(farthest_first);
            for (one, next) in column.values().zip(column.values().skip(1)) {
                assert!(
                    one.iter().zip(next).all(|(one, next)| next >= one),
                    "a layer's order"
                );
                assert!(
                    one.iter().zip(&next[1..]).all(|(one, next)| one >= next),
                    "layers' order"
                );
            }
        }
    }

    /// Condition C(r, c) of some rows: of the packets in the first s nodes before and in column c, at most 2s go no farther than
    /// c (Lemmas 3.1 and 3.2). Of the columns from one to which a packet goes up to the next, the first has the least nodes.
    fn condition_c<'b>(&self, rows: impl Iterator<Item = &'b Vec<usize>>) {
        for row in rows {
            let packets = row.iter().map(|it| &self.packets[*it]);
            let places = packets.map(|it| (self.place(it.at).1, self.place(it.to).1));
            let mut places: Vec<(i64, i64)> = places.collect();
            places.sort_unstable_by_key(|it| std::cmp::Reverse(*it));
            let columns: BTreeSet<i64> = places.iter().map(|it| it.1).collect();
            for column in columns {
                let tile = self.strip(column).0;
                let mut count = 0;
                for (from, to) in places.iter().filter(|it| it.0 <= column) {
                    count += i64::from(*to <= column);
                    let fits = count <= 2 * (column - from + 1);
                    assert!(fits || self.strip(*from).0 != tile, "Condition C");
                }
            }
        }
    }

    fn ends_phase(&mut self) {
        let phase = *self.phase();
        let d = self.d();
        let is_within = |it: &Packet| (d + 1..3 * d).contains(&self.to_go(it).0);
        assert!(self.active().all(is_within), "Lemma 3.3");
        assert!(self.held.iter().all(|it| *it <= 17), "Corollary 3.12");
        let is_last_tiling = phase.tile == self.n || phase.shift == phase.tile / 3 * 2;
        if !is_last_tiling {
            return;
        }
        assert!(
            self.of_kind().all(|it| self.to_go(it).0 < 3 * d),
            "Lemma 3.3"
        );
        if phase.tile == self.n {
            return;
        }
        // Lemma 3.10: who was active in this axis in the iteration before, but not since.
        let before = if phase.tile * 3 == self.n { 1 } else { 3 };
        let since = match phase.axis {
            Axis::Vertical => self.subphase - 3 - before,
            Axis::Horizontal => self.subphase - 6,
        };
        let is_still = |it: &&Packet| {
            let last = it.last_active.unwrap_or(0);
            (since - before + 1..=since).contains(&last)
        };
        assert_eq!(self.of_kind().filter(is_still).count(), 0, "Lemma 3.10");
    }

    fn moves(&mut self, number: usize, from: NodeId, to: NodeId, port: Port, step: u32) {
        let phase = *self.phase();
        let packet = &self.packets[number];
        assert_eq!(packet.at, from);
        assert_eq!(
            packet.kind,
            Some(phase.kind),
            "a packet of another kind moves"
        );
        let before = self.to_go(packet);
        let (at_strip, tile) = (
            self.strip(self.place(from).0),
            self.strip(self.place(from).1).0,
        );
        let column = (from.0, port.0.into());
        let packet = &mut self.packets[number];
        packet.at = to;
        let is_active = packet.is_active;
        let at_destination = packet.at == packet.to;
        let packet = self.packets[number].clone();
        let after = self.to_go(&packet);
        let along = before.0 - after.0 == 1 && before.1 == after.1;
        let across = before.1 - after.1 == 1 && before.0 == after.0;
        assert!(along || across, "Theorem 3.5");
        assert!(after.0 >= 0 && after.1 >= 0, "Theorem 3.5");
        assert!(
            step <= phase.most_steps(),
            "Lemmas 3.14 to 3.17: step {step}"
        );
        self.held[from.index()] -= 1;
        self.held[to.index()] += u32::from(!at_destination);
        self.packets[number].moved = Some(step);
        if phase.action == Action::End {
            return;
        }
        assert!(is_active, "an inactive packet moves");
        assert_eq!(along, phase.action != Action::Balance);
        self.active[from.index()] -= 1;
        self.active[to.index()] += 1;
        let is_even = self.strip(self.place(packet.to).0).1 % 2 == 0;
        match phase.action {
            Action::March => {
                assert!(self.strips_to_go(&packet) >= 3, "beyond its strip");
                assert!(
                    packet.moved.is_none_or(|it| it + 1 == step),
                    "Lemma 3.14: interrupted"
                );
            }
            Action::SmoothEven | Action::SmoothOdd => {
                assert_eq!(is_even, phase.action == Action::SmoothEven);
                assert!(self.strips_to_go(&packet) >= 2, "beyond its strip");
                if self.strip(self.place(to).0) != at_strip {
                    let last = self.entered.insert(column, after.1 as u32);
                    assert!(
                        last.is_none_or(|it| i64::from(it) >= after.1),
                        "not in decreasing order"
                    );
                }
            }
            Action::Balance => assert_eq!(tile, self.strip(self.place(to).1).0, "out of its tile"),
            Action::End => {}
        }
    }

    fn check_queues(&self, nodes: &[NodeId]) {
        let phase = self.phase();
        for node in nodes {
            let node = node.index();
            assert!(self.held[node] <= 834, "Lemma 3.13");
            let most = match phase.action {
                Action::March => self.q() + 1,
                Action::SmoothEven | Action::SmoothOdd => 2 * self.q() + 1,
                Action::Balance => self.balanced[node].max(3),
                Action::End => continue,
            };
            assert!(self.active[node] <= most, "Lemmas 3.6 to 3.8");
        }
        if phase.action == Action::Balance {
            let rows: BTreeSet<i64> = nodes.iter().map(|it| self.place(*it).0).collect();
            self.condition_c(rows.iter().filter_map(|it| self.rows.get(it)));
        }
    }

    /// The program has ended.
    pub(super) fn ends(&mut self) {
        self.ends_part();
        assert_eq!(self.part, self.parts.len() - 1);
        assert!(self.packets.iter().all(|it| it.at == it.to));
    }
}

impl Watcher for Checker<'_> {
    fn begins<T: Topology, R: Rule>(&mut self, part: usize, machine: &Machine<'_, T, R>) {
        if part > 0 {
            self.ends_part();
        }
        self.part = part;
        self.begun = machine.steps();
        self.entered.clear();
        self.packets.iter_mut().for_each(|it| it.moved = None);
        if self.phase().action == Action::March {
            self.begins_phase();
        }
    }

    fn stepped<T: Topology, R: Rule>(&mut self, machine: &Machine<'_, T, R>) {
        let step = machine.steps() - self.begun;
        let mut nodes = Vec::new();
        for it in machine.moves() {
            let (x, y) = (it.from.0 % self.n, it.from.0 / self.n);
            let to = match it.port.0 {
                0 => (x, y - 1),
                1 => (x + 1, y),
                2 => (x, y + 1),
                _ => (x - 1, y),
            };
            let to = NodeId(to.1 * self.n + to.0);
            self.moves(it.packet.index(), it.from, to, it.port, step);
            nodes.push(to);
        }
        self.check_queues(&nodes);
    }
}
