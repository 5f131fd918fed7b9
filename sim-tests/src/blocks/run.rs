//! Runs a check on a block's engines, and says how to repeat what failed.

use super::{Check, Record, Records};
use lookback_sim::block::verilated::VerilatedLibrary;
use lookback_sim::block::Dut;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What a check runs on.
pub struct Engines<'a> {
    /// A fresh block in rust-hdl's simulator, if it takes part.
    pub stepped: Option<fn() -> Box<dyn Dut>>,
    /// The block's Verilog.
    pub verilated: &'a VerilatedLibrary,
}

/// How much is run.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs on all engines.
    pub cases: u32,
    /// Further runs without rust-hdl's simulator, which is the slow one.
    pub more: u32,
    /// Where the random numbers come from.
    pub seed: u64,
    /// Whether a failure is made as short as possible.
    pub shrink: bool,
}

impl Effort {
    /// As the environment says: `LOOKBACK_SEED` and `LOOKBACK_CASES`.
    pub fn from_environment(cases: u32) -> Self {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let factor: u64 = number("LOOKBACK_CASES").unwrap_or(1);
        let cases = (u64::from(cases) * factor).min(u32::MAX.into()) as u32;
        // Verilated runs cost next to nothing: enough of them that no fault is caught by luck.
        Self {
            cases: cases.div_ceil(4),
            more: cases.saturating_mul(6),
            seed: seed(),
            shrink: true,
        }
    }
}

/// `LOOKBACK_SEED`; a fixed one without it, so that a test gives the same every time.
fn seed() -> u64 {
    match std::env::var("LOOKBACK_SEED") {
        Ok(text) if text == "random" => std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |time| time.as_nanos() as u64),
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("LOOKBACK_SEED: \"{text}\" is no number")),
        Err(_) => 1,
    }
}

fn random(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// What a check found, if it found something.
pub type Verdict = Result<(), String>;

/// Runs a check; the error says what differed, in how short a run, and how to see it again.
pub fn check<C: Check>(name: &str, engines: &Engines<'_>, effort: &Effort) -> Verdict {
    search::<C>(name, engines, effort, effort.cases)?;
    let fast = Engines {
        stepped: None,
        verilated: engines.verilated,
    };
    let more = Effort {
        seed: effort.seed ^ 1 << 63,
        ..*effort
    };
    search::<C>(name, &fast, &more, effort.more)
}

fn search<C: Check>(name: &str, engines: &Engines<'_>, effort: &Effort, cases: u32) -> Verdict {
    let runs = C::runs();
    // However many cases are asked for, what a filter turns away is made anew.
    let config = Config {
        max_local_rejects: u32::MAX,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, random(effort.seed));
    for case in 0..cases {
        let mut tree = runs
            .new_tree(&mut runner)
            .map_err(|reason| format!("{name}: no run can be made: {reason}"))?;
        let Err(mut difference) = compare::<C>(&tree.current(), engines) else {
            continue;
        };
        if !effort.shrink {
            return Err(format!("case {case}: {difference}"));
        }
        let shortest = shrink::<C>(&mut *tree, engines, &mut difference);
        return Err(format!(
            "{name}: {difference}\n  case {case}, seed {}; the shortest run that shows it:\n{}\n  \
             repeat: LOOKBACK_SEED={} LOOKBACK_BLOCK={name} cargo test -p lookback-sim-tests \
             --test blocks",
            effort.seed,
            listed(&shortest),
            effort.seed & !(1 << 63),
        ));
    }
    Ok(())
}

/// A shorter run that still fails, found in a bounded number of attempts.
fn shrink<C: Check>(
    tree: &mut dyn ValueTree<Value = Vec<C::Step>>,
    engines: &Engines<'_>,
    difference: &mut String,
) -> Vec<C::Step> {
    const ATTEMPTS: usize = 3000;
    let mut shortest = tree.current();
    let mut going = tree.simplify();
    for _ in 0..ATTEMPTS {
        if !going {
            break;
        }
        let run = tree.current();
        going = match compare::<C>(&run, engines) {
            Err(found) => {
                (shortest, *difference) = (run, found);
                tree.simplify()
            }
            Ok(()) => tree.complicate(),
        };
    }
    shortest
}

fn listed<T: std::fmt::Debug>(steps: &[T]) -> String {
    const MOST: usize = 60;
    let lines = steps.iter().take(MOST).map(|step| format!("    {step:?}"));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    if steps.len() > MOST {
        text.push_str(&format!("\n    … {} more", steps.len() - MOST));
    }
    text
}

/// One run on all engines.
fn compare<C: Check>(run: &[C::Step], engines: &Engines<'_>) -> Result<(), String> {
    let mut expected = Records::default();
    C::expect(run, &mut expected);
    let expected = expected.said;
    let its_cycles = played::<C>(
        "the Verilated block",
        run,
        &mut engines.verilated.instance(),
        &expected,
    )?;
    let Some(stepped) = engines.stepped else {
        return Ok(());
    };
    let cycles = played::<C>("rust-hdl", run, &mut *stepped(), &expected)?;
    match cycles.iter().zip(&its_cycles).position(|(a, b)| a != b) {
        Some(at) => Err(format!(
            "rust-hdl and Verilator differ in cycle {at}: outputs {:x?} and {:x?}",
            cycles[at], its_cycles[at]
        )),
        None => Ok(()),
    }
}

/// Plays a run and compares; gives all outputs of every cycle, to compare the two simulators.
fn played<C: Check>(
    who: &str,
    run: &[C::Step],
    dut: &mut dyn Dut,
    expected: &[Record],
) -> Result<Vec<Vec<u32>>, String> {
    let mut watched = Watched {
        dut,
        cycles: Vec::new(),
    };
    let mut records = Records::default();
    let drive = AssertUnwindSafe(|| C::drive(run, &mut watched, &mut records));
    if let Err(panic) = catch_unwind(drive) {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned()));
        return Err(format!("{who}: {}", text.unwrap_or_default()));
    }
    let expected = if records.wanted.is_empty() {
        expected
    } else {
        &records.wanted
    };
    equal(who, &records.said, expected)?;
    Ok(watched.cycles)
}

fn equal(who: &str, found: &[Record], expected: &[Record]) -> Result<(), String> {
    let same = found.iter().zip(expected).take_while(|(a, b)| a == b);
    let at = same.count();
    if at == found.len() && at == expected.len() {
        return Ok(());
    }
    let near = |records: &[Record]| {
        let from = at.saturating_sub(3).min(records.len());
        let to = (at + 3).min(records.len());
        format!("{:?}", &records[from..to])
    };
    Err(format!(
        "{who} differs from the model at record {at} of {}\n    expected {}\n    found    {}",
        expected.len(),
        near(expected),
        near(found)
    ))
}

/// Keeps the outputs of every cycle.
struct Watched<'a> {
    dut: &'a mut dyn Dut,
    cycles: Vec<Vec<u32>>,
}

impl Dut for Watched<'_> {
    fn set(&mut self, port: &str, value: u32) {
        self.dut.set(port, value);
    }

    fn get(&mut self, port: &str) -> u32 {
        self.dut.get(port)
    }

    fn cycle(&mut self) {
        self.cycles.push(self.dut.outputs());
        self.dut.cycle();
    }

    fn outputs(&mut self) -> Vec<u32> {
        self.dut.outputs()
    }
}
