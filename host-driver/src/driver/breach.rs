//! What to say when a core broke a rule of the retirement port.

use lookback_log_format::Breach;
use lookback_replay::disasm::disassemble;

/// The breach in one line: rule, instruction, and what it said instead of what.
pub fn describe(breach: &Breach) -> String {
    let Breach {
        rule,
        at,
        pc,
        insn,
        want,
        got,
    } = breach;
    let text = disassemble(*insn, *pc);
    let values = if want == got {
        String::new()
    } else {
        format!(" (wanted {want:#010x}, the core said {got:#010x})")
    };
    format!(
        "the core broke rule {number} of its retirement port, `{rule}`: {sentence}. Instruction {at} at \
         {pc:#010x}, {text}, is the first that did not keep it{values}",
        number = rule.code(),
        sentence = rule.sentence(),
    )
}
