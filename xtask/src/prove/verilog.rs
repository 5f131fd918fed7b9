//! Cuts a block out of a preset's Verilog, so that a proof is about what is shipped, and makes its
//! memories fit for proofs.

use super::header::Block;
use anyhow::{ensure, Context, Result};

/// The modules of a block, under the name that the proof gives it. A path has `$` between its
/// instances; presets with plain names have two underscores there.
pub fn extract(verilog: &str, top: &str, block: &Block) -> Result<String> {
    let plain = verilog.contains(&format!("\nmodule {top}__"));
    let joint = if plain { "__" } else { "$" };
    let prefix = if block.path.is_empty() {
        top.to_owned()
    } else {
        format!("{top}{joint}{}", block.path.replace('$', joint))
    };
    let modules: String = modules(verilog)
        .into_iter()
        .filter(|(name, _)| {
            name.strip_prefix(&prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(joint))
        })
        .map(|(_, text)| text.replace(&prefix, &block.name))
        .collect();
    ensure!(
        !modules.is_empty(),
        "preset {} has no block \"{}\"",
        block.preset,
        block.path
    );
    Ok(modules)
}

/// Each module with its name.
fn modules(verilog: &str) -> Vec<(&str, String)> {
    let mut modules: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in verilog.lines() {
        if let Some(rest) = line.strip_prefix("module ") {
            let name = rest.split('(').next().unwrap_or_default().trim();
            modules.push((name, String::new()));
            open = true;
        }
        if let (true, Some((_, text))) = (open, modules.last_mut()) {
            text.push_str(line);
            text.push('\n');
        }
        open &= !line.starts_with("endmodule");
    }
    modules
}

/// Lets a signal have any value in any cycle, instead of what drives it: an assignment, or the output
/// of an instance. Its module is the block's own, or the one that stands with a point before it.
pub fn set_free(verilog: &str, block: &str, signal: &str) -> Result<String> {
    let (path, signal) = signal.rsplit_once('.').unwrap_or(("", signal));
    let within = |name: &str| {
        let rest = name.strip_prefix(block).unwrap_or_default();
        name.starts_with(block) && rest.trim_start_matches(['$', '_']) == path
    };
    let mut out = String::with_capacity(verilog.len());
    let mut found = false;
    for (name, module) in modules(verilog) {
        let is_it = within(name);
        found |= is_it;
        out.push_str(&match is_it {
            true => freed(&module, signal)?,
            false => module,
        });
    }
    ensure!(found, "the block has no instance \"{path}\"");
    Ok(out)
}

/// One module with a signal that nothing drives.
fn freed(module: &str, signal: &str) -> Result<String> {
    let named = format!(" {signal};");
    let declares = |line: &&str| {
        let text = line.trim();
        text.ends_with(&named) && (text.starts_with("reg ") || text.starts_with("wire "))
    };
    let declaration = module.lines().find(declares);
    let declaration = declaration.with_context(|| format!("nothing declares \"{signal}\""))?;
    if declaration.trim().starts_with("wire ") {
        let open = format!("\n    (* anyseq *) {}\n", declaration.trim());
        let text = edit(module, &format!("\n{declaration}\n"), &open)?;
        return edit(&text, &format!("({signal})"), "()");
    }
    let driver = format!("{signal}$free");
    let assigned = |line: &&str| line.trim().starts_with(&format!("{signal} = "));
    let assignment = module.lines().find(assigned);
    let assignment = assignment.with_context(|| format!("nothing assigns \"{signal}\""))?;
    let open = declaration.replacen("reg ", "(* anyseq *) wire ", 1);
    let open = open.replacen(&named, &format!(" {driver};"), 1);
    let both = format!("\n{open}\n{declaration}\n");
    let text = edit(module, &format!("\n{declaration}\n"), &both)?;
    edit(&text, assignment.trim(), &format!("{signal} = {driver};"))
}

/// Replaces text that must occur exactly once.
pub fn edit(verilog: &str, old: &str, new: &str) -> Result<String> {
    let matches = verilog.matches(old).count();
    ensure!(
        matches == 1,
        "\"{old}\" occurs {matches} times in the block's Verilog and must occur once"
    );
    Ok(verilog.replacen(old, new, 1))
}

