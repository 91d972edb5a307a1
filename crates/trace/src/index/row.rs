//! Packets, a row each, and a block's columns of them.

use crate::record::varint;
use flitwork_types::{Cycle, Loss, PacketId, TerminalId};

/// What is known of a packet at the end of a run; what isn't known or hasn't happened is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketRow {
    /// The terminal that made it.
    pub source: TerminalId,
    /// Its number among its source's packets; none if it never entered the network.
    pub serial: Option<u32>,
    /// Where it goes.
    pub destination: Option<TerminalId>,
    /// Its class.
    pub class: Option<u8>,
    /// Its words.
    pub words: u16,
    /// What its trace calls it.
    pub trace_id: Option<u64>,
    /// The cycle in which it was made.
    pub created: Cycle,
    /// The cycle in which its head entered the injection frame.
    pub injected: Option<Cycle>,
    /// The cycle in which its last word was delivered, by the network's nominal clock.
    pub delivered: Option<Cycle>,
    /// Cycles from its creation to its delivery, by the counts of the nodes on its way.
    pub latency: Option<u64>,
    /// The cycle in which it was lost, and why.
    pub lost: Option<(Cycle, Loss)>,
    /// Links that it crossed.
    pub hops: Option<u16>,
    /// Those of them through an unproductive port.
    pub deroutes: Option<u16>,
    /// When it was made, in ps since the start of the run, where nodes have clocks of their own.
    pub created_ps: Option<u64>,
    /// When its head entered the injection frame.
    pub injected_ps: Option<u64>,
    /// When its last word was delivered.
    pub delivered_ps: Option<u64>,
}

impl PacketRow {
    /// Forgets a delivery or a loss that isn't before a cycle.
    pub fn end_before(&mut self, end: Cycle) {
        self.lost = self.lost.filter(|(lost, _)| *lost < end);
        if self.delivered.is_some_and(|delivered| delivered >= end) {
            self.delivered = None;
            self.latency = None;
            self.hops = None;
            self.deroutes = None;
            self.delivered_ps = None;
        }
    }

    /// Picoseconds from its creation to its delivery.
    pub fn latency_ps(&self) -> Option<u64> {
        self.delivered_ps?.checked_sub(self.created_ps?)
    }

    /// Which packet it is, if it entered the network.
    pub fn packet(&self) -> Option<PacketId> {
        let serial = self.serial?;
        Some(PacketId {
            source: self.source,
            serial,
        })
    }
}

const ENTERED: u64 = 1;
const DELIVERED: u64 = 2;
const HAS_ID: u64 = 4;
/// Its times in ps are known, and follow its cycles in their columns.
const HAS_TIMES: u64 = 8;

/// It was lost.
const LOST: u64 = 16;

/// How many columns a block has.
const COLUMNS: usize = 13;

/// A block of rows, column by column.
#[derive(Clone, Debug, Default)]
pub(super) struct RowBlock {
    rows: usize,
    columns: [Vec<u8>; COLUMNS],
}

impl RowBlock {
    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The block's raw part; it is empty afterwards.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let bytes: usize = self.columns.iter().map(|it| it.len() + 4).sum();
        let mut raw = Vec::with_capacity(bytes);
        varint::put(&mut raw, self.rows as u64);
        for column in &mut self.columns {
            varint::put(&mut raw, column.len() as u64);
            raw.append(column);
        }
        self.rows = 0;
        raw
    }
}

/// What encoder and decoder remember from one row to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Coder {
    source: u32,
    words: u32,
    created: u32,
    id: u64,
    /// The serial number that each source's next row is expected to have, by source; 0 further on.
    serials: Vec<u32>,
}

impl Coder {
    /// The serial number that a source's next row is expected to have.
    #[inline]
    fn expected(&mut self, source: u32) -> &mut u32 {
        let source = source as usize;
        if source >= self.serials.len() {
            self.serials.resize(source + 1, 0);
        }
        &mut self.serials[source]
    }

