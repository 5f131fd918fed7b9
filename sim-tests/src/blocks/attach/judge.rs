//! What comes out of an attached recorder, against what its models say.

use super::whole::Bench;
use crate::blocks::host::{began, records};
use crate::blocks::Records;
use lookback_log_format::frame::{kind, End as EndPayload, Frame};
use lookback_log_format::interval::EndReason;
use lookback_log_format::registers as reg;
use lookback_log_format::trigger::Fired;

impl Bench<'_> {
    /// Compares the records, the END and the state after it.
    pub(super) fn judge(mut self, registers: [u32; 32], control: u32, out: &mut Records) {
        let records = records(&self.frames);
        let first = began(&self.events, &records);
        for event in &mut self.events {
            event.1 = event.1.wrapping_sub(first);
        }
        let mut recording = self.session.recording.clone();
        recording.pin = self.pulled.map(|cycle| cycle.wrapping_sub(first) as u16);
        let told = recording.told(registers, &self.events, &records, &[], out);
        for bytes in &records {
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of record", true);
        }
        for bytes in &told.records {
            bytes.iter().for_each(|byte| out.want("byte", *byte));
            out.want("end of record", true);
        }
        out.say("damaged", self.damaged);
        out.want("damaged", 0u32);
        self.announced(control, out);
        let end = self.frames.iter().find(|frame| frame.kind == kind::END);
        let payload = end.map_or(Vec::new(), |frame| frame.payload.clone());
        if let Ok(end) = EndPayload::from_bytes(&payload) {
            out.say("reason", end.reason.code());
            out.say("code", end.code);
            out.say("fired", Fired::bits(end.fired));
            out.say("retired", end.retired as u32);
            out.say("lost", end.lost as u32);
        }
        out.want("reason", told.ended.map_or(0, EndReason::code));
        out.want("code", self.session.run_code);
        let fired = told.fired.map(|cause| Fired { cause, hart: 0 });
        out.want("fired", Fired::bits(fired));
        out.want("retired", told.retired as u32);
        out.want("lost", told.lost as u32);
        // What the END says of a breach, the registers and the pins say too.
        let breach = self.rules.breach();
        let words = breach.map_or([0; 6], |b| {
            [b.rule.into(), b.at, b.pc, b.insn, b.want, b.got]
        });
        let told_breach = payload.get(EndPayload::LEN..).unwrap_or(&[]).to_vec();
        told_breach.iter().for_each(|byte| out.say("breach", *byte));
        if breach.is_some() {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            bytes.for_each(|byte| out.want("breach", byte));
        }
        let shown = if breach.is_some() { 6 } else { 1 };
        for (register, word) in (reg::BREACH..).zip(words).take(shown) {
            out.say("register", self.transfer(register, None).unwrap_or(!word));
            out.want("register", word);
        }
        let status = self.transfer(reg::STATUS, None).unwrap_or(0);
        out.say("status", status & 0x7ed);
        let bits = [
            (told.fired.is_some(), 4),
            (told.lost > 0, 8),
            (breach.is_some(), 32),
        ];
        let bits = bits.map(|(is, bit)| if is { bit } else { 0u32 });
        let fired = told.fired.map_or(0, |cause| u32::from(cause.code()) << 6);
        out.want("status", bits.iter().sum::<u32>() + fired);
        out.say("breach pin", self.dut.get("breach"));
        out.want("breach pin", breach.is_some());
        out.say("triggered", self.dut.get("triggered"));
        out.want("triggered", told.fired.is_some());
    }

    /// A recording that was started over the bus is preceded by its configuration.
    fn announced(&self, control: u32, out: &mut Records) {
        let replies: Vec<(u8, u32)> = self.frames.iter().map_while(Frame::reply).collect();
        if !self.session.over_bus {
            return;
        }
        for (register, value) in replies {
            out.say("announced", register);
            out.say("value", value);
        }
        let config = self.session.recording.config();
        for register in (reg::ID..=reg::PORT).chain(reg::CONTROL..=reg::POST_TRIGGER) {
            let value = match register {
                reg::CONTROL => control & !1,
                _ => config.register(register).unwrap_or(0),
            };
            out.want("announced", register);
            out.want("value", value);
        }
    }
}
