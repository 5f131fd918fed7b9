//! What the recorder leaves out, a replayer must know: random runs are followed by a reader that
//! has only the log and the image.

#[path = "support/reader.rs"]
mod reader;
mod support;

use lookback_log_format::interval::{EndReason, Interval, Record};
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::stimulus::{Event, Mix, Random, Stimulus};
use lookback_model::Recorder;
use proptest::prelude::*;
use reader::Reader;
use support::config;

/// A run of `length` retirements through the recorder. `overflows` in a thousand retirements begin
/// a gap.
fn record(
    config: &RecorderConfig,
    mut stimulus: Stimulus,
    length: usize,
    overflows: u32,
) -> (Vec<Retire>, Vec<Record>, Stimulus) {
    let mut random = Random::new(u64::from(stimulus.initial(0)));
    let mut recorder = Recorder::new(config);
    let mut retired = Vec::new();
    let mut cycle = 0;
    let mut losing = 0;
    while retired.len() < length {
        cycle += 1 + u64::from(random.below(4));
        match stimulus.next() {
            Some(Event::Retire(r)) => {
                if losing == 0 && random.chance(overflows) {
                    recorder.overflow();
                    losing = random.below(30);
                }
                if losing > 0 {
                    losing -= 1;
                    recorder.lose(&r);
                } else {
                    recorder.retire(&r, cycle);
                }
                retired.push(r);
            }
            Some(Event::Snoop { addr, mask, .. }) => recorder.snoop(addr, mask),
            None => unreachable!("a stimulus has no end"),
        }
    }
    recorder.stop(EndReason::RunEnded, cycle);
    (retired, recorder.take_records(), stimulus)
}

fn follow(config: &RecorderConfig, stimulus: &Stimulus, interval: &Interval, run: &[Retire]) {
    let image = |addr| stimulus.initial(addr);
    let mut reader = Reader::new(config, &image, interval);
    for r in run {
        reader.step(r);
    }
    reader.finish(interval);
}

/// Follows every interval and checks that the records tell of the whole run, in order.
fn check(config: &RecorderConfig, mix: Mix, seed: u64, length: usize, overflows: u32) {
    let stimulus = Stimulus::with_mix(seed, config, mix);
    let (retired, records, stimulus) = record(config, stimulus, length, overflows);
    let mut at = 0;
    let mut registers = [0u32; 32];
    for (index, record) in records.iter().enumerate() {
        assert_eq!(record.index() as usize, index);
        let length = match record {
            Record::Interval(interval) => {
                assert_eq!(interval.header.retired, at as u64);
                assert_eq!(interval.header.mode, retired[at].mode);
                assert_eq!(interval.header.registers, registers);
                let length = interval.trailer.instructions as usize;
                assert!(length > 0);
                follow(config, &stimulus, interval, &retired[at..at + length]);
                length
            }
            Record::Gap(gap) => {
                assert_eq!(gap.retired, at as u64);
                gap.lost as usize
            }
            Record::Order(_) => panic!("one hart has no order"),
        };
        for r in &retired[at..at + length] {
            registers[usize::from(r.rd_addr)] = r.rd_wdata;
            registers[0] = 0;
        }
        at += length;
        let bytes = record.to_bytes();
        assert_eq!(&Record::from_bytes(&bytes).unwrap(), record);
    }
    assert_eq!(at, retired.len());
    assert_eq!(registers, stimulus.registers());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_needed_is_left_out(seed: u64, overflows in prop::sample::select(vec![0u32, 3, 20])) {
        check(&config(), Mix::default(), seed, 3000, overflows);
    }

    #[test]
    fn any_geometry_is_sound(
        seed: u64,
        tag_set_bits in 0u8..7,
        tag_ways in 1u8..=2,
        words_bits in 0u32..5,
        epoch_bits in 1u8..6,
        dict_bits in 1u8..7,
        dirty_bits in 0u8..6,
        interval in 64u32..600,
        window in 0u32..40,
    ) {
        let config = RecorderConfig {
            tag_set_bits,
            tag_ways,
            tag_words: 1 << words_bits,
            epoch_bits,
            dict_bits,
            dirty_bits,
            interval,
            count_bits: lookback_log_format::config::count_bits_for(interval),
            image_hi: 0x8000_0000 + 64 * window,
            ..config()
        };
        config.validate().unwrap();
        check(&config, Mix::default(), seed, 2500, 4);
    }

    #[test]
    fn busy_dma_is_sound(seed: u64) {
        let mix = Mix { dma: 500, to_code: 200, ..Mix::default() };
        check(&config(), mix, seed, 2000, 0);
    }

    /// With room for every line, a read is logged exactly when a byte of it was not seen, unless
    /// somebody else wrote meanwhile.
    #[test]
    fn nothing_known_is_logged(seed: u64) {
        let mix = Mix { dma: 0, to_device: 0, to_code: 0, ..Mix::default() };
        let stimulus = Stimulus::with_mix(seed, &config(), mix);
        let config = RecorderConfig {
            tag_set_bits: 14,
            epoch_bits: 32,
            ..config()
        };
        let (retired, records, stimulus) = record(&config, stimulus, 2000, 0);
        let image = |addr| stimulus.initial(addr);
        let mut at = 0;
        for record in &records {
            let Record::Interval(interval) = record else {
                panic!("nothing was lost");
            };
            let mut reader = Reader::new(&config, &image, interval);
            for r in &retired[at..at + interval.trailer.instructions as usize] {
                let logged_before = reader.operations.0;
                let known = reader.step(r);
                if r.mem_rmask != 0 {
                    prop_assert_eq!(reader.operations.0 == logged_before, known);
                }
            }
            at += interval.trailer.instructions as usize;
            reader.finish(interval);
        }
    }
}
