//! The named designs. A new one is one entry in [`presets`].

use lookback_hdl::attach::recorder::config as attached;
use lookback_hdl::compact::config::{FULL, FULL_PLAIN, FULL_WORDS, FULL_WORDS_PLAIN};
use lookback_hdl::recorder::config::{
    BUGNET, BUGNET_WORDS, CLOCK_HZ, ORDER, SMALL, TINY, TINY_ORDER,
};
use lookback_hdl::tops;
use lookback_log_format::RecorderConfig;

use crate::{emit, Design, Error, Manifest, Result};

/// The smallest recorder beside somebody else's core, on a board with this clock.
pub fn kept_recorder(clock_hz: u32) -> Result<Design> {
    kept_design("lookback_recorder_kept", clock_hz)
}

fn kept_design(top: &str, clock_hz: u32) -> Result<Design> {
    let mut block = tops::recorder_kept(clock_hz).ok_or_else(|| Error::UnknownPreset {
        name: format!("recorder-kept with a clock of {clock_hz} Hz"),
        known: "recorder-kept with 12000000 or 50000000 Hz".into(),
    })?;
    emit(top, &mut *block)?.with_plain_names()
}

/// Room to build the largest design.
const STACK_BYTES: usize = 256 << 20;

/// A named design.
pub struct Preset {
    /// What users call it.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    build: fn(top: &str) -> Result<Design>,
    recorder: fn() -> Option<RecorderConfig>,
}

impl Preset {
    /// The top module's name: `lookback_` and the preset's name.
    pub fn top(&self) -> String {
        format!("lookback_{}", self.name.replace('-', "_"))
    }

    /// Sizes of the recorder in it, if there is one.
    pub fn recorder(&self) -> Option<RecorderConfig> {
        (self.recorder)()
    }

    /// Checks the circuit and emits its Verilog.
    pub fn generate(&self) -> Result<Design> {
        // A board with four harts is larger than the stack of an ordinary thread while it is built.
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            let thread = builder.spawn_scoped(scope, || (self.build)(&self.top()));
            match thread.map(|thread| thread.join()) {
                Ok(Ok(design)) => design,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => (self.build)(&self.top()),
            }
        })
    }

    /// Describes a design that [`Preset::generate`] made.
    pub fn manifest(&self, design: &Design) -> Manifest {
        Manifest::new(design, self.name, self.description, self.recorder())
    }
}

