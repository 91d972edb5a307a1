//! Injection registers of routers that hold what enters until a link is left for it.

use flitwork_types::Port;

/// One for each local port of a node. Where several could enter, they take turns.
#[derive(Clone, Debug)]
pub(crate) struct Registers<I> {
    /// That of the first local port.
    first: Option<I>,
    /// Those of all others, if there are any.
    more: Option<Box<More<I>>>,
}

/// The registers of the local ports after the first.
#[derive(Clone, Debug)]
struct More<I> {
    others: Box<[Option<I>]>,
    /// The local port, from 0, whose turn it is to go first.
    turn: usize,
}

impl<I: Clone> Registers<I> {
    /// Empty ones of a node with this many local ports.
    pub(crate) fn new(locals: usize) -> Registers<I> {
        let more = || More {
            others: vec![None; locals - 1].into(),
            turn: 0,
        };
        Registers {
            first: None,
            more: (locals > 1).then(|| Box::new(more())),
        }
    }

    /// That of the local port of a number, from 0.
    #[inline]
    pub(crate) fn at(&mut self, local: usize) -> &mut Option<I> {
        match (local, &mut self.more) {
            (0, _) => &mut self.first,
            (_, Some(more)) => &mut more.others[local - 1],
            (_, None) => panic!("local port {local} of a node with one"),
        }
    }

    /// What the local port of a number holds.
    #[inline]
    pub(crate) fn get(&self, local: usize) -> Option<&I> {
        match (local, &self.more) {
            (0, _) => self.first.as_ref(),
            (_, Some(more)) => more.others[local - 1].as_ref(),
            (_, None) => None,
        }
    }

    /// Whether none holds anything.
    #[inline]
    pub(crate) fn are_empty(&self) -> bool {
        self.first.is_none() && self.more.as_ref().is_none_or(|more| more.are_empty())
    }

    /// Whether any holds something of this kind.
    #[inline]
    pub(crate) fn any(&self, mut is: impl FnMut(&I) -> bool) -> bool {
        self.first.as_ref().is_some_and(&mut is)
            || (self.more.as_ref()).is_some_and(|more| more.others.iter().flatten().any(is))
    }

    /// What they hold, with the local ports' numbers.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &I)> {
        let others = self.more.iter().flat_map(|more| &more.others);
        let all = std::iter::once(&self.first).chain(others);
        all.enumerate()
            .filter_map(|(local, held)| Some((local, held.as_ref()?)))
    }

    /// The numbers of the local ports, that whose turn it is first.
    #[inline]
    pub(crate) fn in_turn(&self) -> impl Iterator<Item = usize> + use<I> {
        let (count, turn) = match &self.more {
            None => (1, 0),
            Some(more) => (more.others.len() + 1, more.turn),
        };
        (turn..count).chain(0..turn)
    }

    /// Something has entered from a local port: the one after it goes first the next time.
    #[inline]
    pub(crate) fn entered(&mut self, local: usize) {
        if let Some(more) = &mut self.more {
            more.turn = (local + 1) % (more.others.len() + 1);
        }
    }

    /// Bytes outside of their own size.
    pub(crate) fn heap_bytes(&self) -> usize {
        let more = self.more.iter();
        more.map(|more| size_of::<More<I>>() + size_of_val(&*more.others))
            .sum()
    }
}

impl<I> More<I> {
    fn are_empty(&self) -> bool {
        self.others.iter().all(Option::is_none)
    }
}

/// The local port of a number, from 0, of a node with so many ports for links; and the number of a port.
#[inline]
pub(crate) fn local_port(links: usize, local: usize) -> Port {
    Port((links + local) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three local ports: after one has entered the next goes first, and after the last the first.
    #[test]
    fn local_ports_take_turns() {
        let mut registers = Registers::new(3);
        let turns = |registers: &Registers<u8>| registers.in_turn().collect::<Vec<_>>();
        assert!(registers.are_empty());
        assert_eq!(turns(&registers), [0, 1, 2]);
        *registers.at(2) = Some(7);
        assert!(!registers.are_empty());
        assert_eq!(registers.iter().collect::<Vec<_>>(), [(2, &7)]);
        assert_eq!((registers.get(0), registers.get(2)), (None, Some(&7)));
        registers.entered(0);
        assert_eq!(turns(&registers), [1, 2, 0]);
        registers.entered(2);
        assert_eq!(turns(&registers), [0, 1, 2]);
        let mut only = Registers::new(1);
        *only.at(0) = Some(1);
        only.entered(0);
        assert_eq!((turns(&only), only.heap_bytes()), (vec![0], 0));
        assert_eq!((only.are_empty(), only.get(1)), (false, None));
    }
}
