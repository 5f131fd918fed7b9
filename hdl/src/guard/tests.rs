//! Every shape that is known to go wrong must be found, and what is right must pass: a guard that
//! cannot fail is worth nothing.

use super::*;

/// A block around a few statements, with operands of the widths at which the shapes go wrong. The
/// whole function is passed in because `#[hdl_gen]` writes a second one that uses the same `self`.
macro_rules! shape {
    ($name:ident { $($update:tt)* }) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            pub a: Signal<In, Bits<4>>,
            pub b: Signal<In, Bits<4>>,
            pub c: Signal<In, Bits<4>>,
            pub flag: Signal<In, bool>,
            pub yes: Signal<Out, bool>,
            pub low: Signal<Out, Bits<4>>,
            pub byte_out: Signal<Out, Bits<8>>,
            narrow: Signal<Local, Bits<4>>,
        }
        impl Logic for $name {
            $($update)*
        }
    };
}

fn rules<B: Block>(block: B) -> Vec<Rule> {
    lint(&block).into_iter().map(|f| f.rule).collect()
}

mod seven {
    use super::*;

    shape!(AndBeforeEqual { #[hdl_gen] fn update(&mut self) { self.yes.next = self.a.val() & self.b.val() == self.c.val(); } });
    shape!(AddInCompare { #[hdl_gen] fn update(&mut self) { self.yes.next = self.a.val() + 1 == self.b.val(); } });
    shape!(AddInShift { #[hdl_gen] fn update(&mut self) { self.low.next = (self.a.val() + 1) >> 1; } });
    shape!(AddInCast { #[hdl_gen] fn update(&mut self) { self.byte_out.next = bit_cast::<8, 4>(self.a.val() + self.b.val()); } });
    shape!(NotInCompare { #[hdl_gen] fn update(&mut self) { self.yes.next = !self.a.val() == 15; } });
    shape!(ShiftInCast { #[hdl_gen] fn update(&mut self) { self.byte_out.next = bit_cast::<8, 4>(self.a.val() << 2); } });
    shape!(SubInCompare { #[hdl_gen] fn update(&mut self) { self.yes.next = self.a.val() - self.b.val() > 8; } });

    #[test]
    fn each_silent_difference_is_found() {
        assert_eq!(rules(AndBeforeEqual::default()), [Rule::Precedence]);
        assert_eq!(rules(AddInCompare::default()), [Rule::WideCompare]);
        assert_eq!(rules(AddInShift::default()), [Rule::WideShift]);
        assert_eq!(rules(AddInCast::default()), [Rule::WideCast]);
        assert_eq!(rules(NotInCompare::default()), [Rule::WideCompare]);
        assert_eq!(rules(ShiftInCast::default()), [Rule::WideCast]);
        assert_eq!(rules(SubInCompare::default()), [Rule::WideCompare]);
    }
}

mod relatives {
    use super::*;

    shape!(NotAddedAsBool { #[hdl_gen] fn update(&mut self) { self.low.next = self.a.val() + !self.flag.val(); } });
    shape!(NotPutIntoBit { #[hdl_gen] fn update(&mut self) { self.low.next = self.a.val().replace_bit(1, !self.flag.val()); } });
    shape!(SumReduced { #[hdl_gen] fn update(&mut self) { self.yes.next = (self.a.val() + 1).any(); } });
    shape!(SumAsDistance { #[hdl_gen] fn update(&mut self) { self.low.next = self.a.val() << (self.b.val() + 1); } });
    shape!(SumAsIndex { #[hdl_gen] fn update(&mut self) { self.yes.next = self.a.val().get_bit((self.b.val() + 1).index()); } });
    shape!(BitOfSum { #[hdl_gen] fn update(&mut self) { self.yes.next = (self.a.val() + 1).get_bit(2); } });
    shape!(RightNested { #[hdl_gen] fn update(&mut self) { self.yes.next = self.flag.val() ^ (self.a.val() | self.b.val() < self.c.val()); } });

    #[test]
    fn relatives_of_the_seven_are_found() {
        assert_eq!(rules(NotAddedAsBool::default()), [Rule::WideOperand]);
        assert_eq!(rules(NotPutIntoBit::default()), [Rule::WideOperand]);
        assert_eq!(rules(SumReduced::default()), [Rule::WideOperand]);
        assert_eq!(rules(SumAsDistance::default()), [Rule::WideShift]);
        assert_eq!(rules(SumAsIndex::default()), [Rule::WideOperand]);
        assert_eq!(rules(BitOfSum::default()), [Rule::SelectOfExpression]);
        assert_eq!(rules(RightNested::default()), [Rule::Precedence]);
    }
}

mod fine {
    use super::*;

    shape!(Arithmetic {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = self.a.val() + 1;
            self.yes.next = self.narrow.val() == self.b.val();
            self.low.next = (self.a.val() - self.b.val()) ^ !self.c.val();
            self.byte_out.next = bit_cast::<8, 4>(self.a.val() | self.b.val());
        }
    });
    shape!(Logic1 {
        #[hdl_gen]
        fn update(&mut self) {
            self.yes.next = !self.flag.val() && (self.a.val() == 3) && (self.b.val().any() || !self.c.val().all());
            if !self.flag.val() & (self.a.val() < self.b.val()) {
                self.low.next = self.a.val() >> 1;
            } else if (self.a.val() & self.b.val()) == self.c.val() {
                self.low.next = bit_cast::<4, 4>(self.a.val() + self.b.val()) >> 1;
            }
        }
    });
    shape!(Bitwise {
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..3 {
                if self.a.val().get_bit(i + 1) {
                    self.low.next = self.a.val() & self.b.val() & !self.c.val();
                }
            }
        }
    });

    #[test]
    fn what_both_languages_read_alike_passes() {
        assert_eq!(lint_top(&Arithmetic::default()), []);
        assert_eq!(lint_top(&Logic1::default()), []);
        assert_eq!(lint_top(&Bitwise::default()), []);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Busy,
}

#[derive(LogicBlock)]
struct Machine {
    pub clock: Signal<In, Clock>,
    pub go: Signal<In, bool>,
    pub busy: Signal<Out, bool>,
    state_ff: DFF<Phase>,
    lanes: [DFF<Bits<4>>; 3],
    step: Constant<Bits<4>>,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            clock: Default::default(),
            go: Default::default(),
            busy: Default::default(),
            state_ff: Default::default(),
            lanes: std::array::from_fn(|_| Default::default()),
            step: Constant::new(3.into()),
        }
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state_ff);
        for i in 0..3 {
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].d.next = self.lanes[i].q.val() + self.step.val();
        }
        self.busy.next = self.go.val() && (self.state_ff.q.val() == Phase::Busy);
        match self.state_ff.q.val() {
            Phase::Idle => {
                self.state_ff.d.next = Phase::Busy;
            }
            Phase::Busy => {
                self.state_ff.d.next = Phase::Idle;
            }
            _ => {}
        }
    }
}

/// What a configuration has or has not.
#[derive(LogicBlock)]
struct Optional<const K: usize> {
    pub clock: Signal<In, Clock>,
    pub on: Signal<Out, bool>,
    parts: [DFF<bool>; K],
}

impl<const K: usize> Default for Optional<K> {
    fn default() -> Self {
        Optional {
            clock: Default::default(),
            on: Default::default(),
            parts: std::array::from_fn(|_| Default::default()),
        }
    }
}

impl<const K: usize> Logic for Optional<K> {
    #[hdl_gen]
    fn update(&mut self) {
        self.on.next = false;
        for i in 0..K {
            self.parts[i].clock.next = self.clock.val();
            self.parts[i].d.next = !self.parts[i].q.val();
            self.on.next = self.parts[i].q.val();
        }
    }
}

#[test]
fn an_array_may_have_no_elements() {
    assert_eq!(lint_top(&Optional::<0>::default()), []);
    assert_eq!(lint_top(&Optional::<1>::default()), []);
}

#[derive(LogicBlock, Default)]
struct UnknownGeneric<const N: usize> {
    pub a: Signal<In, Bits<8>>,
    pub yes: Signal<Out, bool>,
}

impl<const N: usize> Logic for UnknownGeneric<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.yes.next = self.a.val().get_bit(N);
    }
}

#[test]
fn enums_arrays_and_constants_are_known_names() {
    assert_eq!(lint_top(&Machine::default()), []);
    let found = lint(&UnknownGeneric::<3>::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].rule, found[0].subject.as_str()),
        (Rule::UnknownName, "N")
    );
}

#[derive(LogicBlock, Default)]
struct BadNames {
    pub clock: Signal<In, Clock>,
    pub event: Signal<In, bool>,
    pub priority: Signal<Out, bool>,
    table: DFF<bool>,
}

impl Logic for BadNames {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, table);
        self.table.d.next = self.event.val();
        self.priority.next = self.table.q.val();
    }
}

#[test]
fn reserved_names_are_found_with_their_path() {
    let text: Vec<String> = lint(&BadNames::default())
        .iter()
        .map(|f| f.to_string())
        .collect();
    assert_eq!(text.len(), 3, "{text:?}");
    for (line, name) in text.iter().zip(["event", "priority", "table"]) {
        assert!(
            line.starts_with(&format!("top: `{name}`: reserved")),
            "{line}"
        );
    }
}

#[derive(LogicInterface, Default)]
#[join = "HostSide"]
struct BoardSide {
    pub sent: Signal<In, bool>,
    pub taken: Signal<Out, bool>,
}

#[derive(LogicInterface, Default)]
#[join = "BoardSide"]
struct HostSide {
    pub sent: Signal<Out, bool>,
    pub taken: Signal<In, bool>,
}

#[derive(LogicBlock, Default)]
struct NotFlat {
    pub link: BoardSide,
    pub other: HostSide,
    pub lanes: [Signal<In, bool>; 2],
    pub any: Signal<Out, bool>,
}

impl Logic for NotFlat {
    #[hdl_gen]
    fn update(&mut self) {
        self.link.taken.next = self.other.taken.val();
        self.other.sent.next = self.link.sent.val();
        self.any.next = self.lanes[0].val() || self.lanes[1].val();
    }
}

#[test]
fn only_a_top_must_be_flat() {
    assert_eq!(lint(&NotFlat::default()), []);
    let ports: Vec<String> = lint_top(&NotFlat::default())
        .into_iter()
        .map(|f| f.subject)
        .collect();
    assert_eq!(
        ports,
        [
            "link$sent",
            "link$taken",
            "other$sent",
            "other$taken",
            "lanes$0",
            "lanes$1"
        ]
    );
}

#[test]
fn findings_inside_sub_blocks_carry_their_path() {
    #[derive(LogicBlock, Default)]
    struct Outer {
        pub a: Signal<In, Bits<4>>,
        pub yes: Signal<Out, bool>,
        inner: seven_inner::Inner,
    }
    impl Logic for Outer {
        #[hdl_gen]
        fn update(&mut self) {
            self.inner.a.next = self.a.val();
            self.yes.next = self.inner.yes.val();
        }
    }
    let found = lint(&Outer::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].to_string(),
        "top.inner: `a + 32'h1 == a`: Verilog compares more bits than Rust; assign to a Local first"
    );
}

mod seven_inner {
    use super::*;

    #[derive(LogicBlock, Default)]
    pub struct Inner {
        pub a: Signal<In, Bits<4>>,
        pub yes: Signal<Out, bool>,
    }
    impl Logic for Inner {
        #[hdl_gen]
        fn update(&mut self) {
            self.yes.next = self.a.val() + 1 == self.a.val();
        }
    }
}
