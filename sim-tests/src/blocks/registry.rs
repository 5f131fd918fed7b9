//! All blocks and presets in one table. A block is an entry of it or fails a test, and an entry cannot
//! be written without what checks it.

use super::boards::{Harts, Recorded, OF_BUGNET, OF_SMALL, OF_TINY, OF_WORDS, PLAIN};
use super::run::{check, Effort, Engines, Verdict};
use super::{compact, Check};
use lookback_rtl_gen::{emit, verilator_lint, Design, Direction};
use lookback_sim::block::stepped::{Pins, SteppedBlock};
use lookback_sim::block::verilated::VerilatedLibrary;
use lookback_sim::block::Dut;
use rust_hdl::prelude::{yosys_validate, Block as Circuit};

/// A block, with everything that holds it to its word.
pub struct Block {
    /// What it is called here.
    pub name: &'static str,
    /// Path of its type.
    pub rust_type: fn() -> &'static str,
    /// Runs of an ordinary test.
    pub cases: u32,
    /// Checks it with rust-hdl's checks and the AST lint, and emits its Verilog.
    pub emit: fn(top: &str) -> Result<Design, lookback_rtl_gen::Error>,
    /// What the list of its pins lacks or has too much.
    pub differences: fn(&Design) -> Vec<String>,
    /// A fresh one in rust-hdl's simulator.
    pub stepped: fn() -> Box<dyn Dut>,
    /// Its co-simulation.
    pub check: fn(&str, &Engines<'_>, &Effort) -> Verdict,
}

impl Block {
    /// Its Verilog; the error says which guard refuses it.
    pub fn design(&self) -> Result<Design, String> {
        // yosys_validate wants this name.
        (self.emit)("top").map_err(|error| format!("{}: {error}", self.name))
    }

    /// The guards that need tools: Verilator's lint, and yosys, which finds latches.
    pub fn guard(&self, design: &Design) -> Verdict {
        let name = self.name;
        let differences = (self.differences)(design);
        if !differences.is_empty() {
            return Err(format!("{name}: {}", differences.join("; ")));
        }
        lint(name, design)
    }

    /// Its co-simulation, all three ways.
    pub fn cosimulate(&self, design: &Design, effort: &Effort) -> Verdict {
        let verilated = VerilatedLibrary::new(design).map_err(|e| format!("{}: {e}", self.name))?;
        let engines = Engines {
            stepped: Some(self.stepped),
            verilated: &verilated,
        };
        (self.check)(self.name, &engines, effort)
    }
}

/// Verilator's lint, and yosys, which finds latches.
pub fn lint(name: &str, design: &Design) -> Verdict {
    verilator_lint(&design.verilog, &design.top).map_err(|error| format!("{name}: {error}"))?;
    let prefix = format!("lookback_registry_{name}");
    yosys_validate(&prefix, &under_top(design)).map_err(|error| format!("{name}: yosys: {error:?}"))
}

/// A design with a module `top`, which is the one that `yosys_validate` begins with.
fn under_top(design: &Design) -> String {
    if design.top == "top" {
        return design.verilog.clone();
    }
    let names: Vec<&str> = design.ports.iter().map(|port| port.name.as_str()).collect();
    let declared = design.ports.iter().map(|port| {
        let way = match port.direction {
            Direction::Input => "input",
            Direction::Output => "output",
            Direction::Inout => "inout",
        };
        format!("{way} [{}:0] {};\n", port.width.max(1) - 1, port.name)
    });
    let pins: Vec<String> = names
        .iter()
        .map(|name| format!(".{name}({name})"))
        .collect();
    format!(
        "{}\nmodule top({});\n{}{} whole({});\nendmodule\n",
        design.verilog,
        names.join(", "),
        declared.collect::<String>(),
        design.top,
        pins.join(", ")
    )
}

/// What [`block!`](crate::block) needs of a block's type.
pub fn emit_block<B: Circuit>(top: &str, mut block: B) -> Result<Design, lookback_rtl_gen::Error> {
    emit(top, &mut block)
}

/// What [`block!`](crate::block) needs of a block's pins.
pub fn step_block<B: Circuit + 'static>(block: B, pins: Pins<B>) -> Box<dyn Dut> {
    Box::new(SteppedBlock::new(block, pins))
}

/// What [`block!`](crate::block) needs of a block's check.
pub fn check_block<C: Check>(name: &str, engines: &Engines<'_>, effort: &Effort) -> Verdict {
    check::<C>(name, engines, effort)
}

/// An entry of the table: name, check, cases; then type and ports as for `lookback_sim::pins!`. A
/// block that is built with arguments has them behind its type: `Block = Block::new(1);`.
#[macro_export]
macro_rules! block {
    ($name:literal, $check:ty, $cases:literal; $block:ty: $($pins:tt)*) => {
        $crate::block!($name, $check, $cases; $block = <$block>::default(); $($pins)*)
    };
    ($name:literal, $check:ty, $cases:literal; $block:ty = $make:expr; $($pins:tt)*) => {
        $crate::blocks::registry::Block {
            name: $name,
            rust_type: std::any::type_name::<$block>,
            cases: $cases,
            emit: |top| $crate::blocks::registry::emit_block::<$block>(top, $make),
            differences: |design| lookback_sim::pins!($block: $($pins)*).differences(design),
            stepped: || {
                $crate::blocks::registry::step_block($make, lookback_sim::pins!($block: $($pins)*))
            },
            check: $crate::blocks::registry::check_block::<$check>,
        }
    };
}

