//! The registers on a bus: what a read gives is section 6 of the log format; what a write leads to is
//! a list of things to do, carried out one by one while the drain is quiet.

use crate::blocks::{seldom, word, Inputs, Lockstep};
use lookback_log_format::registers as reg;
use lookback_model::stimulus::Random;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// The registers' sources, with their widths: the input that shows each register.
const WORDS: [(u8, &str, u32); 27] = [
    (0x01, "version", 32),
    (0x02, "tag_sizes", 32),
    (0x03, "sizes", 32),
    (0x04, "clock_hz", 32),
    (0x05, "mem_base", 32),
    (0x06, "mem_mask", 32),
    (0x11, "interval", 32),
    (0x12, "count_bits", 5),
    (0x13, "image_lo", 32),
    (0x14, "image_hi", 32),
    (0x15, "post_trigger", 32),
    (0x19, "watch", 6),
    (0x1a, "watch_lo", 32),
    (0x1b, "watch_hi", 32),
    (0x20, "status", 11),
    (0x21, "retired_lo", 32),
    (0x22, "retired_hi", 32),
    (0x23, "cycles_lo", 32),
    (0x24, "cycles_hi", 32),
    (0x25, "stalls_lo", 32),
    (0x26, "lost_lo", 32),
    (0x28, "breach_rule", 4),
    (0x29, "breach_at", 32),
    (0x2a, "breach_pc", 32),
    (0x2b, "breach_insn", 32),
    (0x2c, "breach_want", 32),
    (0x2d, "breach_got", 32),
];

/// Something to have the drain do.
#[derive(Clone, Copy)]
enum Deed {
    Poke(u32, u32),
    Ask(u32),
}

/// A bus master's wish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    write: bool,
    register: u32,
    bytes: u32,
    data: u32,
}

/// One cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// begun if none is under way
    transfer: Option<Transfer>,
    quiet: bool,
    /// what the registers' words are made from
    seed: u64,
    /// the host changes CONTROL, if nothing is being done
    control: Option<u32>,
    reset: bool,
}

/// The bus side of the registers.
#[derive(Default)]
pub struct Transfers {
    under_way: Option<Transfer>,
    ack: bool,
    /// what the last read gives
    read: Option<u32>,
    control: u32,
    taken: Option<(u32, u32)>,
    deeds: VecDeque<Deed>,
}

impl Transfers {
    /// What is done next, decided when it can be: a recording that runs is not started again.
    fn next_deed(&mut self) -> Option<Deed> {
        if let Some((register, value)) = self.taken.take() {
            let starts = register == u32::from(reg::CONTROL) && value & !self.control & 1 == 1;
            if starts {
                self.deeds.push_back(Deed::Poke(register, value & !1));
                self.deeds.extend((0..8).map(Deed::Ask));
                self.deeds.extend((0x10..0x16).map(Deed::Ask));
            }
            self.deeds.push_back(Deed::Poke(register, value));
        }
        self.deeds.pop_front()
    }
}

/// What a register reads as.
fn read(number: u32, inputs: &Inputs) -> u32 {
    match number as u8 {
        reg::ID => 0x4b4f_4f4c,
        reg::PORT => 3,
        reg::CONTROL => inputs.get("control_word"),
        other => {
            let found = WORDS.iter().find(|(register, ..)| *register == other);
            found.map_or(0, |(_, port, _)| inputs.get(port))
        }
    }
}

impl Lockstep for Transfers {
    type Step = Cycle;

