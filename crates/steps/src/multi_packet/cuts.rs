//! What crosses the middle of a mesh in each phase (section 6.1).

use super::journey::Witness;
use super::setting::Setting;
use crate::machine::Move;
use crate::meddler::PacketState;

/// The packets that have crossed the middle of the rows of a strip, in one direction, in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPhase {
    /// Which phase, from 0.
    pub phase: usize,
    /// Which strip, from 0: of `links` rows, and so many links in each direction.
    pub strip: u32,
    /// The rows of the strip.
    pub links: u32,
    /// Whether towards greater coordinates.
    pub grows: bool,
    /// How many packets.
    pub packets: u64,
}

/// Counts packets that cross the middle of rows, between n/2 - 1 and n/2, by strips of rows.
#[derive(Clone, Debug)]
pub struct Cuts<'a> {
    setting: &'a Setting,
    strip: u32,
    /// By strip and direction, in the phase that is under way.
    now: Vec<u64>,
    ended: Vec<CutPhase>,
}

impl<'a> Cuts<'a> {
    /// By strips of so many rows, for two dimensions or more.
    pub fn new(setting: &'a Setting, strip: u32) -> Cuts<'a> {
        let strip = strip.clamp(1, setting.n);
        let strips = setting.n.div_ceil(strip) as usize;
        Cuts {
            setting,
            strip,
            now: vec![0; 2 * strips],
            ended: Vec::new(),
        }
    }

    /// All strips of all phases that have ended.
    pub fn ended(&self) -> &[CutPhase] {
        &self.ended
    }
}

impl Witness for Cuts<'_> {
    fn stepped(&mut self, moves: &[Move]) {
        let setting = self.setting;
        for it in moves {
            let (axis, grows) = setting.direction(it.port);
            let before = setting.n / 2 - u32::from(grows);
            if axis == 0 && setting.coordinate(it.from, 0) == before {
                let strip = setting.coordinate(it.from, 1) / self.strip;
                self.now[2 * strip as usize + usize::from(grows)] += 1;
            }
        }
    }

    fn phase_ends(&mut self, phase: usize, _: &[PacketState]) {
        let (n, strip) = (self.setting.n, self.strip);
        let counts = self.now.iter_mut().enumerate();
        self.ended.extend(counts.map(|(place, packets)| {
            let number = place as u32 / 2;
            CutPhase {
                phase,
                strip: number,
                links: strip.min(n - number * strip),
                grows: place % 2 == 1,
                packets: std::mem::take(packets),
            }
        }));
    }
}
