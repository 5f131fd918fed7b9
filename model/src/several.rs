//! Recorders of several harts behind one retirement port: section 11.1.

use crate::order::Order;
use crate::recorder::Recorder;
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::trigger::Fired;
use lookback_log_format::{RecorderConfig, Retire};

/// A recorder for each hart, and one for their order.
#[derive(Debug, Clone)]
pub struct Recorders {
    harts: Vec<Recorder>,
    order: Option<Order>,
    /// Finished records, with their hart bytes.
    records: Vec<(u8, Record)>,
}

impl Recorders {
    /// A recording that begins now, of as many harts as the configuration names.
    pub fn new(config: &RecorderConfig) -> Self {
        let harts = usize::from(config.harts);
        Self {
            harts: (0..harts).map(|_| Recorder::new(config)).collect(),
            order: config.order.map(|settings| Order::new(settings, harts)),
            records: Vec::new(),
        }
    }

    /// An instruction of a hart retires.
    pub fn retire(&mut self, hart: usize, r: &Retire, cycle: u64) {
        if let Some(order) = &mut self.order {
            order.retire(hart, r);
        }
        self.harts[hart].retire(r, cycle);
        if self.harts[hart].triggered() {
            let others = self.harts.iter_mut().enumerate();
            others
                .filter(|(other, _)| *other != hart)
                .for_each(|(_, recorder)| recorder.disarm());
        }
        if !r.trap && r.mem_wmask != 0 {
            for (other, recorder) in self.harts.iter_mut().enumerate() {
                if other != hart {
                    recorder.snoop(r.mem_addr, r.mem_wmask);
                }
            }
        }
        self.collect(hart);
    }

    /// Somebody other than the harts writes, after the retirements before.
    pub fn snoop(&mut self, addr: u32, mask: u8) {
        if mask == 0 {
            return;
        }
        if let Some(order) = &mut self.order {
            order.external(addr);
        }
        self.harts
            .iter_mut()
            .for_each(|hart| hart.snoop(addr, mask));
    }

    /// The recording ends.
    pub fn stop(&mut self, reason: EndReason, cycle: u64) {
        for hart in 0..self.harts.len() {
            self.harts[hart].stop(reason, cycle);
            self.collect(hart);
        }
        if let Some(order) = &mut self.order {
            order.stop(reason);
        }
        self.collect_order();
    }

    /// What END says: the sums over all harts.
    pub fn end(&self, code: u32, cycles: u64, stalls: u64) -> Option<End> {
        let mut end = self.harts.first()?.end(code, cycles, stalls)?;
        end.retired = self.harts.iter().map(Recorder::retired).sum();
        end.lost = self.harts.iter().map(Recorder::lost).sum();
        end.fired = self.harts.iter().zip(0..).find_map(|(recorder, hart)| {
            let cause = recorder.cause()?;
            Some(Fired { cause, hart })
        });
        Some(end)
    }

    /// The finished records since the last call, with their hart bytes.
    pub fn take_records(&mut self) -> Vec<(u8, Record)> {
        std::mem::take(&mut self.records)
    }

    fn collect(&mut self, hart: usize) {
        for record in self.harts[hart].take_records() {
            if let (Record::Interval(_), Some(order)) = (&record, &mut self.order) {
                order.interval_ended();
            }
            self.records.push((hart as u8, record));
        }
        self.collect_order();
    }

    fn collect_order(&mut self) {
        let records = self.order.as_mut().map(Order::take_records);
        for record in records.into_iter().flatten() {
            self.records
                .push((record.kind.hart(), Record::Order(record)));
        }
    }
}
