//! Faults in the boards' wiring.

use super::Fault;

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "board-run-end-lost",
        what: "The recorder is not told that the run is over.",
        block: "sim-board",
        from: "recorder$run_ended = soc$finished;",
        to: "recorder$run_ended = 1'b0;",
        quick: false,
    },
    Fault {
        name: "board-stall-lost",
        what: "The recorder cannot hold the hart.",
        block: "sim-board",
        from: "soc$stall = recorder$stall;",
        to: "soc$stall = 1'b0;",
        quick: true,
    },
    Fault {
        name: "board-trap-lost",
        what: "The recorder does not see traps.",
        block: "sim-board",
        from: "recorder$rvfi_trap = soc$rvfi_trap;",
        to: "recorder$rvfi_trap = 1'b0;",
        quick: false,
    },
    Fault {
        name: "board-reset-half",
        what: "A reset does not reach the SoC.",
        block: "sim-soc",
        from: "soc$reset = reset;",
        to: "soc$reset = 1'b0;",
        quick: false,
    },
    Fault {
        name: "board-console-deaf",
        what: "The console takes no byte.",
        block: "sim-soc",
        from: "soc$console_rx_valid = console_rx_valid;",
        to: "soc$console_rx_valid = 1'b0;",
        quick: false,
    },
    Fault {
        name: "board-source-lost",
        what: "The port shows no second operand.",
        block: "sim-soc",
        from: "rvfi_rs2_rdata = soc$rvfi_rs2_rdata;",
        to: "rvfi_rs2_rdata = 32'h0;",
        quick: true,
    },
];