    fn runs() -> BoxedStrategy<Vec<Cycle>> {
        let register = prop_oneof![
            3 => Just(u32::from(reg::CONTROL)),
            3 => 0x10..0x1cu32,
            3 => 0x20..0x30u32,
            2 => 0..8u32,
            1 => 0..256u32,
        ];
        let bytes = prop_oneof![4 => Just(15u32), 1 => 0..16u32];
        let data = prop_oneof![2 => 0..32u32, 1 => word()];
        let transfer =
            (any::<bool>(), register, bytes, data).prop_map(|(write, register, bytes, data)| {
                Transfer {
                    write,
                    register,
                    bytes,
                    data,
                }
            });
        let transfer = (seldom(400), transfer).prop_map(|(is, transfer)| is.then_some(transfer));
        let control = (seldom(60), 0..32u32).prop_map(|(is, control)| is.then_some(control));
        let stretch = (prop_oneof![Just(1000u32), Just(500), Just(60)], 1..90usize);
        let stretch = stretch.prop_flat_map(move |(quiet, length)| {
            let cycle = (
                transfer.clone(),
                seldom(quiet),
                any::<u64>(),
                control.clone(),
                seldom(8),
            );
            let cycle = cycle.prop_map(|(transfer, quiet, seed, control, reset)| Cycle {
                transfer,
                quiet,
                seed,
                control,
                reset,
            });
            vec(cycle, length)
        });
        vec(stretch, 1..6).prop_map(|parts| parts.concat()).boxed()
    }

    fn inputs(&self, step: &Cycle) -> Vec<(&'static str, u32)> {
        // A master holds what it wants until it is acknowledged.
        let wanted = self.under_way.or(step.transfer);
        let shown = wanted.unwrap_or(Transfer {
            write: true,
            register: 0x10,
            bytes: 15,
            data: 1,
        });
        let free = self.taken.is_none() && self.deeds.is_empty();
        let control = step.control.filter(|_| free).unwrap_or(self.control);
        let mut random = Random::new(step.seed);
        let mut inputs: Vec<(&'static str, u32)> = WORDS
            .iter()
            .map(|(_, port, bits)| (*port, random.word() >> (32 - bits)))
            .collect();
        // Without a transfer one of the two may still be high.
        let idle = step.seed as u32 & 3;
        inputs.extend([
            ("wb_cyc", u32::from(wanted.is_some() || idle == 1)),
            ("wb_stb", u32::from(wanted.is_some() || idle == 2)),
            ("wb_we", shown.write.into()),
            ("wb_adr", shown.register << 2),
            ("wb_sel", shown.bytes),
            ("wb_dat_i", shown.data),
            ("quiet", step.quiet.into()),
            ("control_word", control),
            ("reset", step.reset.into()),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        self.control = inputs.get("control_word");
        let mut seen = vec![("wb_ack", self.ack.into())];
        if self.ack {
            seen.extend(self.read.map(|word| ("wb_dat_o", word)));
        }
        let busy = self.taken.is_some() || !self.deeds.is_empty();
        let deed = if inputs.is("quiet") {
            self.next_deed()
        } else {
            None
        };
        seen.push(("poke", matches!(deed, Some(Deed::Poke(..))).into()));
        seen.push(("ask", matches!(deed, Some(Deed::Ask(_))).into()));
        match deed {
            Some(Deed::Poke(register, value)) => {
                seen.extend([("bus_register", register), ("bus_value", value)]);
                if register == u32::from(reg::CONTROL) {
                    self.control = value & 31;
                }
            }
            Some(Deed::Ask(register)) => seen.push(("bus_register", register)),
            None => {}
        }

        let number = inputs.get("wb_adr") >> 2;
        let request = inputs.is("wb_cyc") && inputs.is("wb_stb") && !self.ack;
        let writes = inputs.is("wb_we");
        self.ack = request && !(writes && busy);
        self.read = (!writes).then(|| read(number, inputs));
        if self.ack && writes && inputs.get("wb_sel") == 15 {
            self.taken = Some((number, inputs.get("wb_dat_i")));
        }
        self.under_way = request.then(|| Transfer {
            write: writes,
            register: number,
            bytes: inputs.get("wb_sel"),
            data: inputs.get("wb_dat_i"),
        });
        if inputs.is("reset") {
            // It resets the master and the drain, too.
            *self = Self::default();
        }
        seen
    }
}
