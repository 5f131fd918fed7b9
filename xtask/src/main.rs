//! The project's own tasks, one file a subcommand.

mod bench;
mod bitstream;
mod firmware;
mod fuzz;
mod mutate;
mod prove;
mod setup;
mod synth;
mod test;
mod torture;

use clap::{Parser, Subcommand};

/// Tasks of the Lookback project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the tools that the tests need.
    Setup,
    /// Set up what is missing, then run every check.
    Test(test::Arguments),
    /// Tell what the recorder costs on an ECP5.
    Synth(synth::Arguments),
    /// Build bitstreams for FPGA boards and tell what they cost.
    Bitstream(bitstream::Arguments),
    /// Simulate the netlists of FPGA boards and drain their UART.
    Netlist(bitstream::netlist::Arguments),
    /// Check the UART of FPGA boards against one that somebody else wrote.
    Uart(bitstream::uart::Arguments),
    /// Prove what formal/ says of the hardware.
    Prove(prove::Arguments),
    /// Measure, as ratios within one run.
    Bench(bench::Arguments),
    /// Run random programs on the hart, the replayer, a reference machine and QEMU.
    Torture(torture::Arguments),
    /// Plant faults into the hardware and show that its checks find them.
    Mutate(mutate::Arguments),
    /// Rebuild the firmware programs' ELFs.
    Firmware(firmware::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Setup => setup::run(),
        Task::Test(arguments) => test::run(&arguments),
        Task::Synth(arguments) => synth::run(&arguments),
        Task::Bitstream(arguments) => bitstream::run(&arguments),
        Task::Netlist(arguments) => bitstream::netlist::run(&arguments),
        Task::Uart(arguments) => bitstream::uart::run(&arguments),
        Task::Prove(arguments) => prove::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Torture(arguments) => std::process::exit(torture::run(&arguments)?),
        Task::Mutate(arguments) => mutate::run(&arguments),
        Task::Firmware(arguments) => firmware::run(&arguments),
    }
}

/// The repository's root.
fn root() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the xtask crate lies in the repository's root")
}
