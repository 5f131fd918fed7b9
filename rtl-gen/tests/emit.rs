//! A design of its own, through every step: checks, guard, Verilog, manifest, Verilator.

use lookback_rtl_gen::{emit, verilator_lint, Direction, Error, Manifest, Port};
use rust_hdl::prelude::*;

/// Counts up and tells when it reaches a limit.
#[derive(LogicBlock, Default)]
struct Counter {
    pub clock: Signal<In, Clock>,
    pub limit: Signal<In, Bits<8>>,
    pub reached: Signal<Out, bool>,
    pub count: Signal<Out, Bits<8>>,
    count_ff: DFF<Bits<8>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_ff);
        self.count_ff.d.next = self.count_ff.q.val() + 1;
        self.reached.next = self.count_ff.q.val() == self.limit.val();
        self.count.next = self.count_ff.q.val();
    }
}

/// Forgets to drive its output, and compares a sum.
#[derive(LogicBlock, Default)]
struct Faulty {
    pub a: Signal<In, Bits<4>>,
    pub yes: Signal<Out, bool>,
    pub open: Signal<Out, bool>,
}

impl Logic for Faulty {
    #[hdl_gen]
    fn update(&mut self) {
        self.yes.next = self.a.val() + 1 == self.a.val();
    }
}

#[derive(LogicBlock, Default)]
struct Wide {
    pub a: Signal<In, Bits<4>>,
    pub yes: Signal<Out, bool>,
}

impl Logic for Wide {
    #[hdl_gen]
    fn update(&mut self) {
        self.yes.next = self.a.val() + 1 == self.a.val();
    }
}

#[test]
fn a_design_is_the_same_every_time() {
    let first = emit("lookback_counter", &mut Counter::default()).unwrap();
    let second = emit("lookback_counter", &mut Counter::default()).unwrap();
    assert_eq!(first.verilog, second.verilog);
    assert!(first
        .verilog
        .contains("module lookback_counter(clock,limit,reached,count);"));
    assert!(first
        .verilog
        .contains("lookback_counter$count_ff count_ff("));
    assert!(!first.verilog.contains(" top"), "{}", first.verilog);
    assert_eq!(
        first.ports[1],
        Port {
            name: "limit".into(),
            direction: Direction::Input,
            width: 8
        }
    );
    let manifest = Manifest::new(&first, "counter", "Counts.", None).to_json();
    assert_eq!(
        manifest,
        Manifest::new(&second, "counter", "Counts.", None).to_json()
    );
    assert!(manifest.contains("\"top\": \"lookback_counter\""));
    assert!(manifest.contains("\"direction\": \"output\""));
}

#[test]
fn faults_are_reported_not_panicked() {
    match emit("faulty", &mut Faulty::default()) {
        Err(Error::Check { details, .. }) => assert_eq!(details, "  uut$open is not driven"),
        other => panic!("{other:?}"),
    }
    match emit("wide", &mut Wide::default()) {
        Err(Error::Guard { details, .. }) => assert!(details.contains("a + 32'h1 == a")),
        other => panic!("{other:?}"),
    }
}

/// Verilator is not everywhere; without it this says so instead of passing silently.
fn lint(verilog: &str, top: &str) -> Option<Result<usize, String>> {
    match verilator_lint(verilog, top) {
        Err(error @ Error::NoVerilator { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Ok(report) => Some(Ok(report.tolerated)),
        Err(error) => Some(Err(error.to_string())),
    }
}

#[test]
fn verilator_takes_literals_and_casts() {
    let design = emit("lookback_counter", &mut Counter::default()).unwrap();
    let Some(result) = lint(&design.verilog, &design.top) else {
        return;
    };
    assert!(result.unwrap() > 0, "a 32-bit literal meets 8 bits");
}

#[test]
fn verilator_refuses_each_silent_difference() {
    for line in [
        "yes = a & b == c;",
        "yes = a + 32'h1 == b;",
        "low = (a + 32'h1) >> 32'h1;",
        "wide = ((a + b) & 8'hff);",
        "yes = ~a == 32'hf;",
        "wide = ((a << 32'h2) & 8'hff);",
        "yes = a - b > 32'h8;",
        "yes = missing;",
    ] {
        let verilog = format!(
            "module top(a, b, c, w, yes, low, wide);\n\
             input wire [3:0] a; input wire [3:0] b; input wire [3:0] c; input wire [7:0] w;\n\
             output reg yes; output reg [3:0] low; output reg [7:0] wide;\n\
             always @(*) begin\nyes = 1'b0; low = 4'h0; wide = 8'h0;\n{line}\nend\nendmodule\n"
        );
        let Some(result) = lint(&verilog, "top") else {
            return;
        };
        let message = result.expect_err(line);
        assert!(message.contains("line 6"), "{line}: {message}");
    }
}