/// All blocks.
pub fn blocks() -> impl Iterator<Item = &'static Block> {
    let groups = [
        super::memory::BLOCKS,
        super::recorder::BLOCKS,
        super::compact::BLOCKS,
        super::small::BLOCKS,
        super::drain::BLOCKS,
        super::soc::BLOCKS,
        super::attach::BLOCKS,
        super::boards::BLOCKS,
    ];
    groups.into_iter().flatten()
}

impl Block {
    /// Path of its type without sizes.
    pub fn type_path(&self) -> &'static str {
        let name = (self.rust_type)();
        name.split('<').next().unwrap_or(name)
    }
}

/// A design that users get, and the check that its Verilog is held to.
pub struct PresetCheck {
    /// The preset's name.
    pub preset: &'static str,
    /// Runs of an ordinary test.
    pub cases: u32,
    /// Its co-simulation: the preset's own Verilog against the model.
    pub check: fn(&str, &Engines<'_>, &Effort) -> Verdict,
}

/// All presets.
pub const PRESETS: &[PresetCheck] = &[
    PresetCheck {
        preset: "recorder",
        cases: 4,
        check: check_block::<super::attach::Attached<true>>,
    },
    PresetCheck {
        preset: "attached-tiny",
        cases: 6,
        check: check_block::<super::attach::Attached<false>>,
    },
    PresetCheck {
        preset: "uart",
        cases: 20,
        check: check_block::<super::attach::Bridge>,
    },
    PresetCheck {
        preset: "recorder-tiny",
        cases: 6,
        check: check_block::<super::recorder::Whole<false>>,
    },
    PresetCheck {
        preset: "recorder-small",
        cases: 4,
        check: check_block::<super::small::Held<true, false>>,
    },
    PresetCheck {
        preset: "recorder-kept",
        cases: 3,
        check: check_block::<super::small::Held<true, true>>,
    },
    PresetCheck {
        preset: "sim-small",
        cases: 4,
        check: check_block::<Recorded<OF_SMALL>>,
    },
    PresetCheck {
        preset: "recorder-bugnet",
        cases: 6,
        check: check_block::<super::recorder::Whole<true>>,
    },
    PresetCheck {
        preset: "recorder-full",
        cases: 4,
        check: check_block::<compact::Recordings<{ compact::FULL }>>,
    },
    PresetCheck {
        preset: "recorder-full-words",
        cases: 4,
        check: check_block::<compact::Recordings<{ compact::WORDS }>>,
    },
    PresetCheck {
        preset: "recorder-full-plain",
        cases: 4,
        check: check_block::<compact::Recordings<{ compact::PLAIN }>>,
    },
    PresetCheck {
        preset: "sim-full",
        cases: 2,
        check: check_block::<compact::Board<{ compact::FULL }>>,
    },
    PresetCheck {
        preset: "sim-full-words",
        cases: 2,
        check: check_block::<compact::Board<{ compact::WORDS }>>,
    },
    PresetCheck {
        preset: "sim-full-plain",
        cases: 2,
        check: check_block::<compact::Board<{ compact::PLAIN }>>,
    },
    PresetCheck {
        preset: "sim-full-words-plain",
        cases: 2,
        check: check_block::<compact::Board<{ compact::WORDS | compact::PLAIN }>>,
    },
    PresetCheck {
        preset: "sim-tiny",
        cases: 4,
        check: check_block::<Recorded<OF_TINY>>,
    },
    PresetCheck {
        preset: "sim-bugnet",
        cases: 4,
        check: check_block::<Recorded<OF_BUGNET>>,
    },
    PresetCheck {
        preset: "sim-words",
        cases: 4,
        check: check_block::<Recorded<OF_WORDS>>,
    },
    PresetCheck {
        preset: "sim-words-2",
        cases: 2,
        check: check_block::<Harts<2, OF_WORDS>>,
    },
    PresetCheck {
        preset: "sim-words-4",
        cases: 2,
        check: check_block::<Harts<4, OF_WORDS>>,
    },
    PresetCheck {
        preset: "sim-soc",
        cases: 8,
        check: check_block::<super::soc::System<true, false>>,
    },
    PresetCheck {
        preset: "recorder-tiny-2",
        cases: 6,
        check: check_block::<super::recorder::OfHarts<2, false>>,
    },
    PresetCheck {
        preset: "order-2",
        cases: 4,
        check: check_block::<super::recorder::Logged<2, false>>,
    },
    PresetCheck {
        preset: "recorder-bugnet-2",
        cases: 4,
        check: check_block::<super::recorder::OfHarts<2, true>>,
    },
    PresetCheck {
        preset: "sim-tiny-2",
        cases: 3,
        check: check_block::<Harts<2, OF_TINY>>,
    },
    PresetCheck {
        preset: "sim-tiny-4",
        cases: 3,
        check: check_block::<Harts<4, OF_TINY>>,
    },
    PresetCheck {
        preset: "sim-bugnet-2",
        cases: 3,
        check: check_block::<Harts<2, OF_BUGNET>>,
    },
    PresetCheck {
        preset: "sim-bugnet-4",
        cases: 2,
        check: check_block::<Harts<4, OF_BUGNET>>,
    },
    PresetCheck {
        preset: "sim-soc-2",
        cases: 4,
        check: check_block::<Harts<2, PLAIN>>,
    },
    PresetCheck {
        preset: "sim-soc-4",
        cases: 4,
        check: check_block::<Harts<4, PLAIN>>,
    },
];
