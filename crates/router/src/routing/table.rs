//! Routes by a table: for each node and destination the ports and virtual channels that a packet may take.
//!
//! ```text
//!   node,destination,ports,channels,rank
//!   cpu,dram,east,0 1,                      prefers channels 0 and 1 of the port east;
//!   cpu,dram,south|west,,fallback           if none of them is free, any channel of these two
//! ```
//!
//! Where a packet goes depends on nothing but its node and its destination, which is a node: packets to all terminals there go the same
//! way. A table may lead packets in circles, nowhere, or to wait for each other, so [`check`](super::check) decides about each before it
//! runs.

mod names;
mod read;
mod routes;

pub use routes::Routes;

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::{
    Astray, Freedom, FunctionParameters, Needs, RoutingEntry, RoutingError, RoutingParameters,
    astray,
};
use crate::reading::Reading;
use flitwork_schema::{
    Allowed, FileMistake, Key, MistakeKind, NamedFile, RawTable, Refusal, WrongValue, key,
};
use flitwork_topology::{MAX_GRAPH_NODES, Shape, Topology};
use std::sync::Arc;

pub(super) const ENTRY: RoutingEntry = RoutingEntry::of::<Table>();

/// The longest file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// The key of this routing function, and what its file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file's name, as configured.
    pub file: String,
    /// The routes.
    pub routes: Arc<Routes>,
}

impl Table {
    /// The routes of a text in CSV, which has the name of a file, on a network with so many virtual channels a link, 1 to 32.
    ///
    /// # Errors
    /// What the text says wrong, with its place.
    pub fn of_text(
        (file, text): (&str, &str),
        shape: &Shape,
        channels: u8,
    ) -> Result<Table, FileMistake> {
        Ok(Table {
            file: file.to_owned(),
            routes: Arc::new(read::routes(text, shape, channels)?),
        })
    }

    fn routing(&self, channels: u8) -> ByTable {
        ByTable {
            routes: self.routes.clone(),
            channels,
        }
    }
}

impl FunctionParameters for Table {
    const NAME: &'static str = "table";
    const HELP: &'static str = "by a table of nodes and destinations, from a file; check decides whether it is free of deadlock";
    const NEEDS: Needs = Needs::any(1, 1).or_graph(1);
    const FREEDOM: Freedom = Freedom::Checked;
    #[rustfmt::skip]
    const KEYS: &'static [Key<Table>] = &[
        key("file", |it| &mut it.file, Allowed::Text, "required", "the table in CSV, relative to the configuration file's directory: the columns node, destination and ports, and channels and rank if they are needed"),
    ];

    fn files(&mut self) -> Vec<&mut String> {
        vec![&mut self.file]
    }

    fn content(&self, take: &mut dyn FnMut(&[u8])) {
        self.routes.content(take);
    }

    fn read_files(
        &mut self,
        given: &RawTable<'_>,
        around: &Reading<'_>,
        channels: u8,
    ) -> Result<(), Refusal> {
        let shape = around.shape;
        if shape.nodes() > MAX_GRAPH_NODES {
            let found = format!("a table for a network of {} nodes", shape.nodes());
            let allowed = format!("networks of at most {MAX_GRAPH_NODES} nodes");
            return Err(given.conflict("file", allowed).found(found));
        }
        let path = around.files.path(&self.file);
        let mut file = NamedFile::new(given, "file", &path, MistakeKind::Routes);
        let text = around.files.text(&self.file, MAX_FILE_BYTES);
        file.text = text.map_err(|why| file.without_text(why))?;
        let routes = read::routes(&file.text, shape, channels);
        self.routes = Arc::new(routes.map_err(|mistake| file.wrong(mistake))?);
        if around.is_examined {
            return Ok(());
        }
        let faults = astray(&self.routing(channels), shape);
        match refused(&faults, &file.text, shape) {
            Some(mistake) => Err(file.wrong(mistake)),
            None => Ok(()),
        }
    }

    fn build(
        &self,
        parameters: &RoutingParameters,
        shape: &Shape,
    ) -> Result<Box<dyn Routing>, RoutingError> {
        let (nodes, channels) = (shape.nodes() as usize, parameters.channels);
        if !self.routes.fit(nodes, channels) {
            let found = format!("{:?}, a table for another network", self.file);
            let allowed = format!("a table for {nodes} nodes and {channels} virtual channels");
            return Err(WrongValue::new("file", found, allowed).into());
        }
        Ok(Box::new(self.routing(channels)))
    }
}

/// Why no run takes a table with these faults: the first of them.
fn refused(faults: &[Astray], text: &str, shape: &Shape) -> Option<FileMistake> {
    let first = faults.first()?;
    let at = first.circle.first();
    let mut found = first.lines().into_iter().next().unwrap_or_default();
    match faults.len() - 1 {
        0 => {}
        1 => found += "; packets to another destination go astray, too",
        others => found += &format!("; packets to {others} other destinations go astray, too"),
    }
    Some(FileMistake {
        at: at.and_then(|node| read::place_of(text, shape, (*node, first.destination))),
        found,
        allowed: "routes on which every packet arrives; flitwork check lists all that is wrong"
            .into(),
    })
}

struct ByTable {
    routes: Arc<Routes>,
    channels: u8,
}

impl Routing for ByTable {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        for way in self.routes.ways(head.here, head.destination) {
            match way.is_fallback {
                false => choices.prefer(way.port, way.channels),
                true => choices.fall_back(way.port, way.channels, false),
            }
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            is_table: true,
            ..Declaration::plain(self.channels)
        }
    }
}
