//! The attached recorder from the outside: started over Wishbone, drained over AXI-Stream, its records
//! against the model's.

use super::*;
use crate::harness::settle;
use crate::recorder::testing::{check_block, word};
use crate::tick;
use lookback_log_format::config::{count_bits_for, CONFIG_REGISTERS};
use lookback_log_format::frame::{kind, End, Frame, FrameDecoder};
use lookback_log_format::interval::EndReason;
use lookback_log_format::stream::{Assembler, Item};
use lookback_log_format::{isa, registers as reg, Retire};
use lookback_model::attach::adapter::Adapted;
use lookback_model::attach::styles::{Core, Style};
use lookback_model::stimulus::Random;
use lookback_model::Recorder as Model;

/// A recorder with somebody at each of its ports.
struct Bench {
    recorder: Box<AttachedTiny>,
    random: Random,
    /// How often the stream takes a byte, in a thousand.
    link: u32,
    decoder: FrameDecoder,
    frames: Vec<Frame>,
    order: u64,
    cycle: u64,
}

impl Bench {
    fn new(seed: u64, link: u32) -> Self {
        let mut recorder = Box::<AttachedTiny>::default();
        recorder.connect_all();
        let config = config(&TINY);
        recorder.mem_base.next = word(config.mem_base);
        recorder.mem_mask.next = word(config.mem_mask);
        recorder.clock_hz.next = word(12_000_000);
        recorder.wb_sel.next = 15u64.into();
        let mut bench = Bench {
            recorder,
            random: Random::new(seed),
            link,
            decoder: FrameDecoder::new(),
            frames: Vec::new(),
            order: 0,
            cycle: 0,
        };
        bench.recorder.reset.next = true;
        bench.cycle();
        bench.recorder.reset.next = false;
        bench
    }

    /// One clock cycle; what the stream gives is taken at random.
    fn cycle(&mut self) {
        let u = &mut *self.recorder;
        u.m_axis_tready.next = self.random.chance(self.link);
        settle(u);
        if u.m_axis_tvalid.val() && u.m_axis_tready.val() {
            let byte = u.m_axis_tdata.val().to_u8();
            assert_eq!(u.m_axis_tlast.val(), byte == 0);
            match self.decoder.push(byte) {
                Some(Ok(frame)) => self.frames.push(frame),
                Some(Err(error)) => panic!("{error}"),
                None => {}
            }
        }
        tick!(*u);
        self.cycle += 1;
    }

    fn transfer(&mut self, register: u8, write: Option<u32>) -> u32 {
        let u = &mut *self.recorder;
        u.wb_cyc.next = true;
        u.wb_stb.next = true;
        u.wb_we.next = write.is_some();
        u.wb_adr.next = (u64::from(register) * 4).into();
        u.wb_dat_i.next = word(write.unwrap_or(0));
        for _ in 0..5000 {
            self.cycle();
            if self.recorder.wb_ack.val() {
                let value = self.recorder.wb_dat_o.val().to_u32();
                self.recorder.wb_cyc.next = false;
                self.recorder.wb_stb.next = false;
                self.cycle();
                return value;
            }
        }
        panic!("register {register:#x} is not acknowledged");
    }

    fn retire(&mut self, r: Option<&Retire>) {
        let u = &mut *self.recorder;
        u.rvfi_valid.next = r.is_some();
        let Some(r) = r else { return };
        u.rvfi_order.next = self.order.into();
        u.rvfi_insn.next = word(r.insn);
        u.rvfi_trap.next = r.trap;
        u.rvfi_mode.next = u64::from(r.mode).into();
        u.rvfi_rs1_addr.next = u64::from(r.rs1_addr).into();
        u.rvfi_rs2_addr.next = u64::from(r.rs2_addr).into();
        u.rvfi_rs1_rdata.next = word(r.rs1_rdata);
        u.rvfi_rs2_rdata.next = word(r.rs2_rdata);
        u.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
        u.rvfi_rd_wdata.next = word(r.rd_wdata);
        u.rvfi_pc_rdata.next = word(r.pc_rdata);
        u.rvfi_pc_wdata.next = word(r.pc_wdata);
        u.rvfi_mem_addr.next = word(r.mem_addr);
        u.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
        u.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
        u.rvfi_mem_rdata.next = word(r.mem_rdata);
        u.rvfi_mem_wdata.next = word(r.mem_wdata);
        self.order += 1;
    }

    /// The records of all LOG frames, and the END.
    fn take_log(&mut self) -> (Vec<Vec<u8>>, End) {
        let mut assembler = Assembler::new();
        let mut records = Vec::new();
        let mut end = None;
        for frame in self.frames.drain(..) {
            if frame.kind & 0xf0 == kind::LOG {
                for item in assembler.push(&frame) {
                    match item {
                        Item::Record { bytes, .. } => records.push(bytes),
                        Item::Broken { why, .. } => panic!("{why}"),
                    }
                }
            } else if frame.kind == kind::END {
                end = Some(End::from_bytes(&frame.payload).expect("an END"));
            }
        }
        (records, end.expect("the recording has ended"))
    }
}

#[test]
fn synthesizes() {
    check_block(AttachedTiny::default(), "lookback_attached_tiny");
    check_block(AttachedBugnet::default(), "lookback_attached_bugnet");
}

