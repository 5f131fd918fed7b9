//! Which of Verilator's width warnings matter.
//!
//! rust-hdl writes a literal with 32 bits and a widening cast as a mask, so nearly every line warns.
//! What counts is an arithmetic or comparison operator whose *narrow* operand is widened because of
//! something that is not a literal: there Verilog computes with more bits than Rust.

/// What becomes of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Tolerated,
    Fault,
}

/// Operators that let bits above the operand's width through, by Verilator's names.
const OPERATORS: &[&str] = &[
    "ADD", "SUB", "MUL", "MULS", "NEGATE", "NOT", "SHIFTL", "SHIFTR", "EQ", "NEQ", "LT", "LTE",
    "GT", "GTE",
];

const BITWISE: &[&str] = &["AND", "OR", "XOR"];
const COMPARISONS: &[&str] = &["EQ", "NEQ", "LT", "LTE", "GT", "GTE"];

/// Judges one message about the operator at `column` (counted from 1) of a source line.
pub(crate) fn judge(message: &str, line: &str, column: usize) -> Verdict {
    let Some(warning) = Warning::parse(message) else {
        return Verdict::Tolerated;
    };
    // `a & b == c` is `a & (b == c)` in Verilog: a comparison among the operands gives it away.
    if BITWISE.contains(&warning.operator) && COMPARISONS.contains(&warning.operand) {
        return Verdict::Fault;
    }
    // `(a + 1) >> 1`: what is shifted was widened, so a carry comes down with it.
    if warning.operator.starts_with("ASSIGN") && warning.operand == "SHIFTR" {
        return Verdict::Fault;
    }
    if !OPERATORS.contains(&warning.operator) {
        return Verdict::Tolerated;
    }
    // A bool added to a number: zero extension is what Rust does, too. If the surroundings widen
    // the sum, its other operand is warned about as well.
    if matches!(warning.operator, "ADD" | "SUB") && warning.bits == Some(1) {
        return Verdict::Tolerated;
    }
    // rust-hdl's own text for `replace_bit`; the guard has checked the value that is shifted.
    if warning.operator == "SHIFTL" && line.contains(" & ~(1 << (") {
        return Verdict::Tolerated;
    }
    let tokens = tokens(line);
    let Some(at) = tokens.iter().position(|t| t.column == column) else {
        return Verdict::Fault;
    };
    if warning.operator == "NOT" && masked_by_a_name(&tokens, at) {
        return Verdict::Tolerated;
    }
    let other = if warning.left {
        right_operand(&tokens, at)
    } else {
        left_operand(&tokens, at)
    };
    let binary = !matches!(warning.operator, "NOT" | "NEGATE" | "SHIFTL" | "SHIFTR");
    if binary && !other.is_empty() && other.iter().all(|t| !t.is_name()) {
        Verdict::Tolerated
    } else {
        Verdict::Fault
    }
}

/// `Operator ADD expects 32 bits on the LHS, but LHS's VARREF 'a' generates 4 bits.`
struct Warning<'a> {
    operator: &'a str,
    operand: &'a str,
    left: bool,
    bits: Option<usize>,
}

impl<'a> Warning<'a> {
    fn parse(message: &'a str) -> Option<Self> {
        let rest = message.strip_prefix("Operator ")?;
        let (operator, rest) = rest.split_once(' ')?;
        let (expected, generated) = rest.rsplit_once(" generates ")?;
        let (_, operand) = expected.rsplit_once("HS's ")?;
        Some(Warning {
            operator,
            operand: operand.split(' ').next()?,
            left: rest.contains("on the LHS"),
            bits: generated.split(' ').next().and_then(|n| n.parse().ok()),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    column: usize,
}

impl Token<'_> {
    fn is_name(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
    }

    /// Binding strength, for binary operators; everything that ends an operand binds weakest.
    fn strength(&self) -> Option<u8> {
        Some(match self.text {
            "=" | ";" | ":" | "," => 0,
            "||" => 1,
            "&&" => 2,
            "|" => 3,
            "^" => 4,
            "&" => 5,
            "==" | "!=" => 6,
            "<" | "<=" | ">" | ">=" => 7,
            "<<" | ">>" => 8,
            "+" | "-" => 9,
            "*" => 10,
            _ => return None,
        })
    }
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    const PAIRS: &[&str] = &["==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+:"];
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '\'');
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            found.push(Token {
                text: &rest[..length],
                column: at + 1,
            });
        }
        at += length;
    }
    found
}

