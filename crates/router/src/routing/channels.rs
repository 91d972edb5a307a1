//! Virtual channels, divided into classes.

use super::contract::MAX_CHANNELS;
use arrayvec::ArrayVec;

/// The most classes that a routing function has: one for each channel.
const MAX_CLASSES: usize = MAX_CHANNELS as usize;

/// The first `channels` virtual channels, one bit each.
pub(super) const fn all(channels: u8) -> u32 {
    u32::MAX >> (MAX_CHANNELS - channels)
}

/// The virtual channels of a link, split into contiguous, near-equal classes; class 0 is the lowest.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    masks: ArrayVec<u32, MAX_CLASSES>,
    of: [u8; MAX_CHANNELS as usize],
}

impl Classes {
    /// Divides `channels` virtual channels into `classes`; there are at least as many channels.
    pub(super) fn split(channels: u8, classes: u8) -> Classes {
        let bound = |class: u8| (u16::from(class) * u16::from(channels) / u16::from(classes)) as u8;
        let mut split = Classes {
            masks: ArrayVec::new(),
            of: [0; MAX_CHANNELS as usize],
        };
        for class in 0..classes {
            let range = bound(class)..bound(class + 1);
            split
                .masks
                .push(range.clone().map(|channel| 1 << channel).sum());
            for channel in range {
                split.of[usize::from(channel)] = class;
            }
        }
        split
    }

    /// The channels of a class, one bit each.
    #[inline]
    pub(super) fn mask(&self, class: u8) -> u32 {
        self.masks[usize::from(class)]
    }

    /// The class of a channel.
    #[inline]
    pub(super) fn of(&self, channel: u8) -> u8 {
        self.of[usize::from(channel)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_contiguous_near_equal_and_all_there_is() {
        for channels in 1..=MAX_CHANNELS {
            assert_eq!(all(channels).count_ones(), u32::from(channels));
            for classes in 1..=(MAX_CLASSES as u8).min(channels) {
                let split = Classes::split(channels, classes);
                let mut next = 0;
                for class in 0..classes {
                    let mask = split.mask(class);
                    let size = mask.count_ones();
                    let share = u32::from(channels / classes);
                    assert!(size == share || size == share + 1, "{channels} / {classes}");
                    assert_eq!(mask.trailing_zeros(), next);
                    next += size;
                    assert_eq!(32 - mask.leading_zeros(), next, "contiguous");
                    let own = (0..channels).filter(|channel| mask >> channel & 1 == 1);
                    assert!(own.into_iter().all(|channel| split.of(channel) == class));
                }
                assert_eq!(next, u32::from(channels));
            }
        }
    }
}
