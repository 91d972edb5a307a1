//! The values of a wave's signals, from its beginning to its end.

use super::hierarchy::Ids;
use super::record::Wave;
use std::io;

/// What writes values in a format.
pub(crate) trait Play {
    /// Why it can't.
    type Error: From<io::Error>;
    /// What the format calls a signal.
    type Id: Copy;

    /// From now on it is this time.
    fn time(&mut self, time: u64) -> Result<(), Self::Error>;

    /// A signal of so many bits has this value from now on, in digits as [`bits`] writes them.
    fn change(&mut self, id: Self::Id, width: u32, digits: &[u8]) -> Result<(), Self::Error>;
}

impl Wave {
    /// Gives what constants and signals have at the beginning.
    pub(crate) fn begin<P: Play>(
        &mut self,
        from: u64,
        ids: &Ids<P::Id>,
        to: &mut P,
    ) -> Result<(), P::Error> {
        let mut digits = Vec::new();
        for (id, value) in &ids.constants {
            bits(Some(*value), &mut digits);
            to.change(*id, 32, &digits)?;
        }
        let first = self.first(from)?;
        for ((signal, id), value) in self.signals.iter().zip(&ids.signals).zip(first) {
            if let Some(id) = id {
                bits(value, &mut digits);
                to.change(*id, signal.width(), &digits)?;
            }
        }
        Ok(())
    }

    /// Gives all further changes; returns the time of the last one.
    pub(crate) fn go_on<P: Play>(
        self,
        from: u64,
        ids: &Ids<P::Id>,
        to: &mut P,
    ) -> Result<u64, P::Error> {
        let mut digits = Vec::new();
        let mut now = from;
        for it in self.changes {
            let it = it?;
            if it.time > now {
                now = it.time;
                to.time(now)?;
            }
            let place = it.signal as usize;
            if let Some(id) = ids.signals[place] {
                bits(it.value, &mut digits);
                to.change(id, self.signals[place].width(), &digits)?;
            }
        }
        Ok(now)
    }
}

/// A value as bits, the greatest first, as short as it may be: `None` is no value at all.
fn bits(value: Option<u64>, to: &mut Vec<u8>) {
    to.clear();
    match value {
        None => to.push(b'z'),
        Some(value) => {
            let count = (64 - value.leading_zeros()).max(1);
            to.extend((0..count).rev().map(|bit| b'0' + (value >> bit & 1) as u8));
        }
    }
}
