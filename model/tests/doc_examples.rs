//! The examples of section 10 of `docs/log-format.md`: every line is written here, bin by bin.

use lookback_log_format::config::{Codec, Coder, Compact, TagKind};
use lookback_log_format::RecorderConfig;
use lookback_model::compact::values::{Escape, Items, Predictor, Value};
use std::collections::HashMap;

mod support;

fn items(coder: Coder) -> Items {
    let compact = Compact {
        tags: TagKind::Bits,
        row_words: 4,
        coder,
        last_bits: 6,
        key: 1,
    };
    let config = RecorderConfig {
        codec: Codec::Compact(compact),
        dict_bits: 8,
        ..support::config()
    };
    Items::new(&config, &compact)
}

fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// One item, as the example names it.
fn put(items: &mut Items, what: &str) {
    let mut words = what.split_whitespace();
    let name = words.next().expect("an item has a name");
    let fields: HashMap<&str, u32> = words
        .map(|word| word.split_once('=').expect("name=value"))
        .map(|(name, value)| (name, number(value)))
        .collect();
    let position = fields["position"];
    let hurry = fields.get("hurry") == Some(&1);
    let value = |class, size, predictor| Value {
        class,
        size,
        value: fields["value"],
        predictor,
    };
    match name {
        "register" => items.need(position, value(0, 4, Predictor::Slot(0)), hurry),
        "word" => items.need(position, value(3, 4, Predictor::Pc(fields["pc"])), hurry),
        "byte" => items.need(position, value(1, 1, Predictor::Pc(fields["pc"])), hurry),
        "redirect" => items.redirect(position, fields["from"], fields["to"], hurry),
        "trap" => items.escape(position, Escape::Trap),
        "data" => items.escape(position, Escape::Data),
        _ => panic!("{name} is no item"),
    }
}

#[test]
fn the_examples_hold() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/log-format.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut coder = None;
    let mut wrong = Vec::new();
    let mut examples = 0;
    for line in page.lines() {
        match line {
            "```example compact coder=plain" => coder = Some(Coder::Plain),
            "```example compact coder=arithmetic" => coder = Some(Coder::Arithmetic),
            "```" => coder = None,
            _ => {}
        }
        let (Some(coder), Some((what, bytes))) = (coder, line.split_once(" => ")) else {
            continue;
        };
        let mut items = items(coder);
        what.split("; ")
            .filter(|item| *item != "nothing")
            .for_each(|item| put(&mut items, item));
        let written: Vec<String> = items.finish().iter().map(|b| format!("{b:02x}")).collect();
        examples += 1;
        if written.join(" ") != bytes {
            wrong.push(format!("{what} => {}", written.join(" ")));
        }
    }
    assert!(examples > 8, "{examples}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
