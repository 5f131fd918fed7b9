//! The suites' own tools. They are tested here and not beside their code, so that the circuits of the
//! library are not compiled a second time for its tests.

use lookback_sim_tests::blocks::sources::{block_types, blocks_of};
use lookback_sim_tests::faults::{block, edit, faults, random};
use lookback_sim_tests::torture::campaign::Programs;
use lookback_sim_tests::torture::compare::first;
use lookback_sim_tests::torture::generate::{program, Profile};
use lookback_sim_tests::torture::image::{Image, RAM};
use lookback_sim_tests::torture::random::Random;

#[test]
fn an_edit_fits_one_place_or_is_refused() {
    let verilog = "if (a) begin\n    b = c;\nend\nb = d;\n";
    assert_eq!(
        edit(verilog, "if (a) begin b = c;", "b = c;").unwrap(),
        "b = c;\nend\nb = d;\n"
    );
    assert!(edit(verilog, "b =", "c =")
        .unwrap_err()
        .contains("2 places"));
    assert!(edit(verilog, "e = f", "").unwrap_err().contains("rotted"));
}

#[test]
fn names_are_unique_and_blocks_exist() {
    let mut names: Vec<&str> = faults().map(|fault| fault.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for fault in faults() {
        block(fault.block).unwrap();
    }
}

#[test]
fn every_edit_still_fits() {
    let rotted = faults().filter_map(|fault| {
        let design = block(fault.block).unwrap().design().unwrap();
        let error = edit(&design.verilog, fault.from, fault.to).err()?;
        Some(format!("{}: {error}", fault.name))
    });
    let rotted: Vec<String> = rotted.collect();
    assert!(rotted.is_empty(), "{}", rotted.join("\n"));
}

#[test]
fn changes_what_is_computed_and_nothing_else() {
    let verilog = "module top(a);\nlocalparam k = 4'h3;\nalways @(*) begin\n\
                   if (a == b) begin\n    c = a + 4'h1;\nend\nclock = clock;\nend\nendmodule\n";
    let found = random::all(verilog);
    let after: Vec<&str> = found.iter().map(|m| m.after.trim()).collect();
    assert_eq!(
        after,
        [
            "localparam k = 4'h2;",
            "if (a != b) begin",
            "if (!(a == b)) begin",
            "c = a - 4'h1;",
            ";",
            "c = a + 4'h0;",
        ]
    );
    assert!(found[3].apply(verilog).contains("    c = a - 4'h1;\n"));
    assert_eq!(random::some(verilog, 4, 7).len(), 4);
}

#[test]
fn blocks_are_found_however_they_are_written() {
    let text = "circuit! {\n    /// One.\n    pub struct One [A] {\n    }\n}\n\
                \ncircuit! {\n    pub struct Two {\n    }\n}\n\
                #[derive(LogicBlock, Default)]\npub struct Three<const N: usize> {}\n\
                pub struct Four {}\nimpl<const N: usize> Logic for Four<N> {}\n\
                pub struct NoBlock {}\nstruct Hidden {}\nimpl Logic for Hidden {}\n\
                \n#[cfg(test)]\nmod tests {\n#[derive(LogicBlock)]\npub struct Five {}\n}\n";
    assert_eq!(
        blocks_of(&format!("\n{text}")),
        ["Four", "One", "Three", "Two"]
    );
}

#[test]
fn the_sources_have_blocks() {
    let found = block_types().unwrap();
    for name in [
        "lookback_hdl::recorder::dictionary::Dictionary",
        "lookback_hdl::drain::framer::Framer",
        "lookback_hdl::memory::BlockRam",
        "lookback_hdl::soc::hart::Hart",
        "lookback_hdl::boards::alone::SimSoc",
    ] {
        assert!(found.iter().any(|f| f == name), "{name} of {found:#?}");
    }
    assert!(!found.iter().any(|name| name.contains("testing")));
}

#[test]
fn the_name_of_programs_is_what_repeats_them() {
    for name in ["common:0x10", "own:0x10+64"] {
        let programs: Programs = name.parse().expect("a name");
        assert_eq!(programs.to_string(), name);
    }
    for wrong in ["", "common", "other:1", "own:x", "own:1+0", "own:1+513"] {
        assert!(wrong.parse::<Programs>().is_err(), "{wrong}");
    }
}

/// One changed word in one of two equal memories, and what is said of it.
#[test]
fn every_changed_word_is_found_and_named() {
    let programs = [1, 2].map(|seed| program(seed, Profile::Common, 20));
    let image = Image::new(&programs);
    let memory = image.memory(16 << 20);
    assert_eq!(first(&image, [&memory, &memory], true), None);
    let place = &image.places[1];
    for (addr, what) in [
        (place.log(), "mcause of trap 0"),
        (place.log() + 32 + 20, "mip of trap 1"),
        (place.signature() + 20, "x5 at the end"),
        (place.signature() + 128, "CSR 0x300 at the end"),
        (place.data + 4092, "data at"),
        (place.code.start, "code at"),
    ] {
        let mut other = memory.clone();
        other[(addr - RAM) as usize / 4] ^= 1 << 31;
        let found = first(&image, [&memory, &other], true).expect("it differs");
        assert_eq!((found.program, found.addr), (Some(1), addr));
        assert!(found.what.starts_with(what), "{}", found.what);
    }
}

#[test]
fn a_seed_names_its_numbers_for_good() {
    let mut random = Random::new(1);
    assert_eq!(random.bits(), 0x910a_2dec_8902_5cc1);
    assert!((0..1000).all(|_| random.below(7) < 7));
}
