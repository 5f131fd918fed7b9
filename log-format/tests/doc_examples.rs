//! The examples of `docs/log-format.md` are tests: every line is written and read back here.

#![cfg(feature = "std")]

use lookback_log_format::container::{self, Chunk, Found, Writer};
use lookback_log_format::entry::{Entry, EntryReader, EntryWriter, Escape, Value, Widths};
use lookback_log_format::frame::{End, Frame, FrameDecoder};
use lookback_log_format::interval::{EndReason, Gap, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::order::{
    encode, encode_paced, OrderElement, OrderKind, OrderRecord, Pace, MAX_HARTS,
};
use lookback_log_format::{Digest, Retire, FORMAT_VERSION};
use std::collections::{BTreeMap, HashMap};

/// A fenced block whose language is `example`.
struct Block {
    kind: String,
    options: Fields,
    /// Line number, what it is, its bytes.
    lines: Vec<(usize, String, Vec<u8>)>,
}

/// `name=value` words.
struct Fields(HashMap<String, String>);

impl Fields {
    fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let field = |word: &str| {
            let (name, value) = word
                .split_once('=')
                .unwrap_or_else(|| panic!("{word}: not name=value"));
            (name.to_owned(), value.to_owned())
        };
        Self(words.map(field).collect())
    }

    fn text(&self, name: &str) -> &str {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("{name} is missing"))
    }

    fn number(&self, name: &str) -> u64 {
        let text = self.text(name);
        match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
            None => text.parse().unwrap(),
        }
    }

    fn word(&self, name: &str) -> u32 {
        self.number(name).try_into().unwrap()
    }

    fn byte(&self, name: &str) -> u8 {
        self.number(name).try_into().unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    assert_eq!(digits.len() % 2, 0, "half a byte in {text:?}");
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&String::from_iter(pair), 16).unwrap())
        .collect()
}

fn blocks() -> Vec<Block> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/log-format.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```example ") {
            let mut words = info.split_whitespace();
            open = Some(Block {
                kind: words.next().expect("an example has a kind").to_owned(),
                options: Fields::parse(words),
                lines: Vec::new(),
            });
        } else if line.starts_with("```") {
            blocks.extend(open.take());
        } else if let Some(block) = &mut open {
            let (what, bytes) = line
                .split_once(" => ")
                .unwrap_or_else(|| panic!("line {}: no =>", number + 1));
            block.lines.push((number + 1, what.to_owned(), hex(bytes)));
        }
    }
    assert!(open.is_none(), "an example block has no end");
    blocks
}

fn entry(text: &str) -> Entry {
    let mut words = text.split_whitespace();
    let name = words.next().expect("an entry has a name");
    let fields = Fields::parse(words);
    let escape = |escape| Entry::Escape {
        position: fields.word("position"),
        escape,
    };
    match name {
        "operation" => Entry::Operation {
            skipped: fields.word("skipped"),
            value: if fields.has("index") {
                Value::Index(fields.word("index"))
            } else {
                Value::Word(fields.word("word"))
            },
        },
        "redirect" => escape(Escape::Redirect(fields.word("pc"))),
        "trap" => escape(Escape::Trap),
        "fetch" => escape(Escape::Fetch(fields.word("insn"))),
        _ => panic!("{name} is no entry"),
    }
}

fn check_entries(options: &Fields, what: &str, bytes: &[u8]) {
    let widths = Widths {
        count_bits: options.word("count_bits"),
        dict_bits: options.word("dict_bits"),
    };
    let entries: Vec<Entry> = what.split("; ").map(entry).collect();
    let mut writer = EntryWriter::new(widths);
    entries.iter().for_each(|&entry| writer.put(entry));
    assert_eq!(writer.finish(), bytes, "written");
    let mut reader = EntryReader::new(bytes, widths);
    let read: Vec<Entry> = std::iter::from_fn(|| reader.next_entry().unwrap()).collect();
    assert_eq!(read, entries, "read");
}

