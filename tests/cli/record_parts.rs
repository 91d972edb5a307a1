//! A record, taken apart and reassembled, so that something can be changed in it.

use crate::harness::Folder;
use crate::live::live;
use flitwork_trace::record::{
    Arrivals, Chunk, Decoder, Encoder, Header, Item, Mark, Reader, Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId};
use std::collections::BTreeMap;
use std::fs;

/// A folder with the record of a live run, `run.flog`.
pub(crate) fn recorded() -> Folder {
    let folder = Folder::new();
    folder.fine(&live("threads", "16", &["--force", "--record", "run.flog"]));
    folder
}

pub(crate) fn bytes(folder: &Folder) -> Vec<u8> {
    fs::read(folder.path("run.flog")).unwrap()
}

/// A record, taken apart.
pub(crate) struct Parts {
    pub(crate) header: Header,
    pub(crate) blocks: Vec<Vec<Chunk>>,
    /// The mark after each block, if there is one.
    pub(crate) marks: Vec<Option<Mark>>,
    pub(crate) trailer: Trailer,
}

impl Parts {
    pub(crate) fn of(bytes: &[u8]) -> Parts {
        let (mut reader, header) = Reader::open(bytes).unwrap();
        let (mut blocks, mut marks) = (Vec::new(), Vec::new());
        loop {
            match reader.next_block().unwrap() {
                Item::Chunks(chunks) => {
                    blocks.push(chunks);
                    marks.push(None);
                }
                Item::Mark(mark) => {
                    // A mark may follow another one, without a block in between.
                    match marks.last_mut() {
                        Some(last @ None) => *last = Some(mark),
                        _ => {
                            blocks.push(Vec::new());
                            marks.push(Some(mark));
                        }
                    }
                }
                Item::Trailer(trailer) => {
                    return Parts {
                        header,
                        blocks,
                        marks,
                        trailer,
                    };
                }
                Item::End { cut } => panic!("{cut:?}"),
            }
        }
    }

    /// The reassembled record, with correct checksums whatever was changed.
    pub(crate) fn write(&self, folder: &Folder, name: &str) {
        let mut writer = Writer::new(Vec::new(), &self.header).unwrap();
        for (chunks, mark) in self.blocks.iter().zip(&self.marks) {
            for chunk in chunks {
                writer.add(chunk.clone()).unwrap();
            }
            writer.flush_block().unwrap();
            if let Some(mark) = mark {
                writer.mark(mark).unwrap();
            }
        }
        folder.write(name, writer.finish(&self.trailer).unwrap());
    }

    /// What arrived at a node.
    pub(crate) fn arrivals(&self, node: NodeId) -> BTreeMap<u32, Arrivals> {
        let (ports, locals) = (self.header.ports.into(), self.header.locals.into());
        let decoder = Decoder::new(node, self.header.packet_words, ports);
        let mut decoder = decoder.with_locals(locals);
        for chunk in self.blocks.iter().flatten() {
            if chunk.node == node {
                decoder.push(chunk.clone()).unwrap();
            }
        }
        let mut all = BTreeMap::new();
        while decoder.next() < decoder.upto() {
            let now = decoder.next();
            all.insert(now.get(), decoder.take(now).unwrap());
        }
        all
    }

    /// Encodes a node's chunks anew from its arrivals; digests, check bytes and heads stay the same.
    pub(crate) fn encode(&mut self, node: NodeId, arrivals: &BTreeMap<u32, Arrivals>) {
        let (ports, locals) = (self.header.ports.into(), self.header.locals.into());
        let mut encoder = Encoder::new(self.header.packet_words, ports).with_locals(locals);
        for chunk in self.blocks.iter_mut().flatten() {
            if chunk.node != node {
                continue;
            }
            for (now, arrivals) in arrivals.range(chunk.from.get()..chunk.upto.get()) {
                encoder.cycle(Cycle(*now), arrivals);
            }
            chunk.checks.iter().for_each(|check| encoder.check(*check));
            let heads = std::mem::take(&mut chunk.heads);
            *chunk = encoder
                .take_chunk(node, chunk.upto, chunk.digest_low)
                .expect("a chunk of as many cycles");
            chunk.heads = heads;
        }
    }
}
