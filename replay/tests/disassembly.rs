//! Disassembly against GNU objdump over all firmware, and the forms that compilers do not emit.

use lookback_firmware::programs;
use lookback_replay::disasm::{disassemble, target};
use std::process::Command;

#[test]
fn forms_of_every_kind() {
    let pc = 0x8000_0100;
    let cases = [
        (0x0000_0013, "nop"),
        (0x0050_0513, "li\ta0,5"),
        (0xfff0_0513, "li\ta0,-1"),
        (0x0005_8513, "mv\ta0,a1"),
        (0x00b0_0533, "mv\ta0,a1"),
        (0xff01_0113, "addi\tsp,sp,-16"),
        (0x1234_55b7, "lui\ta1,0x12345"),
        (0x0000_0597, "auipc\ta1,0x0"),
        (0x0000_8067, "ret"),
        (0x0007_8067, "jr\ta5"),
        (0x0047_8067, "jr\t4(a5)"),
        (0x0007_80e7, "jalr\ta5"),
        (0x0080_006f, "j\t80000108"),
        (0x0080_00ef, "jal\t80000108"),
        (0x0080_02ef, "jal\tt0,80000108"),
        (0xfe05_1ee3, "bnez\ta0,800000fc"),
        (0x00b5_0463, "beq\ta0,a1,80000108"),
        (0x00a0_5463, "blez\ta0,80000108"),
        (0x0041_2083, "lw\tra,4(sp)"),
        (0xfea1_0fa3, "sb\ta0,-1(sp)"),
        (0x4015_5513, "srai\ta0,a0,0x1"),
        (0xfff5_4513, "not\ta0,a0"),
        (0x0015_3513, "seqz\ta0,a0"),
        (0x40a0_0533, "neg\ta0,a0"),
        (0x02b5_4533, "div\ta0,a0,a1"),
        (0x3420_2573, "csrr\ta0,mcause"),
        (0x3055_1073, "csrw\tmtvec,a0"),
        (0x3004_6073, "csrsi\tmstatus,8"),
        (0xc000_2573, "rdcycle\ta0"),
        (0x1005_252f, "lr.w\ta0,(a0)"),
        (0x18b5_252f, "sc.w\ta0,a1,(a0)"),
        (0x06b5_252f, "amoadd.w.aqrl\ta0,a1,(a0)"),
        (0x0ff0_000f, "fence"),
        (0x0310_000f, "fence\trw,w"),
        (0x0000_100f, "fence.i"),
        (0x0000_0073, "ecall"),
        (0x0010_0073, "ebreak"),
        (0x3020_0073, "mret"),
        (0x1050_0073, "wfi"),
        (0x0000_0000, ".word\t0x00000000"),
        (0xffff_ffff, ".word\t0xffffffff"),
    ];
    for (word, text) in cases {
        assert_eq!(disassemble(word, pc), text, "{word:08x}");
    }
    assert_eq!(target(0x0080_006f, pc), Some(pc + 8));
    assert_eq!(target(0x0000_8067, pc), None);
}

/// Address, word and text of a line like `80000000: 30501073 csrw mtvec,zero` (with tabs).
fn parse(line: &str) -> Option<(u32, u32, String)> {
    let (addr, rest) = line.trim_start().split_once(":\t")?;
    let (word, text) = rest.split_once('\t')?;
    let word = word.trim();
    if word.len() != 8 {
        return None;
    }
    let text = text.split(" #").next()?.split(" <").next()?.trim_end();
    let number = |text: &str| u32::from_str_radix(text, 16).ok();
    Some((number(addr)?, number(word)?, text.into()))
}

/// Versions of objdump differ in whether `add` with an immediate is called `addi`, and so on.
fn with_i(text: &str) -> String {
    let Some((mnemonic, operands)) = text.split_once('\t') else {
        return text.into();
    };
    let last = operands.rsplit(',').next().unwrap_or("");
    let immediate = last.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let short = [
        "add", "and", "or", "xor", "sll", "srl", "sra", "slt", "csrrw", "csrrs", "csrrc", "csrw",
        "csrs", "csrc",
    ]
    .contains(&mnemonic);
    match (immediate && short, mnemonic) {
        (true, _) => format!("{mnemonic}i\t{operands}"),
        (_, "sltu") if immediate => format!("sltiu\t{operands}"),
        _ => text.into(),
    }
}

#[test]
fn agrees_with_objdump() {
    let objdump = "riscv64-unknown-elf-objdump";
    if Command::new(objdump).arg("--version").output().is_err() {
        eprintln!("skipped: {objdump} is not installed");
        return;
    }
    let mut compared = 0;
    for program in programs().unwrap() {
        let output = Command::new(objdump)
            .arg("-d")
            .arg(&program.elf)
            .output()
            .unwrap();
        let listing = String::from_utf8_lossy(&output.stdout).into_owned();
        for (addr, word, text) in listing.lines().filter_map(parse) {
            // Its name for "not an instruction" depends on the version.
            if text.starts_with(".word") || text.starts_with(".4byte") || text == "unimp" {
                continue;
            }
            assert_eq!(disassemble(word, addr), with_i(&text), "{}", program.name);
            compared += 1;
        }
    }
    assert!(
        compared > 1000,
        "only {compared} instructions were compared"
    );
}
