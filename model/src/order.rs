//! Records of the order across harts: section 11.4.

use crate::chunk_counter::{Access, Chunk, ChunkCounter};
use crate::strata_arbiter::{StrataArbiter, Strides, EXTERNAL};
use lookback_log_format::interval::EndReason;
use lookback_log_format::order::{
    encode, OrderElement, OrderKind, OrderRecord, OrderSettings, MAX_ELEMENTS, MAX_INTERVAL_ENDS,
};
use lookback_log_format::Retire;

/// Puts elements into records.
#[derive(Debug, Clone)]
struct Writer {
    kind: OrderKind,
    open: Option<OrderRecord>,
    elements: Vec<OrderElement>,
    interval_ends: u8,
    /// The block of the EXTERNAL that was written last, if nothing came after it.
    last_external: Option<u32>,
    next_index: u32,
    records: Vec<OrderRecord>,
}

impl Writer {
    fn new(kind: OrderKind) -> Self {
        Self {
            kind,
            open: None,
            elements: Vec::new(),
            interval_ends: 0,
            last_external: None,
            next_index: 0,
            records: Vec::new(),
        }
    }

    /// Something happens that belongs into a record.
    fn begin(&mut self, retired: &[u64]) {
        if self.open.is_none() {
            self.open = Some(OrderRecord {
                kind: self.kind,
                index: self.next_index,
                retired: retired.iter().map(|&count| count as u32).collect(),
                elements: Vec::new(),
                never_hurries: false,
                reason: EndReason::Length,
            });
            self.next_index = self.next_index.wrapping_add(1);
            self.interval_ends = 0;
            self.last_external = None;
        }
    }

    fn put(&mut self, element: OrderElement) {
        if self.open.is_some() {
            self.elements.push(element);
            self.last_external = None;
        }
    }

    fn put_external(&mut self, block: u32) {
        if self.last_external != Some(block) {
            self.put(OrderElement::External(block));
            self.last_external = Some(block);
        }
    }

    fn is_full(&self) -> bool {
        self.open.is_some()
            && (self.elements.len() >= MAX_ELEMENTS || self.interval_ends >= MAX_INTERVAL_ENDS)
    }

    fn end(&mut self, reason: EndReason) {
        if let Some(mut record) = self.open.take() {
            record.reason = reason;
            let elements = std::mem::take(&mut self.elements);
            record.elements = encode(record.retired.len(), self.kind, &elements);
            self.records.push(record);
        }
    }
}

/// Strata and chunks of a recording, as far as they are switched on.
#[derive(Debug, Clone)]
pub struct Order {
    settings: OrderSettings,
    retired: Vec<u64>,
    strata: Option<(StrataArbiter, Writer)>,
    chunks: Option<(ChunkCounter, Writer)>,
}

impl Order {
    /// A recording that begins now.
    pub fn new(settings: OrderSettings, harts: usize) -> Self {
        let mode = settings.mode;
        Self {
            settings,
            retired: vec![0; harts],
            strata: mode.strata.then(|| {
                let writer = Writer::new(OrderKind::Strata);
                (StrataArbiter::new(settings), writer)
            }),
            chunks: mode.chunks.then(|| {
                let writer = Writer::new(OrderKind::Chunks);
                (ChunkCounter::new(settings, harts), writer)
            }),
        }
    }

    /// An instruction of a hart retires.
    pub fn retire(&mut self, hart: usize, r: &Retire) {
        self.before_next();
        let accesses = !r.trap && (r.mem_rmask | r.mem_wmask) != 0;
        let access = accesses.then(|| Access {
            block: self.settings.block(r.mem_addr),
            reads: r.mem_rmask != 0,
            writes: r.mem_wmask != 0,
        });
        if let Some((arbiter, writer)) = &mut self.strata {
            let stratum =
                access.and_then(|access| arbiter.access(hart as u8, access.block, access.writes));
            stratum.into_iter().for_each(|s| put_stratum(writer, s));
        }
        if let Some((counter, writer)) = &mut self.chunks {
            put_chunks(writer, counter.retire(hart, access, r.trap));
        }
        self.retired[hart] += 1;
    }