fn check_frame(fields: &Fields, bytes: &[u8]) {
    let frame = Frame {
        kind: fields.byte("type"),
        hart: fields.byte("hart"),
        seq: fields.number("seq").try_into().unwrap(),
        payload: hex(fields.text("payload")),
    };
    assert_eq!(frame.to_wire(), bytes, "written");
    let mut decoder = FrameDecoder::new();
    let read: Vec<_> = bytes.iter().filter_map(|&b| decoder.push(b)).collect();
    assert_eq!(read, [Ok(frame)], "read");
}

fn check_gap(fields: &Fields, bytes: &[u8]) {
    let gap = Record::Gap(Gap {
        index: fields.word("index"),
        retired: fields.number("retired"),
        cycle: fields.number("cycle"),
        lost: fields.word("lost"),
    });
    assert_eq!(gap.to_bytes(), bytes, "written");
    assert_eq!(Record::from_bytes(bytes), Ok(gap), "read");
}

fn check_compact_interval(fields: &Fields, bytes: &[u8]) {
    let key = fields.byte("key") != 0;
    let interval = Record::Interval(Interval {
        header: Header {
            layout: Layout::Compact { key },
            mode: fields.byte("mode"),
            index: fields.word("index"),
            retired: fields.number("retired"),
            cycle: fields.number("cycle"),
            pc: fields.word("pc"),
            registers: [0; 32],
        },
        entries: hex(fields.text("entries")),
        trailer: Trailer {
            instructions: fields.word("instructions"),
            digest: fields.word("digest"),
            reason: EndReason::from_code(fields.byte("reason")).unwrap(),
        },
    });
    assert_eq!(interval.to_bytes(), bytes, "written");
    assert_eq!(Record::from_bytes(bytes), Ok(interval), "read");
}

fn order_element(text: &str) -> OrderElement {
    let number = |text: &str| text.trim().parse().unwrap();
    if let Some(address) = text.strip_prefix("external 0x") {
        return OrderElement::External(u32::from_str_radix(address, 16).unwrap());
    }
    if let Some((hart, size)) = text.split_once('/') {
        let hart = number(hart) as u8;
        let size = number(size);
        return OrderElement::Chunk { hart, size };
    }
    let mut strides = [0; MAX_HARTS];
    for (stride, text) in strides.iter_mut().zip(text.split(',')) {
        *stride = number(text) as u16;
    }
    OrderElement::Stratum(strides)
}

/// How an element is written.
fn pace(text: &str) -> (Pace, &str) {
    match text.split_once(' ') {
        Some(("hurry", rest)) => (Pace::Hurries, rest),
        Some(("and", rest)) => (Pace::GoesOn, rest),
        _ => (Pace::Calm, text),
    }
}

fn check_order(what: &str, bytes: &[u8]) {
    let (head, tail) = what.split_once(": ").expect("elements after a colon");
    let (name, head) = head.split_once(' ').expect("a kind");
    let fields = Fields::parse(head.split_whitespace());
    let kind = match name {
        "strata" | "calm" => OrderKind::Strata,
        "chunks" => OrderKind::Chunks,
        _ => panic!("{name} is no kind of order"),
    };
    let retired = fields.text("retired").split(',');
    let retired: Vec<u32> = retired.map(|count| count.parse().unwrap()).collect();
    let (paces, elements): (Vec<_>, Vec<_>) = tail
        .split("; ")
        .map(pace)
        .map(|(pace, text)| (pace, order_element(text)))
        .unzip();
    let found = Record::from_bytes(bytes);
    let Ok(Record::Order(found)) = found else {
        panic!("{found:?} is no record of the order");
    };
    let never_hurries = name == "calm";
    let encoded = match kind {
        // What is no longer written is only read.
        OrderKind::Strata if never_hurries => found.elements.clone(),
        OrderKind::Strata => encode_paced(retired.len(), &elements, &paces),
        OrderKind::Chunks => encode(retired.len(), kind, &elements),
    };
    let record = OrderRecord {
        kind,
        index: fields.word("index"),
        retired,
        elements: encoded,
        never_hurries,
        reason: EndReason::from_code(fields.byte("reason")).unwrap(),
    };
    let read: Vec<_> = record.elements().map(Result::unwrap).collect();
    assert_eq!(read, elements, "elements");
    assert_eq!(record.paces(), paces, "paces");
    assert_eq!(Record::Order(record.clone()).to_bytes(), bytes, "written");
    assert_eq!(found, record, "read");
    assert_eq!(
        record.at_paces_of(&record).paces(),
        paces,
        "at its own pace"
    );
}

