//! Guards against what rust-hdl silently gets wrong: its simulation follows Rust, the Verilog it
//! emits is the same text read by Verilog's rules.
//!
//! Three kinds of trap are found here, on the AST that `#[hdl_gen]` leaves behind:
//! - expressions that Verilog evaluates with another precedence or another width (`expression`);
//! - names that Verilog or SystemVerilog reserve (`keywords`), which yosys takes and Verilator does not;
//! - ports of a top that are not flat, which come out with `$` in their names.
//!
//! `rtl-gen` refuses a design with findings. A block's own tests call [`lint`] and want it empty.

mod expression;
mod keywords;

use std::collections::HashMap;
use std::fmt;

use rust_hdl::core::type_descriptor::TypeKind;
use rust_hdl::prelude::*;

use expression::Checker;
pub use keywords::is_keyword;

/// What kind of trap a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Operators without parentheses that Verilog groups differently.
    Precedence,
    /// An operand of a comparison has bits above its width in Verilog (carry, borrow, inversion).
    WideCompare,
    /// A shifted value has bits above its width that `>>` brings down, or the distance has.
    WideShift,
    /// A widening `bit_cast` keeps bits that Rust drops.
    WideCast,
    /// A narrow operand meets a wider one, an index, a reduction or a condition before it is cut
    /// to its width.
    WideOperand,
    /// A bit or slice is taken of an expression, which is no Verilog.
    SelectOfExpression,
    /// `Signed` values: slow, and they overflow the stack at the most negative value.
    SignedValue,
    /// A name that the module does not declare, such as a const generic in an expression.
    UnknownName,
    /// An array inside an arrayed block, which is emitted under a wrong name.
    NestedArray,
    /// A reserved word as a name.
    Keyword,
    /// A port of a top inside an interface or an array.
    PortNotFlat,
}

impl Rule {
    fn advice(self) -> &'static str {
        match self {
            Rule::Precedence => "Verilog groups these operators differently; add parentheses",
            Rule::WideCompare => "Verilog compares more bits than Rust; assign to a Local first",
            Rule::WideShift => "Verilog shifts more bits than Rust; assign to a Local first",
            Rule::WideCast => "the cast keeps bits that Rust drops; assign to a Local first",
            Rule::WideOperand => "Verilog widens this operand; assign to a Local first",
            Rule::SelectOfExpression => "bits of an expression are no Verilog; use a Local",
            Rule::SignedValue => "signed values are not used; compute with Bits",
            Rule::UnknownName => "not declared in the Verilog; use a Constant field",
            Rule::NestedArray => "arrays inside arrayed blocks are emitted under a wrong name",
            Rule::Keyword => "reserved by Verilog or SystemVerilog; choose another name",
            Rule::PortNotFlat => "a top's ports must be plain signals, not interfaces or arrays",
        }
    }
}

/// One place where the Verilog of a design would differ from its simulation, or be refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Instance path from the top, dots between the names.
    pub path: String,
    /// What is wrong.
    pub rule: Rule,
    /// The expression or name, written as in Rust.
    pub subject: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}: `{}`: {}",
            self.path,
            self.subject,
            self.rule.advice()
        )
    }
}

/// Checks every expression and every name of a block and of all blocks inside it.
pub fn lint<B: Block>(block: &B) -> Vec<Finding> {
    let mut walk = Walk::default();
    block.accept("top", &mut walk);
    walk.findings
}

/// [`lint`], and that all ports of the block are plain signals: what a top needs.
pub fn lint_top<B: Block + ?Sized>(block: &B) -> Vec<Finding> {
    let mut walk = Walk {
        flat_top: true,
        ..Walk::default()
    };
    block.accept("top", &mut walk);
    walk.findings
}

/// A module while its fields are being visited.
#[derive(Default)]
struct Scope {
    name: String,
    /// Interfaces that are open within this module.
    interfaces: Vec<String>,
    names: Names,
}

/// Widths of what a module declares; array indices are replaced by `#`.
type Names = HashMap<String, usize>;

#[derive(Default)]
struct Walk {
    scopes: Vec<Scope>,
    findings: Vec<Finding>,
    flat_top: bool,
}

impl Walk {
    fn path(&self) -> String {
        let names: Vec<&str> = self.scopes.iter().map(|s| s.name.as_str()).collect();
        names.join(".")
    }

    fn say(&mut self, rule: Rule, subject: &str) {
        self.findings.push(Finding {
            path: self.path(),
            rule,
            subject: subject.to_owned(),
        });
    }

    fn declare_enum(&mut self, kind: &TypeKind, width: usize) {
        match kind {
            TypeKind::Enum(labels) => {
                for label in labels {
                    let label = label.replace("::", "$");
                    for scope in self.scopes.iter_mut().rev().take(2) {
                        scope.names.insert(label.clone(), width);
                    }
                }
            }
            TypeKind::Composite(fields) => {
                for field in fields {
                    self.declare_enum(&field.kind.kind, width);
                }
            }
            TypeKind::Signed(_) | TypeKind::Bits(_) => {}
        }
    }
}

/// `lane$3$data` and `lane[i]$data` are both `lane$#$data`.
fn without_indices(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').map_or(rest.len(), |n| open + n + 1);
        out.push_str(&rest[..open]);
        out.push_str("$#");
        rest = &rest[close..];
    }
    out.push_str(rest);
    let parts = out.split('$').map(|part| {
        let number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if number {
            "#"
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join("$")
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        if is_keyword(name) {
            self.say(Rule::Keyword, name);
        }
        self.scopes.push(Scope {
            name: name.to_owned(),
            ..Scope::default()
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.interfaces.push(name.to_owned());
        }
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let Some(scope) = self.scopes.last() else {
            return;
        };
        let mut full = scope.interfaces.clone();
        full.push(name.to_owned());
        let full = full.join("$");
        let in_parent = format!("{}${full}", scope.name);

        // Inside an interface or an array the emitted name carries a `$` and is no keyword.
        if is_keyword(&full) {
            self.say(Rule::Keyword, name);
        }
        let port = signal.kind().is_parameter();
        if self.flat_top && self.scopes.len() == 1 && port && full.contains('$') {
            self.say(Rule::PortNotFlat, &full);
        }
        if matches!(signal.descriptor().kind, TypeKind::Signed(_)) {
            self.say(Rule::SignedValue, name);
        }
        self.declare_enum(&signal.descriptor().kind, signal.bits());
        let mut inside_out = self.scopes.iter_mut().rev();
        if let Some(own) = inside_out.next() {
            own.names.insert(without_indices(&full), signal.bits());
        }
        if let (true, Some(parent)) = (port, inside_out.next()) {
            parent
                .names
                .insert(without_indices(&in_parent), signal.bits());
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.interfaces.pop();
        }
    }

    fn visit_end_scope(&mut self, _name: &str, node: &dyn Block) {
        let path = self.path();
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        if let Verilog::Combinatorial(code) = node.hdl() {
            let mut checker = Checker::new(&scope.names);
            checker.block(&code);
            for (rule, subject) in checker.into_found() {
                self.findings.push(Finding {
                    path: path.clone(),
                    rule,
                    subject,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
