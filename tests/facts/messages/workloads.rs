//! Mistakes in routers' tables and in traffic.

/// A router's table and lines of `[traffic]`, on a mesh of 4 x 4.
#[rustfmt::skip]
pub(crate) const WORKLOADS: &[(&str, &str)] = &[
    ("[router.deflection]\nepoch_cycles = 9", "load = 0.1"),
    ("[router.deflection]\nswitching = \"worm\"\npriority = \"greedy\"", "load = 0.1"),
    ("[router.deflection]\npreset = \"minbd\"\nswitching = \"worm\"", "load = 0.1"),
    ("[router.scheduled]", "process = \"batch\""),
    ("[router.scheduled]", "process = \"once\"\nk = 60000000"),
    ("[router.scheduled]", "process = \"once\"\n[run]\nengine = \"clocked\""),
    ("[router.chaos]", "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 9"),
    ("[router.wormhole]", "load = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nleast_words = 9\nmost_words = 8"),
    ("[router.wormhole]", "load = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 9\nmost_words = 8"),
    ("[router.wormhole]", "load = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 2\nmost_words = 8\nleast_words = 2"),
    ("[router.wormhole]", "load = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 2]\nweights = [0, 0]"),
    ("[router.wormhole]", "process = \"on-off\"\nload = 0.1"),
    ("[router.wormhole]", "process = \"on-off\"\nload = 0.1\n[traffic.on-off]\npeak_load = 9\nburst_cycles = 3"),
    ("[router.wormhole]", "process = \"on-off\"\nload = 0.4\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 2"),
    ("[router.wormhole]", "process = \"modulated\""),
    ("[router.wormhole]", "process = \"modulated\"\n[traffic.modulated]\ntransitions = [[1]]\n[[traffic.modulated.states]]\nload = 1\nmean_cycles = 1"),
    ("[router.wormhole]", "process = \"phases\""),
    ("[router.wormhole]", "process = \"phases\"\n[[traffic.phases]]\nload = 0.1\nfrom_cycle = 3"),
    ("[router.wormhole]", "process = \"phases\"\nrepeat_cycles = 3\n[[traffic.phases]]\nload = 0.1\n[[traffic.phases]]\nload = 0.1\nfrom_cycle = 5"),
    ("[router.wormhole]", "process = \"k-k\"\nk = 100000000"),
    ("[router.wormhole]", "process = \"h-h\"\nk = 2\npackets = 33"),
    ("[router.wormhole]", "process = \"k-k\"\npattern = \"uniform\""),
    ("[router.wormhole]", "process = \"batch\"\n[traffic.batch]\nreplies = false\noutstanding = 3"),
    ("[router.wormhole]", "process = \"trace\""),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\"\nnodes = 3"),
    ("[router.chaos]", "process = \"trace\"\n[traffic.trace]\nfile = \"x.tra\""),
    ("[router.scheduled]\nfile = \"a.csv\"", "process = \"once\""),
    ("[router.wormhole]", "process = \"schedule\""),
    ("[router.scheduled]\nschedule = \"file\"\nfile = \"../s.csv\"", "process = \"once\""),
    ("[router.scheduled]\nschedule = \"file\"\nfile = \"../s.csv\"", "process = \"schedule\"\n[traffic.lengths]\nlaw = \"uniform\"\nmost_words = 3"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nmap = \"given\"\nplaces = [1, 2]\nnodes = 4"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nmap = \"given\"\nplaces = [1, 2, 3, 99]\nnodes = 4"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nmap = \"given\"\nplaces = [1, 2, 3, 3]\nnodes = 4"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nmap = \"block\"\ncolumns = 5\nnodes = 4"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 40"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 3"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nformat = \"netrace\""),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\"\nfirst_region = 3\nlast_region = 2"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\"\nlast_region = 7"),
    ("[router.wormhole]", "process = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\"\nmap = \"block\"\ncolumns = 3"),
    ("[router.wormhole]\nrouting = \"fully-adaptive\"", "load = 0.1"),
    ("[router.wormhole]\nrouting = \"o1turn\"\nvcs = 1", "load = 0.1"),
    ("[router.wormhole]\nmisroutes = 3", "load = 0.1"),
    ("[router.wormhole]\nvc_iterations = 2\nvc_allocator = \"age\"", "load = 0.1"),
    ("[router.wormhole]\nswitch_iterations = 2\nswitch_allocator = \"wavefront\"", "load = 0.1"),
    ("[router.wormhole]\nspeculative = true\nvc_allocation_cycles = 0", "load = 0.1"),
    ("[router.wormhole]\nswitching = \"cut-through\"\nbuffer_words = 2", "load = 0.1"),
    ("[router.deflection]\nredirection_cycles = 3", "load = 0.1"),
    ("[router.deflection]\npreset = \"chipper\"\nepoch_cycles = 1", "load = 0.1"),
    ("[router.greedy-hp]", "load = 0.1\npacket_words = 2"),
    ("[router.chaos]\npacket_words = 3", "load = 0.1\npacket_words = 2"),
];

/// Lines of `[router.wormhole]` on a torus of 4 x 4.
#[rustfmt::skip]
pub(crate) const ON_A_TORUS: &[&str] = &[
    "vcs = 1\nrouting = \"dimension-order\"",
    "vcs = 2\nrouting = \"dimension-order\"",
    "vcs = 1\nrouting = \"minimal-adaptive\"",
    "vcs = 2\nrouting = \"negative-first\"",
    "vcs = 1\nrouting = \"north-last\"",
    "vcs = 1\nrouting = \"odd-even\"",
    "vcs = 2\nrouting = \"romm\"",
    "vcs = 1\nrouting = \"valiant\"",
    "vcs = 1\nrouting = \"west-first\"",
];

/// The same on a mesh of 2 x 3 x 2.
#[rustfmt::skip]
pub(crate) const IN_THREE_DIMENSIONS: &[&str] = &[
    "vcs = 1\nrouting = \"dimension-order\"",
    "vcs = 2\nrouting = \"dimension-order\"",
    "vcs = 2\nrouting = \"minimal-adaptive\"",
    "vcs = 1\nrouting = \"negative-first\"",
    "vcs = 2\nrouting = \"negative-first\"",
    "vcs = 2\nrouting = \"north-last\"",
    "vcs = 2\nrouting = \"o1turn\"",
    "vcs = 1\nrouting = \"odd-even\"",
    "vcs = 2\nrouting = \"romm\"",
    "vcs = 2\nrouting = \"valiant\"",
    "vcs = 2\nrouting = \"west-first\"",
    "vcs = 1\nrouting = \"chaotic\"",
    "vcs = 2\nrouting = \"chaotic\"",
    "vcs = 2\nrouting = \"fully-adaptive\"",
];

/// Schedules that can't be followed, or can't be read.
#[rustfmt::skip]
pub(crate) const SCHEDULES: &[&str] = &[
    "source,words,path\n",
    "source,words,start,path\n0,1,0\n",
    "source,words,start,path\n16,1,0,east\n",
    "source,words,start,path\n0,1,-1,east\n",
    "source,words,start,path\n0,1,0,up\n",
    "source,words,start,path\n# none\n0,1,0,east\n0,1,1,\n",
    "source,words,start,path\n0,1,0,west\n",
    "source,words,start,path\n1,4,0,east\n0,4,0,east east\n",
    "source,words,start,path\n",
    "source,words,start,path\n0,1,0,east\n0,1,0,east\n",
    "source,words,start,path\n0,99999,0,east\n",
    "source,words,start,path\n0,1,0,\"east\n",
];
