//! A trace whose packets are all given one length.

use super::{Field, TraceError, TracePacket, TracePlace, TraceReader};

/// A reader that replaces the lengths of packets.
struct OneLength {
    reader: Box<dyn TraceReader>,
    words: u16,
}

/// The same trace with packets of `words` words, for routers that support only one length.
///
/// # Panics
/// If `words` is 0.
pub fn of_one_length(reader: impl Into<Box<dyn TraceReader>>, words: u16) -> Box<dyn TraceReader> {
    assert!(words > 0, "a packet has at least 1 word");
    let reader = reader.into();
    Box::new(OneLength { reader, words })
}

impl TraceReader for OneLength {
    fn nodes(&self) -> u32 {
        self.reader.nodes()
    }

    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        let packet = self.reader.packet()?;
        Ok(packet.map(|packet| TracePacket {
            words: self.words,
            ..packet
        }))
    }

    fn place(&self, field: Field) -> TracePlace {
        self.reader.place(field)
    }

    fn start_cycle(&self) -> u64 {
        self.reader.start_cycle()
    }

    fn ends_by(&self) -> Option<u64> {
        self.reader.ends_by()
    }

    fn is_whole(&self) -> bool {
        self.reader.is_whole()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CsvReader;

    #[test]
    fn only_lengths_change() {
        let text = "cycle,src,dst,words,id,after\n3,0,1,2,10,\n5,1,0,9,11,10\n";
        let read = |mut reader: Box<dyn TraceReader>| {
            let mut packets = Vec::new();
            while let Some(packet) = reader.packet().unwrap() {
                packets.push(packet);
            }
            packets
        };
        let reader = || CsvReader::new(text.as_bytes(), 2).unwrap();
        let mut own = read(Box::new(reader()));
        let changed = read(of_one_length(reader(), 4));
        assert_eq!(
            own.iter().map(|packet| packet.words).collect::<Vec<_>>(),
            [2, 9]
        );
        own.iter_mut().for_each(|packet| packet.words = 4);
        assert_eq!(own, changed);
    }

    /// A trace without packets whose properties all differ from the defaults.
    struct Unusual;

    impl TraceReader for Unusual {
        fn nodes(&self) -> u32 {
            17
        }

        fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
            Ok(None)
        }

        fn place(&self, field: Field) -> TracePlace {
            TracePlace::Byte(match field {
                Field::Cycle => 23,
                _ => 29,
            })
        }

        fn start_cycle(&self) -> u64 {
            31
        }

        fn ends_by(&self) -> Option<u64> {
            Some(37)
        }

        fn is_whole(&self) -> bool {
            false
        }
    }

    #[test]
    fn other_properties_of_the_trace_are_passed_on() {
        let reader = of_one_length(Unusual, 4);
        assert_eq!(reader.nodes(), 17);
        assert_eq!(reader.place(Field::Cycle), TracePlace::Byte(23));
        assert_eq!(reader.place(Field::Source), TracePlace::Byte(29));
        assert_eq!((reader.start_cycle(), reader.ends_by()), (31, Some(37)));
        assert!(!reader.is_whole());
        let whole = CsvReader::new(&b"cycle,src,dst,words,id,after\n"[..], 2).unwrap();
        assert!(of_one_length(whole, 4).is_whole());
    }
}