/// All presets, in the order in which they are listed to users.
pub fn presets() -> &'static [Preset] {
    const PRESETS: &[Preset] = &[
        Preset {
            name: "recorder",
            description: "The recorder for any RVFI core: AXI-Stream out, Wishbone control",
            build: |top| emit(top, &mut *tops::attached_bugnet())?.with_plain_names(),
            recorder: || Some(attached(&BUGNET)),
        },
        Preset {
            name: "uart",
            description: "A UART between the streams of `recorder` and two pins",
            build: |top| emit(top, &mut *tops::uart_bridge())?.with_plain_names(),
            recorder: || None,
        },
        Preset {
            name: "attached-tiny",
            description: "As `recorder`, so small that it overflows all the time, for tests",
            build: |top| emit(top, &mut *tops::attached_tiny())?.with_plain_names(),
            recorder: || Some(attached(&TINY)),
        },
        Preset {
            name: "recorder-full",
            description: "The recorder with the smallest log (codec compact), for one RVFI core",
            build: |top| emit(top, &mut *tops::recorder_full()),
            recorder: || Some(FULL.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-full-words",
            description: "As `recorder-full`, with tags that keep words and compare them",
            build: |top| emit(top, &mut *tops::recorder_full_words()),
            recorder: || Some(FULL_WORDS.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-full-plain",
            description: "As `recorder-full`, with the plain coder, which needs no multiplier",
            build: |top| emit(top, &mut *tops::recorder_full_plain()),
            recorder: || Some(FULL_PLAIN.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-small",
            description:
                "The smallest recorder, for one RVFI core that keeps its port while it waits",
            build: |top| emit(top, &mut *tops::recorder_small()),
            recorder: || Some(SMALL.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-kept",
            description:
                "As `recorder-small`, beside any such core: with UART and loader, for an iCE40",
            build: |top| kept_design(top, CLOCK_HZ),
            recorder: || Some(SMALL.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-bugnet",
            description: "The recorder with the sizes of the BugNet paper, for one RVFI core",
            build: |top| emit(top, &mut *tops::recorder_bugnet()),
            recorder: || Some(BUGNET.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-tiny",
            description: "The recorder so small that it overflows all the time, for tests",
            build: |top| emit(top, &mut *tops::recorder_tiny()),
            recorder: || Some(TINY.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-full",
            description: "The SoC with the recorder of recorder-full, for simulation: RAM outside",
            build: |top| emit(top, &mut *tops::board_full()),
            recorder: || Some(FULL.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-full-words",
            description: "As `sim-full`, with tags that keep words and compare them",
            build: |top| emit(top, &mut *tops::board_full_words()),
            recorder: || Some(FULL_WORDS.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-full-plain",
            description: "As `sim-full`, with the plain coder",
            build: |top| emit(top, &mut *tops::board_full_plain()),
            recorder: || Some(FULL_PLAIN.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-full-words-plain",
            description: "As `sim-full-words`, with the plain coder",
            build: |top| emit(top, &mut *tops::board_full_words_plain()),
            recorder: || Some(FULL_WORDS_PLAIN.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-bugnet",
            description:
                "The SoC with the recorder of recorder-bugnet, for simulation: RAM outside",
            build: |top| emit(top, &mut *tops::board_bugnet()),
            recorder: || Some(BUGNET.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-small",
            description: "The smallest SoC with the smallest recorder",
            build: |top| emit(top, &mut *tops::board_small()),
            recorder: || Some(SMALL.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-tiny",
            description: "The SoC with the recorder of recorder-tiny, for simulation: RAM outside",
            build: |top| emit(top, &mut *tops::board_tiny()),
            recorder: || Some(TINY.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-words",
            description: "As `sim-bugnet`, with first-load tags that keep words and compare them",
            build: |top| emit(top, &mut *tops::board_words()),
            recorder: || Some(BUGNET_WORDS.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-words-2",
            description: "As `sim-words`, with two harts",
            build: |top| emit(top, &mut *tops::board_words_2()),
            recorder: || Some(BUGNET_WORDS.config_of(2, CLOCK_HZ, ORDER)),
        },
        Preset {
            name: "sim-words-4",
            description: "As `sim-words`, with four harts",
            build: |top| emit(top, &mut *tops::board_words_4()),
            recorder: || Some(BUGNET_WORDS.config_of(4, CLOCK_HZ, ORDER)),
        },
        Preset {
            name: "sim-soc",
            description: "The SoC alone, for simulation: RAM outside, retirement port brought out",
            build: |top| emit(top, &mut *tops::board_soc()),
            recorder: || None,
        },
        Preset {
            name: "recorder-bugnet-2",
            description: "As `recorder-bugnet`, for two harts with one retirement port",
            build: |top| emit(top, &mut *tops::recorder_bugnet_2()),
            recorder: || Some(BUGNET.config_of(2, CLOCK_HZ, ORDER)),
        },
        Preset {
            name: "order-2",
            description: "What logs the order of two harts, alone: to be counted",
            build: |top| emit(top, &mut *tops::order_2()),
            recorder: || None,
        },
        Preset {
            name: "recorder-tiny-2",
            description: "As `recorder-tiny`, for two harts, for tests",
            build: |top| emit(top, &mut *tops::recorder_tiny_2()),
            recorder: || Some(TINY.config_of(2, CLOCK_HZ, TINY_ORDER)),
        },
        Preset {
            name: "sim-bugnet-2",
            description: "As `sim-bugnet`, with two harts",
            build: |top| emit(top, &mut *tops::board_bugnet_2()),
            recorder: || Some(BUGNET.config_of(2, CLOCK_HZ, ORDER)),
        },
        Preset {
            name: "sim-tiny-2",
            description: "As `sim-tiny`, with two harts",
            build: |top| emit(top, &mut *tops::board_tiny_2()),
            recorder: || Some(TINY.config_of(2, CLOCK_HZ, TINY_ORDER)),
        },
        Preset {
            name: "sim-soc-2",
            description: "As `sim-soc`, with two harts",
            build: |top| emit(top, &mut *tops::board_smp_2()),
            recorder: || None,
        },
        Preset {
            name: "sim-bugnet-4",
            description: "As `sim-bugnet`, with four harts",
            build: |top| emit(top, &mut *tops::board_bugnet_4()),
            recorder: || Some(BUGNET.config_of(4, CLOCK_HZ, ORDER)),
        },
        Preset {
            name: "sim-tiny-4",
            description: "As `sim-tiny`, with four harts",
            build: |top| emit(top, &mut *tops::board_tiny_4()),
            recorder: || Some(TINY.config_of(4, CLOCK_HZ, TINY_ORDER)),
        },
        Preset {
            name: "sim-soc-4",
            description: "As `sim-soc`, with four harts",
            build: |top| emit(top, &mut *tops::board_smp_4()),
            recorder: || None,
        },
    ];
    PRESETS
}

/// The preset of this name; the error lists all names.
pub fn find(name: &str) -> Result<&'static Preset> {
    presets()
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| Error::UnknownPreset {
            name: name.to_owned(),
            known: presets()
                .iter()
                .map(|preset| preset.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
