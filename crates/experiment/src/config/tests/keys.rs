//! The table of keys, the structs that read them, and the defaults that are really taken.

use super::right;
use crate::config::Catalogue;
use crate::config::schema::Line;
use crate::config::written::*;
use flitwork_schema::Allowed;
use flitwork_traffic::PATTERNS;
use serde::de::{Deserialize, Deserializer, Visitor, value::Error};

/// Asks a type which fields or variants it has, and gives it nothing.
struct Ask<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("asked"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(variants);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

fn names<'de, T: Deserialize<'de>>() -> Vec<&'static str> {
    let mut names = Vec::new();
    assert!(T::deserialize(Ask(&mut names)).is_err());
    names
}

#[test]
fn the_table_has_the_fields_of_the_structs() {
    let catalogue = Catalogue::default();
    let names_in = |table| catalogue.schema().names_in(table);
    let top =
        |name: &&str| !["network", "router", "run", "clocks", "live", "energy"].contains(name);
    let names_at_top: Vec<_> = names_in("").into_iter().filter(top).collect();
    assert_eq!(names::<Written>(), names_at_top);
    assert_eq!(names::<WrittenTraffic>(), names_in("traffic"));
    assert_eq!(names::<WrittenLengths>(), names_in("traffic.lengths"));
    assert_eq!(names::<WrittenOnOff>(), names_in("traffic.on-off"));
    assert_eq!(names::<WrittenModulated>(), names_in("traffic.modulated"));
    let states = "traffic.modulated.states";
    assert_eq!(names::<WrittenState>(), names_in(states));
    assert_eq!(names::<WrittenPhaseOfTraffic>(), names_in("traffic.phases"));
    assert_eq!(names::<WrittenBatch>(), names_in("traffic.batch"));
    assert_eq!(names::<WrittenTrace>(), names_in("traffic.trace"));
    let is_table = |entry: &&Line| matches!(entry.allowed, Allowed::Table | Allowed::Tables);
    assert_eq!(
        catalogue.schema().lines.iter().filter(is_table).count(),
        15 + 6,
        "a table that isn't compared here"
    );
}

#[test]
fn the_table_has_the_variants_of_the_enums() {
    let catalogue = Catalogue::default();
    let choices = |key: &str| catalogue.schema().find(key).unwrap().allowed.choices();
    assert_eq!(names::<WrittenProcess>(), choices("traffic.process"));
    assert_eq!(names::<WrittenLaw>(), choices("traffic.lengths.law"));
    assert_eq!(names::<WrittenFormat>(), choices("traffic.trace.format"));
    assert_eq!(names::<WrittenMap>(), choices("traffic.trace.map"));
    let chooses =
        |entry: &&Line| matches!(entry.allowed, Allowed::Choice(_) | Allowed::WholeOr(..));
    assert_eq!(
        catalogue.schema().lines.iter().filter(chooses).count(),
        17 + 6,
        "a choice that isn't compared here"
    );
}

#[test]
fn a_default_that_is_written_changes_nothing() {
    let mut written = 0;
    for entry in Catalogue::default().describe_keys() {
        let Some((table, name)) = entry.key.rsplit_once('.') else {
            continue;
        };
        if toml::from_str::<toml::Table>(&format!("x = {}", entry.default)).is_err() {
            continue;
        }
        let closed = ["run.deadline_cycles", "traffic.k"].contains(&entry.key.as_str());
        let traffic = if closed {
            "process = \"once\""
        } else {
            "load = 0.5"
        };
        let text = |key: &str| {
            let tables = [
                "network",
                "router.chaos",
                "traffic",
                "run",
                "clocks",
                "clocks.islands",
                "live",
                "energy",
            ];
            let tables = tables.map(|other| {
                let own = match other {
                    "network" => "topology = \"mesh\"\nsides = [4, 4]",
                    "traffic" => traffic,
                    "clocks.islands" => "nodes = [3]\nperiod_ps = 2000",
                    _ => "",
                };
                format!(
                    "{}\n{own}\n{}\n",
                    Catalogue::default().schema().header(other),
                    if other == table { key } else { "" }
                )
            });
            tables.concat()
        };
        let explicit = text(&format!("{name} = {}", entry.default));
        assert_eq!(right(&explicit), right(&text("")), "{}", entry.key);
        written += 1;
    }
    assert!(written >= 30, "only {written} defaults are TOML");
}

#[test]
fn every_key_says_what_it_means() {
    for entry in Catalogue::default().describe_keys() {
        assert!(
            !entry.allowed.is_empty() && !entry.default.is_empty(),
            "{entry:?}"
        );
        assert!(
            !entry.meaning.is_empty() && !entry.meaning.ends_with('.'),
            "{entry:?}"
        );
    }
}

#[test]
fn every_pattern_reads_only_known_keys() {
    let catalogue = Catalogue::default();
    let known = catalogue.schema().names_in("traffic");
    for parameter in PATTERNS.iter().flat_map(|entry| entry.reads) {
        assert!(
            known.contains(parameter) || *parameter == "permutation",
            "{parameter}"
        );
    }
}