fn right_operand<'t, 'a>(tokens: &'t [Token<'a>], at: usize) -> &'t [Token<'a>] {
    let strength = tokens[at].strength().unwrap_or(u8::MAX);
    let rest = &tokens[at + 1..];
    let mut depth = 0_i32;
    let end = rest.iter().position(|token| {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        depth < 0 || (depth == 0 && token.strength().is_some_and(|s| s <= strength))
    });
    &rest[..end.unwrap_or(rest.len())]
}

fn left_operand<'t, 'a>(tokens: &'t [Token<'a>], at: usize) -> &'t [Token<'a>] {
    let strength = tokens[at].strength().unwrap_or(u8::MAX);
    let before = &tokens[..at];
    let mut depth = 0_i32;
    let start = before.iter().rposition(|token| {
        match token.text {
            ")" | "]" => depth += 1,
            "(" | "[" => depth -= 1,
            _ => {}
        }
        depth < 0 || (depth == 0 && token.strength().is_some_and(|s| s < strength))
    });
    &before[start.map_or(0, |n| n + 1)..]
}

/// `a & ~b`, with a plain name: its zero bits above its width take away what the inversion set.
fn masked_by_a_name(tokens: &[Token<'_>], inversion: usize) -> bool {
    let name = |operand: &[Token<'_>]| matches!(operand, [token] if token.is_name());
    let is_and = |at: usize| tokens.get(at).is_some_and(|token| token.text == "&");
    let operand_end = inversion + 2;
    (inversion > 0 && is_and(inversion - 1) && name(left_operand(tokens, inversion - 1)))
        || (is_and(operand_end) && name(right_operand(tokens, operand_end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(line: &str, operator: &str, name: &str, side: &str) -> Verdict {
        let column = 1 + line.find(operator).expect("the operator is in the line");
        let message = format!(
            "Operator {name} expects 32 bits on the {side}, but {side}'s VARREF 'a' generates 4 bits."
        );
        judge(&message, line, column)
    }

    #[test]
    fn literals_are_tolerated() {
        for (line, operator, name, side) in [
            ("low = a + 32'h1;", "+", "ADD", "LHS"),
            ("low = 32'h1 + a;", "+", "ADD", "RHS"),
            ("yes = w < 32'h9;", "<", "LT", "LHS"),
            (
                "if ((st == ((32'h1) & 2'h3)) && go) begin",
                "==",
                "EQ",
                "LHS",
            ),
            ("wide = ((a) & 8'hff);", "&", "AND", "LHS"),
            ("yes = (b & ~a) << (32'h3);", "~", "NOT", "LHS"),
            ("yes = (~a & b) << (32'h3);", "~", "NOT", "LHS"),
        ] {
            assert_eq!(
                verdict(line, operator, name, side),
                Verdict::Tolerated,
                "{line}"
            );
        }
    }

    #[test]
    fn widened_operands_are_faults() {
        for (line, operator, name, side) in [
            ("yes = a + 32'h1 == b;", "==", "EQ", "RHS"),
            ("wide = ((a + b) & 8'hff);", "+", "ADD", "LHS"),
            ("yes = a - b > 32'h8;", "-", "SUB", "RHS"),
            ("yes = ~a == 32'hf;", "~", "NOT", "LHS"),
            ("yes = (b + c & ~a) == 32'hf;", "~", "NOT", "LHS"),
            ("yes = (b | ~a) << 32'h3;", "~", "NOT", "LHS"),
            ("wide = ((a << 32'h2) & 8'hff);", "<<", "SHIFTL", "LHS"),
            ("yes = a == w;", "==", "EQ", "LHS"),
        ] {
            assert_eq!(
                verdict(line, operator, name, side),
                Verdict::Fault,
                "{line}"
            );
        }
    }
}