/// What a proof needs of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memories {
    /// Two words at a place that the proof chooses.
    TwoWords,
    /// Nothing: each read gives anything.
    Forget,
}

/// Makes every memory keep two words, at the place `watched` and the next, and forget all others: a
/// read elsewhere, or of the word that is being written, may give anything. The real memory is one
/// of the cases, so what is proved of this one holds for it, and no proof grows with a memory's
/// size. The proof drives `watched` with a constant that it leaves open, and may look at
/// `watched_word` and `next_word`. Or it makes them keep nothing, which is more cases still.
pub fn abstract_memories(verilog: &str, kept: Memories) -> Result<String> {
    let mut out = String::with_capacity(verilog.len());
    for (_, module) in modules(verilog) {
        out.push_str(&match module.lines().any(declares_memory) {
            true => abstract_memory(&module, kept)?,
            false => module,
        });
    }
    Ok(out)
}

/// `reg [7:0] mem [0:15];`, or as rust-hdl's own memory says it: `reg[7:0] mem[15:0];`.
fn declares_memory(line: &str) -> bool {
    let text: String = line.split_whitespace().collect();
    text.contains("]mem[") && text.contains("reg[")
}

fn abstract_memory(module: &str, kept: Memories) -> Result<String> {
    let at = module
        .lines()
        .position(declares_memory)
        .context("a memory is declared")?;
    let declaration = module.lines().nth(at).context("counted above")?;
    let bounds: Vec<usize> = declaration
        .split_once("reg")
        .context("a memory is an array of registers")?
        .1
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    let ([word, 0, 0, place] | [word, 0, place, 0]) = bounds[..] else {
        anyhow::bail!("cannot read the bounds of \"{declaration}\"");
    };
    ensure!(
        (place + 1).is_power_of_two(),
        "\"{declaration}\": places are no power of two"
    );
    let place = place.ilog2();
    // A memory with marks has them above its data.
    let marked = module.contains("{read_mark, read_data} <= mem[read_address];");
    let (read_data, write_data) = match marked {
        true => ("{read_mark, read_data}", "{write_mark, write_data}"),
        false => ("read_data", "write_data"),
    };
    let module = &module
        .replace("{read_mark, read_data} <= mem", "read_data <= mem")
        .replace("<= {write_mark, write_data};", "<= write_data;");
    let text: String = module.split_whitespace().collect();
    let synchronous = text.contains("read_data<=mem[read_address];");
    ensure!(
        synchronous || text.contains("read_data=mem[read_address];"),
        "the memory \"{declaration}\" is read in no known way"
    );
    let written = [
        "if(write_enable)mem[write_address]<=write_data;",
        "if(write_enable)beginmem[write_address]<=write_data;end",
    ];
    ensure!(
        written.iter().any(|form| text.contains(form)),
        "the memory \"{declaration}\" is written in no known way"
    );
    let head: Vec<&str> = module.lines().take(at).collect();
    if kept == Memories::Forget {
        return Ok(format!(
            "{}
    (* anyseq *) wire [{word}:0] unknown;
    always @(*) {read_data} = unknown;
endmodule
",
            head.join("\n")
        ));
    }
    // rust-hdl's own memory has two clocks, which are the same one here.
    let clock = if text.contains("@(posedgewrite_clock)") {
        "write_clock"
    } else {
        "clock"
    };
    let read = if synchronous {
        format!(
            "always @(posedge {clock}) {read_data} <= \
             write_enable && write_address == read_address ? unknown : word;"
        )
    } else {
        format!("always @(*) {read_data} = word;")
    };
    Ok(format!(
        "{}
    wire [{place}:0] watched;
    wire [{place}:0] next_place = watched + 1'b1;
    reg [{word}:0] watched_word;
    reg [{word}:0] next_word;
    (* anyseq *) wire [{word}:0] unknown;
    wire [{word}:0] word = read_address == watched ? watched_word
        : read_address == next_place ? next_word : unknown;
    {read}
    always @(posedge {clock}) begin
        if (write_enable && write_address == watched) watched_word <= {write_data};
        if (write_enable && write_address == next_place) next_word <= {write_data};
    end
endmodule
",
        head.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: &str = "// Generated.\n\nmodule t(clock);\n t$a a(\n );\nendmodule // t\n\
        module t$a(clock);\n t$a$m m(\n );\n x = 1;\nendmodule // t$a\n\
        module t$a$m(clock);\n reg [7:0] mem [0:15];\n\
        always @(posedge clock) begin\n   read_data <= mem[read_address];\n   \
        if (write_enable) mem[write_address] <= write_data;\nend\nendmodule // t$a$m\n\
        module t$ab(clock);\nendmodule // t$ab\n";

    fn block(path: &str) -> Block {
        Block {
            preset: "p".into(),
            path: path.into(),
            name: "part".into(),
        }
    }

    #[test]
    fn cuts_out_the_block_alone() {
        let text = extract(DESIGN, "t", &block("a")).expect("there");
        assert!(text.starts_with("module part(clock);\n part$m m(\n"));
        assert!(text.ends_with("endmodule // part$m\n"));
        assert!(extract(DESIGN, "t", &block("c")).is_err());
        let whole = extract(DESIGN, "t", &block("")).expect("there");
        assert_eq!(whole.matches("endmodule").count(), 4);
    }

    #[test]
    fn a_free_signal_has_another_driver() {
        let text = "module t();\n    reg full;\n    always @(*) begin\n        full = a & b;\n";
        let freed = set_free(text, "t", "full").expect("it is there");
        assert!(freed.contains("(* anyseq *) wire full$free;\n    reg full;\n"));
        assert!(freed.contains("        full = full$free;\n") && !freed.contains("a & b"));
        assert!(set_free(text, "t", "empty").is_err());
        let wide = text.replace("reg full", "reg [1:0] full");
        let freed = set_free(&wide, "t", "full").expect("it is there");
        assert!(freed.contains("(* anyseq *) wire [1:0] full$free;\n    reg [1:0] full;\n"));
    }

    #[test]
    fn an_output_of_an_instance_can_be_free() {
        let text = "module t();\nendmodule // t\nmodule t__a__b();\n    wire [3:0] n_ff__q;\n    \
            t__a__b__n_ff n_ff(\n        .d(n_ff__d),\n        .q(n_ff__q)\n    );\nendmodule // t\n";
        let freed = set_free(text, "t", "a__b.n_ff__q").expect("it is there");
        assert!(freed.contains("    (* anyseq *) wire [3:0] n_ff__q;\n"));
        assert!(freed.contains(".d(n_ff__d),\n        .q()\n"));
        assert!(set_free(text, "t", "n_ff__q").is_err());
        assert!(set_free(text, "t", "a__c.n_ff__q").is_err());
    }

    #[test]
    fn memories_keep_two_words() {
        let block = extract(DESIGN, "t", &block("a")).expect("there");
        let text = abstract_memories(&block, Memories::TwoWords).expect("known form");
        assert!(text.contains("wire [3:0] watched;") && !text.contains("mem["));
        let text = abstract_memories(&block, Memories::Forget).expect("known form");
        assert!(text.contains("read_data = unknown;") && !text.contains("watched"));
        let marked = block
            .replace("read_data <= mem", "{read_mark, read_data} <= mem")
            .replace("<= write_data;", "<= {write_mark, write_data};");
        let text = abstract_memories(&marked, Memories::TwoWords).expect("known form");
        assert!(text.contains("watched_word <= {write_mark, write_data};"));
        let other = DESIGN.replace("<= write_data", "<= 0");
        assert!(abstract_memories(&other, Memories::TwoWords).is_err());
    }

    #[test]
    fn plain_names_have_the_same_paths() {
        let plain = DESIGN.replace('$', "__");
        let memory = extract(&plain, "t", &block("a$m")).expect("there");
        assert!(memory.starts_with("module part(clock);\n reg"));
    }

    #[test]
    fn edits_once_or_not_at_all() {
        assert!(edit(DESIGN, "x = 1", "x = 2").is_ok());
        assert!(edit(DESIGN, "clock", "c").is_err());
        assert!(edit(DESIGN, "absent", "c").is_err());
    }
}