    /// Somebody other than the harts writes.
    pub fn external(&mut self, addr: u32) {
        self.before_next();
        let block = self.settings.block(addr);
        if let Some((arbiter, writer)) = &mut self.strata {
            let stratum = arbiter.access(EXTERNAL, block, true);
            stratum.into_iter().for_each(|s| put_stratum(writer, s));
            writer.put_external(block);
        }
        if let Some((counter, writer)) = &mut self.chunks {
            put_chunks(writer, counter.external(block));
            writer.put_external(block);
        }
    }

    /// An interval of a hart has ended.
    pub fn interval_ended(&mut self) {
        for writer in self.writers() {
            writer.interval_ends = writer.interval_ends.saturating_add(1);
        }
    }

    /// The recording ends.
    pub fn stop(&mut self, reason: EndReason) {
        self.close_strata(reason);
        self.close_chunks(reason);
    }

    /// The finished records since the last call.
    pub fn take_records(&mut self) -> Vec<OrderRecord> {
        let writers = self.writers();
        writers
            .flat_map(|w| std::mem::take(&mut w.records))
            .collect()
    }

    fn writers(&mut self) -> impl Iterator<Item = &mut Writer> {
        let strata = self.strata.as_mut().map(|(_, writer)| writer);
        let chunks = self.chunks.as_mut().map(|(_, writer)| writer);
        strata.into_iter().chain(chunks)
    }

    /// A record that is full is closed, and one is open.
    fn before_next(&mut self) {
        if self.strata.as_ref().is_some_and(|(_, w)| w.is_full()) {
            self.close_strata(EndReason::Length);
        }
        if self.chunks.as_ref().is_some_and(|(_, w)| w.is_full()) {
            self.close_chunks(EndReason::Length);
        }
        let retired = self.retired.clone();
        self.writers().for_each(|writer| writer.begin(&retired));
    }

    fn close_strata(&mut self, reason: EndReason) {
        if let Some((arbiter, writer)) = &mut self.strata {
            put_stratum(writer, arbiter.take());
            writer.end(reason);
        }
    }

    fn close_chunks(&mut self, reason: EndReason) {
        if let Some((counter, writer)) = &mut self.chunks {
            put_chunks(writer, counter.close());
            writer.end(reason);
        }
    }
}

fn put_stratum(writer: &mut Writer, strides: Strides) {
    writer.put(OrderElement::Stratum(strides));
}

fn put_chunks(writer: &mut Writer, chunks: Vec<Chunk>) {
    for Chunk { hart, size } in chunks {
        writer.put(OrderElement::Chunk { hart, size });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(order: &mut Order, kind: OrderKind) -> Vec<OrderElement> {
        order.stop(EndReason::Stopped);
        let records = order.take_records();
        let of_kind = records.iter().filter(|record| record.kind == kind);
        of_kind
            .flat_map(|record| record.elements().map(Result::unwrap).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn a_block_written_again_is_logged_again_only_after_something_else() {
        let load = Retire {
            mem_addr: 0x8000_0108,
            mem_rmask: 15,
            ..Retire::default()
        };
        let mut order = Order::new(OrderSettings::default(), 2);
        order.external(0x8000_0104);
        order.external(0x8000_0108);
        order.retire(1, &load);
        order.external(0x8000_0108);
        let mut strides = [0; 8];
        let strata = elements(&mut order.clone(), OrderKind::Strata);
        let external = OrderElement::External(0x800_0010);
        let none = OrderElement::Stratum(strides);
        strides[1] = 1;
        assert_eq!(
            strata,
            [external, none, external, OrderElement::Stratum(strides)]
        );
        let chunk = OrderElement::Chunk { hart: 1, size: 1 };
        let chunks = elements(&mut order, OrderKind::Chunks);
        assert_eq!(chunks, [external, chunk, external]);
    }
}