fn check_digest(digest: &mut Digest, fields: &Fields, bytes: &[u8]) {
    let word = |name| {
        if fields.has(name) {
            fields.word(name)
        } else {
            0
        }
    };
    digest.retire(&Retire {
        trap: word("trap") != 0,
        rd_addr: word("rd") as u8,
        rd_wdata: word("value"),
        pc_rdata: word("pc"),
        mem_addr: word("addr"),
        mem_wmask: word("mask") as u8,
        mem_wdata: word("data"),
        ..Retire::default()
    });
    assert_eq!(digest.value().to_le_bytes(), bytes);
}

fn check_container(what: &str, bytes: &[u8]) {
    let mut words = what.split_whitespace();
    let name = words.next().expect("a chunk has a name");
    let fields = Fields::parse(words);
    let chunk = match name {
        "header" => {
            assert_eq!(fields.number("version"), u64::from(FORMAT_VERSION));
            let mut file = Vec::new();
            Writer::new(&mut file).unwrap();
            assert_eq!(file, bytes, "written");
            assert_eq!(container::read(bytes), Ok(vec![]), "read");
            return;
        }
        "end" => Chunk::End(End {
            reason: EndReason::from_code(fields.byte("reason")).unwrap(),
            code: fields.word("code"),
            retired: fields.number("retired"),
            cycles: fields.number("cycles"),
            stalls: fields.number("stalls"),
            lost: fields.number("lost"),
            fired: None,
            breach: None,
        }),
        "console" => Chunk::Console(fields.text("text").as_bytes().to_vec()),
        _ => panic!("{name} is no chunk"),
    };
    let mut file = Vec::new();
    Writer::new(&mut file).unwrap().put(&chunk).unwrap();
    let (header, written) = file.split_at(container::FILE_HEADER_LEN);
    assert_eq!(written, bytes, "written");
    let file = [header, bytes].concat();
    let offset = container::FILE_HEADER_LEN as u64;
    assert_eq!(
        container::read(&file),
        Ok(vec![Found::Chunk { offset, chunk }]),
        "read"
    );
}

#[test]
fn the_examples_hold() {
    let mut counts = BTreeMap::new();
    for block in blocks() {
        let mut digest = Digest::new();
        for (number, what, bytes) in &block.lines {
            println!("docs/log-format.md, line {number}: {what}");
            let fields = || Fields::parse(what.split_whitespace());
            match block.kind.as_str() {
                "entry" => check_entries(&block.options, what, bytes),
                "frame" => check_frame(&fields(), bytes),
                "gap" => check_gap(&fields(), bytes),
                "compact-interval" => check_compact_interval(&fields(), bytes),
                // Those need the whole codec: `model/tests/doc_examples.rs` has them.
                "compact" => {}
                "order" => check_order(what, bytes),
                "digest" => check_digest(&mut digest, &fields(), bytes),
                "container" => check_container(what, bytes),
                other => panic!("line {number}: {other} is no kind of example"),
            }
            *counts.entry(block.kind.clone()).or_insert(0) += 1;
        }
    }
    for kind in [
        "entry",
        "frame",
        "gap",
        "compact-interval",
        "order",
        "digest",
        "container",
    ] {
        assert!(counts.contains_key(kind), "no example of {kind}");
    }
}