#[test]
fn registers_read_as_they_are_set() {
    let mut bench = Bench::new(1, 1000);
    assert_eq!(bench.transfer(reg::ID, None), reg::ID_VALUE);
    assert_eq!(bench.transfer(reg::CLOCK, None), 12_000_000);
    assert_eq!(
        bench.transfer(reg::PORT, None),
        reg::PORT_ATTACHED | reg::PORT_COMPRESSED
    );
    for (register, value) in [
        (reg::INTERVAL, 1000),
        (reg::COUNT_BITS, 10),
        (reg::IMAGE_LO, 0x8000_0040),
        (reg::IMAGE_HI, 0x8000_1000),
        (reg::POST_TRIGGER, 0xffff_ffff),
    ] {
        assert_eq!(bench.transfer(register, None), 0);
        bench.transfer(register, Some(value));
        for _ in 0..40 {
            bench.cycle();
        }
        assert_eq!(
            bench.transfer(register, None),
            value,
            "register {register:#x}"
        );
    }
    // Half a word changes nothing.
    bench.recorder.wb_sel.next = 3u64.into();
    bench.transfer(reg::INTERVAL, Some(77));
    bench.recorder.wb_sel.next = 15u64.into();
    assert_eq!(bench.transfer(reg::INTERVAL, None), 1000);
    assert!(bench.frames.is_empty(), "nothing is sent for the bus");
}

/// Runs a recording of a core that shows its accesses in some style, and compares all that comes out.
fn compare(seed: u64, style: Style, link: u32, pause: u32) {
    let mut bench = Bench::new(seed, link);
    let config = RecorderConfig {
        clock_hz: 12_000_000,
        control: reg::CONTROL_MAY_STALL,
        interval: 100,
        count_bits: count_bits_for(100),
        ..config(&TINY)
    };
    for register in [reg::INTERVAL, reg::COUNT_BITS, reg::IMAGE_LO, reg::IMAGE_HI] {
        let value = config.register(register).expect("a setting");
        bench.transfer(register, Some(value));
    }
    let start = reg::CONTROL_MAY_STALL | reg::CONTROL_RECORD;
    bench.transfer(reg::CONTROL, Some(start));
    while !bench.recorder.recording.val() {
        bench.cycle();
    }
    let mut model = Model::new(&config);
    let mut registers = [0; 32];
    let mut wait = 0;
    for raw in Core::new(seed, style).take(2500) {
        while bench.recorder.stall.val() || wait > 0 {
            wait = u32::saturating_sub(wait, 1);
            bench.cycle();
        }
        wait = bench.random.below(pause + 1);
        let adapted = Adapted::new(
            &raw,
            registers[(isa::expand(raw.insn) >> 7 & 31) as usize],
            false,
        );
        if !raw.trap {
            registers[usize::from(raw.rd_addr)] = raw.rd_wdata;
        }
        bench.retire(Some(&raw));
        model.retire(&adapted.retire, 0);
        if bench.random.chance(50) {
            // Somebody else's write, of the same cycle, comes after the instruction.
            let addr = raw.mem_addr & !3;
            bench.recorder.snoop_valid.next = true;
            bench.recorder.snoop_addr.next = word(addr);
            bench.recorder.snoop_mask.next = 5u64.into();
            model.snoop(addr, 5);
        }
        bench.cycle();
        bench.retire(None);
        bench.recorder.snoop_valid.next = false;
    }
    for _ in 0..20 {
        bench.cycle();
    }
    bench.transfer(reg::CONTROL, Some(reg::CONTROL_MAY_STALL));
    for _ in 0..200_000 {
        if bench.frames.last().is_some_and(|f| f.kind == kind::END) {
            break;
        }
        bench.cycle();
    }
    model.stop(EndReason::Stopped, 0);

    // The stream begins with the configuration.
    let announced: Vec<(u8, u32)> = bench.frames.iter().map_while(Frame::reply).collect();
    let read = |number| {
        announced
            .iter()
            .find(|pair| pair.0 == number)
            .map(|pair| pair.1)
    };
    assert_eq!(announced.len(), CONFIG_REGISTERS.len());
    assert_eq!(RecorderConfig::from_registers(read), Ok(config));

    let (records, end) = bench.take_log();
    let expected = model.take_records();
    assert_eq!(records.len(), expected.len());
    for (index, (bytes, record)) in records.iter().zip(&expected).enumerate() {
        let mut wanted = record.to_bytes();
        // Cycles are the hardware's own.
        wanted[14..22].copy_from_slice(&bytes[14..22]);
        assert_eq!(*bytes, wanted, "record {index} of {style:?}, seed {seed}");
    }
    assert_eq!(end.retired, model.retired());
    assert_eq!((end.lost, end.reason), (0, EndReason::Stopped));
    assert_eq!(end.breach, None, "the core keeps the rules");
}

#[test]
fn records_equal_the_model_in_every_style() {
    let links = [(1000, 6), (300, 6), (1000, 0), (120, 2), (600, 3)];
    for (seed, (style, (link, pause))) in (1..).zip(Style::ALL.into_iter().zip(links)) {
        compare(seed, style, link, pause);
    }
}