    /// Adds a row to a block.
    #[inline]
    pub(super) fn put(&mut self, row: &PacketRow, block: &mut RowBlock) {
        let RowBlock { rows, columns } = block;
        *rows += 1;
        let entered = row.serial.zip(row.destination).zip(row.injected);
        let delivered = row.delivered.zip(row.latency).filter(|_| entered.is_some());
        let lost = row.lost.filter(|_| entered.is_some());
        let times = row.created_ps.filter(|_| {
            (entered.is_none() || row.injected_ps.is_some())
                && (delivered.is_none() || row.delivered_ps.is_some())
        });
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let flags = flag(entered.is_some(), ENTERED)
            | flag(delivered.is_some(), DELIVERED)
            | flag(row.trace_id.is_some(), HAS_ID)
            | flag(times.is_some(), HAS_TIMES)
            | flag(lost.is_some(), LOST);
        varint::put(&mut columns[0], flags);
        varint::put_difference(&mut columns[1], self.source, row.source.0);
        varint::put_difference(&mut columns[5], self.words, row.words.into());
        varint::put_difference(&mut columns[6], self.created, row.created.0);
        self.source = row.source.0;
        self.words = row.words.into();
        self.created = row.created.0;
        if let Some(((serial, destination), injected)) = entered {
            let expected = self.expected(row.source.0);
            varint::put_difference(&mut columns[2], *expected, serial);
            *expected = serial.wrapping_add(1);
            varint::put(&mut columns[3], destination.0.into());
            varint::put(&mut columns[4], row.class.unwrap_or(0).into());
            varint::put_difference(&mut columns[7], row.created.0, injected.0);
        }
        if let Some((cycle, latency)) = delivered {
            varint::put(&mut columns[8], latency);
            let expected = row.created.later(latency).0;
            varint::put_difference(&mut columns[9], expected, cycle.0);
            varint::put(&mut columns[10], row.hops.unwrap_or(0).into());
            varint::put(&mut columns[11], row.deroutes.unwrap_or(0).into());
        }
        if let Some((cycle, loss)) = lost {
            varint::put_difference(&mut columns[9], row.created.0, cycle.0);
            varint::put(&mut columns[10], loss as u64);
        }
        if let Some(created_ps) = times {
            varint::put(&mut columns[6], created_ps);
            let mut put = |column: usize, at_ps: Option<u64>| {
                let since_ps = at_ps.unwrap_or(0).wrapping_sub(created_ps);
                varint::put(&mut columns[column], since_ps);
            };
            if entered.is_some() {
                put(7, row.injected_ps);
            }
            if delivered.is_some() {
                put(9, row.delivered_ps);
            }
        }
        if let Some(id) = row.trace_id {
            let difference = id.wrapping_sub(self.id) as i64;
            varint::put(&mut columns[12], varint::zigzag(difference));
            self.id = id;
        }
    }

    /// The rows of a block's raw part; `None` if it makes no sense for a network of `nodes` nodes,
    /// which has no more terminals.
    pub(super) fn decode(&mut self, mut raw: &[u8], nodes: u32) -> Option<Vec<PacketRow>> {
        let count = varint::get(&mut raw)?;
        // Each row has a byte in each of four columns.
        if count > raw.len() as u64 {
            return None;
        }
        let mut columns = [[].as_slice(); COLUMNS];
        for column in &mut columns {
            let length = varint::get_as(&mut raw)?;
            (*column, raw) = raw.split_at_checked(length)?;
        }
        let mut rows = Vec::with_capacity(count as usize);
        for _ in 0..count {
            rows.push(self.get(&mut columns, nodes)?);
        }
        let is_read = raw.is_empty() && columns.iter().all(|column| column.is_empty());
        is_read.then_some(rows)
    }

    fn get(&mut self, columns: &mut [&[u8]; COLUMNS], nodes: u32) -> Option<PacketRow> {
        let flags = varint::get(&mut columns[0]).filter(|flags| *flags < 32)?;
        let is_set = |flag| flags & flag != 0;
        self.source =
            varint::get_difference(&mut columns[1], self.source).filter(|it| *it < nodes)?;
        self.words = varint::get_difference(&mut columns[5], self.words)?;
        self.created = varint::get_difference(&mut columns[6], self.created)?;
        let mut row = PacketRow {
            source: TerminalId(self.source),
            words: u16::try_from(self.words).ok()?,
            created: Cycle(self.created),
            ..PacketRow::default()
        };
        if is_set(ENTERED) {
            let expected = self.expected(self.source);
            let serial = varint::get_difference(&mut columns[2], *expected)?;
            *expected = serial.wrapping_add(1);
            row.serial = Some(serial);
            let destination = varint::get_as(&mut columns[3]).filter(|it| *it < nodes)?;
            row.destination = Some(TerminalId(destination));
            row.class = Some(varint::get_as(&mut columns[4])?);
            row.injected = Some(Cycle(varint::get_difference(
                &mut columns[7],
                self.created,
            )?));
        }
        if is_set(DELIVERED) {
            let latency = varint::get(&mut columns[8])?;
            let expected = Cycle(self.created).later(latency).0;
            row.latency = Some(latency);
            row.delivered = Some(Cycle(varint::get_difference(&mut columns[9], expected)?));
            row.hops = Some(varint::get_as(&mut columns[10])?);
            row.deroutes = Some(varint::get_as(&mut columns[11])?);
            is_set(ENTERED).then_some(())?;
        }
        if is_set(LOST) {
            let lost = Cycle(varint::get_difference(&mut columns[9], self.created)?);
            let loss: usize = varint::get_as(&mut columns[10])?;
            row.lost = Some((lost, *Loss::ALL.get(loss)?));
            (is_set(ENTERED) && !is_set(DELIVERED)).then_some(())?;
        }
        if is_set(HAS_TIMES) {
            let created_ps = varint::get(&mut columns[6])?;
            row.created_ps = Some(created_ps);
            if is_set(ENTERED) {
                row.injected_ps = Some(varint::get(&mut columns[7])?.wrapping_add(created_ps));
            }
            if is_set(DELIVERED) {
                row.delivered_ps = Some(varint::get(&mut columns[9])?.wrapping_add(created_ps));
            }
        }
        if is_set(HAS_ID) {
            let difference = varint::unzigzag(varint::get(&mut columns[12])?);
            self.id = self.id.wrapping_add(difference as u64);
            row.trace_id = Some(self.id);
        }
        Some(row)
    }
}
