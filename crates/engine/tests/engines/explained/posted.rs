//! What a node shows is the same whether its words are handled one by one or its mail is posted, except for the places of
//! words in the middle of a worm.

use super::Setting;
use flitwork_engine::{Engine, MailEngine, Plain, can_post};
use flitwork_network::Network;
use flitwork_node::{
    Delays, Incoming, Lane, MailRouter, Place, Post, Probe, Router, Site, View, Wait,
};
use flitwork_router::wormhole::{Counting, Narrow};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Cycle, Due, NodeId, Packets, Port};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// A router that notes what its nodes show before each cycle.
struct Shown<R> {
    router: R,
    views: Mutex<HashMap<(NodeId, Cycle), View>>,
}

impl<R: MailRouter> Router for Shown<R> {
    type Node = R::Node;

    fn nodes(&self) -> Vec<Self::Node> {
        self.router.nodes()
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router.waits(node, state, packets, now)
    }

    fn packet_words(&self) -> Option<u16> {
        self.router.packet_words()
    }

    fn channels(&self) -> u8 {
        self.router.channels()
    }

    fn credit_words(&self) -> Option<u32> {
        self.router.credit_words()
    }
}

impl<R: MailRouter> MailRouter for Shown<R> {
    type Registers = R::Registers;
    type Lanes = R::Lanes;

    fn delays(&self) -> Delays {
        self.router.delays()
    }

    fn lane(&self, port: Port, channel: u8) -> Lane {
        self.router.lane(port, channel)
    }

    fn local(&self) -> Port {
        self.router.local()
    }

    fn is_empty(&self, registers: &R::Registers) -> bool {
        self.router.is_empty(registers)
    }

    fn has_all_credits(&self, registers: &R::Registers) -> bool {
        self.router.has_all_credits(registers)
    }

    fn stage_cycles(&self) -> u32 {
        self.router.stage_cycles()
    }

    fn next_post(&self, registers: &R::Registers, now: Cycle) -> Due {
        self.router.next_post(registers, now)
    }

    fn look_at(
        &self,
        node: NodeId,
        registers: &R::Registers,
        packets: &Packets,
        now: Cycle,
    ) -> View {
        self.router.look_at(node, registers, packets, now)
    }

    fn post<P: Probe>(
        &self,
        registers: &mut R::Registers,
        now: Cycle,
        incoming: Incoming<R::Lanes>,
        post: &mut impl Post,
        site: &mut Site<'_, P>,
    ) -> bool {
        let view = self.look_at(site.node, registers, site.packets, now);
        let view = without_middles(view, site.packets);
        let twice = self.views.lock().unwrap().insert((site.node, now), view);
        assert_eq!(twice, None, "two cycles in one");
        self.router.post(registers, now, incoming, post, site)
    }
}

/// The same without the places of words between a head that has left and a tail that hasn't come.
fn without_middles(mut view: View, packets: &Packets) -> View {
    for buffer in &mut view.buffers {
        for part in &mut buffer.held {
            let mut all = packets.all();
            let packet = all.find(|packet| packet.id == part.packet).unwrap();
            let is_lane = matches!(buffer.place, Place::InputChannel(..));
            let is_whole = part.first + part.words == packet.words;
            if is_lane && part.first > 0 && !is_whole {
                part.first = 1;
            }
        }
    }
    view
}

/// Nodes that are posted to show what they show when each is stepped in every cycle. Returns how often both were looked at.
fn agree<R: MailRouter + Send + 'static>(setting: &Setting, router: impl Fn() -> R) -> usize {
    let network = || {
        let shown = Shown {
            router: router(),
            views: Mutex::default(),
        };
        Arc::new(Network::new(setting.shape.clone(), shown, setting.latency))
    };
    let (stepped, posted) = (network(), network());
    if !can_post(&posted) {
        return 0;
    }
    let go_on = &mut |_| ControlFlow::Continue(());
    Plain::new(stepped.clone(), setting.demand(), (), 1).run(go_on);
    MailEngine::new(posted.clone(), setting.demand(), ()).run(go_on);
    let views = |network: Arc<Network<Shape, Shown<R>>>| {
        let network = Arc::into_inner(network).unwrap();
        network.router.views.into_inner().unwrap()
    };
    let (stepped, posted) = (views(stepped), views(posted));
    let mut compared = 0;
    for (at, view) in &posted {
        // The plain engine stops once nothing is left.
        if let Some(expected) = stepped.get(at) {
            assert_eq!(view, expected, "{at:?} of {setting:?}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn nodes_that_are_posted_to_show_the_same() {
    let mut compared = 0;
    for number in 3000..3200 {
        let setting = Setting::drawn(number);
        let ports = setting.shape.ports() + 1;
        if Narrow::fits((ports, 1), &setting.parameters) {
            compared += agree(&setting, || setting.router::<Narrow>());
        } else if Counting::fits((ports, 1), &setting.parameters) {
            compared += agree(&setting, || setting.router::<Counting>());
        }
    }
    assert!(compared > 50_000, "{compared} views");
}
