//! Where Verilog computes something else than Rust from the same text.
//!
//! Rust cuts every intermediate result to its type's width. Verilog widens all operands to the
//! widest of the whole expression first (a plain literal has 32 bits) and cuts at the assignment.
//! `+ - * ~ <<` are right in the low bits either way, so they are fine until something looks at
//! higher bits: a comparison, `>>`, a widening cast, an index. An expression is called *clean* here
//! when Verilog's value has no bits above Rust's width, however wide the context is.

use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional as Else, VerilogExpression as E, VerilogOp as Op,
    VerilogOpUnary as Unary, VerilogStatement as S,
};

use super::{without_indices, Names, Rule};

/// Walks the statements of one module and collects what is wrong.
pub(super) struct Checker<'a> {
    names: &'a Names,
    loop_variables: Vec<String>,
    found: Vec<(Rule, String)>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(names: &'a Names) -> Self {
        Checker {
            names,
            loop_variables: Vec::new(),
            found: Vec::new(),
        }
    }

    pub(super) fn into_found(self) -> Vec<(Rule, String)> {
        self.found
    }

    pub(super) fn block(&mut self, block: &VerilogBlock) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &S) {
        match statement {
            S::Assignment(target, value) => {
                self.target(target);
                self.expression(value);
                // Only conversions that leave no trace in the AST can make these differ.
                if self.narrower(value, self.width(target)) && !self.clean(value) {
                    self.say(Rule::WideOperand, value);
                }
            }
            S::SliceAssignment {
                base,
                offset,
                replacement,
                width,
            } => {
                self.target(base);
                self.index(offset);
                self.expression(replacement);
                if self.narrower(replacement, Some(*width)) && !self.clean(replacement) {
                    self.say(Rule::WideOperand, replacement);
                }
            }
            S::If(conditional) => {
                self.condition(&conditional.test);
                self.block(&conditional.then);
                match &conditional.otherwise {
                    Else::Block(block) => self.block(block),
                    Else::Conditional(statement) => self.statement(statement),
                    Else::None => {}
                }
            }
            S::Match(choice) => {
                self.need_clean(Rule::WideCompare, &choice.test);
                self.expression(&choice.test);
                for case in &choice.cases {
                    self.block(&case.block);
                }
            }
            // A loop over an array of no elements is not in the Verilog.
            S::Loop(repeat) if repeat.from.as_usize() >= repeat.to.as_usize() => {}
            S::Loop(repeat) => {
                self.loop_variables.push(repeat.index.clone());
                self.block(&repeat.block);
                self.loop_variables.pop();
            }
            S::Macro(block) => self.block(block),
            S::Comment(_) | S::Link(_) => {}
        }
    }

    fn say(&mut self, rule: Rule, expression: &E) {
        self.found.push((rule, render(expression)));
    }

    fn need_clean(&mut self, rule: Rule, expression: &E) {
        if !self.clean(expression) {
            self.say(rule, expression);
        }
    }

    fn target(&mut self, target: &E) {
        if let E::Signal(name) = target {
            self.name(name);
        } else {
            self.say(Rule::SelectOfExpression, target);
        }
    }

    fn name(&mut self, name: &str) {
        let plain = name.trim_end_matches("$next");
        if plain.matches('[').count() > 1 {
            self.found.push((Rule::NestedArray, plain.to_owned()));
        } else if !self.is_loop_variable(plain) && self.declared_width(plain).is_none() {
            self.found.push((Rule::UnknownName, plain.to_owned()));
        }
    }

    fn is_loop_variable(&self, name: &str) -> bool {
        self.loop_variables.iter().any(|v| v == name)
    }

    fn declared_width(&self, name: &str) -> Option<usize> {
        let plain = name.trim_end_matches("$next");
        self.names.get(&without_indices(plain)).copied()
    }

    fn expression(&mut self, expression: &E) {
        match expression {
            E::Signal(name) => self.name(name),
            E::Literal(_) => {}
            E::Binary(left, op, right) => self.binary(expression, left, op, right),
            E::Cast(inner, width) => {
                let widens = self.width(inner).is_none_or(|from| from < *width);
                if widens && !self.clean(inner) {
                    self.say(Rule::WideCast, expression);
                }
                self.expression(inner);
            }
            E::Unary(Unary::All | Unary::Any | Unary::Xor, inner) => {
                self.need_clean(Rule::WideOperand, inner);
                self.expression(inner);
            }
            E::Unary(Unary::Not | Unary::Neg, inner) | E::Paren(inner) => self.expression(inner),
            E::Signed(inner) | E::Unsigned(inner) => {
                self.say(Rule::SignedValue, expression);
                self.expression(inner);
            }
            E::Index(base, index) | E::Slice(base, _, index) => {
                if !matches!(**base, E::Signal(_)) {
                    self.say(Rule::SelectOfExpression, expression);
                }
                self.expression(base);
                self.index(index);
            }
            E::IndexReplace(base, index, value) => {
                // The value is shifted in a context as wide as the base.
                self.need_clean(Rule::WideOperand, value);
                self.expression(base);
                self.index(index);
                self.expression(value);
            }
        }
    }

    fn binary(&mut self, whole: &E, left: &E, op: &Op, right: &E) {
        let regroups = |child: &E, right_side: bool| match child {
            E::Binary(_, inner, _) => {
                let (inner, outer) = (precedence(inner), precedence(op));
                inner < outer || (right_side && inner == outer)
            }
            _ => false,
        };
        if regroups(left, false) || regroups(right, true) {
            self.say(Rule::Precedence, whole);
        }
        match op {
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                if !(self.clean(left) && self.clean(right)) {
                    self.say(Rule::WideCompare, whole);
                }
            }
            Op::Shr => {
                if !(self.clean(left) && self.clean(right)) {
                    self.say(Rule::WideShift, whole);
                }
            }
            Op::Shl => self.need_clean(Rule::WideShift, right),
            Op::Mul => {
                self.need_clean(Rule::WideOperand, left);
                self.need_clean(Rule::WideOperand, right);
            }
            Op::LogicalAnd | Op::LogicalOr => {
                self.truth(left);
                self.truth(right);
            }
            Op::Add | Op::Sub | Op::BitAnd | Op::BitOr | Op::BitXor => {
                // A bool added to a number is the one mixed width that Rust allows.
                for (narrow, wide) in [(left, right), (right, left)] {
                    if self.narrower(narrow, self.width(wide)) && !self.clean(narrow) {
                        self.say(Rule::WideOperand, narrow);
                    }
                }
            }
        }
        self.expression(left);
        self.expression(right);
    }

    fn condition(&mut self, test: &E) {
        self.truth(test);
        self.expression(test);
    }

    /// Conditions are asked whether any bit is set, at the expression's own width.
    fn truth(&mut self, test: &E) {
        if !self.boolean(test) {
            self.say(Rule::WideOperand, test);
        }
    }

    /// Built from one-bit parts alone, so that even an inversion stays one bit wide.
    fn boolean(&self, e: &E) -> bool {
        match e {
            E::Unary(Unary::Not, inner) | E::Paren(inner) => self.boolean(inner),
            E::Binary(a, Op::BitAnd | Op::BitOr | Op::BitXor, b) => {
                self.boolean(a) && self.boolean(b)
            }
            _ => self.clean(e),
        }
    }

    /// An index is a `usize` in Rust: no wrap there, and none in Verilog if loop variables and
    /// literals are all it is made of.
    fn index(&mut self, index: &E) {
        if !self.constant(index) {
            self.need_clean(Rule::WideOperand, index);
        }
        self.expression(index);
    }

    fn constant(&self, e: &E) -> bool {
        match e {
            E::Literal(_) => true,
            E::Signal(name) => self.is_loop_variable(name),
            E::Paren(inner) | E::Cast(inner, _) => self.constant(inner),
            E::Binary(a, Op::Add | Op::Sub | Op::Mul, b) => self.constant(a) && self.constant(b),
            _ => false,
        }
    }

    fn clean(&self, e: &E) -> bool {
        match e {
            E::Signal(_) | E::Literal(_) | E::Index(..) | E::Slice(..) => true,
            E::Paren(inner) | E::Signed(inner) | E::Unsigned(inner) => self.clean(inner),
            E::Cast(inner, to) => {
                // The mask of a cast that does not widen removes what leaked.
                self.clean(inner) || self.width(inner).is_some_and(|from| from >= *to)
            }
            E::Binary(a, op, b) => match op {
                Op::BitAnd => self.clean(a) || self.clean(b),
                Op::BitOr | Op::BitXor => self.clean(a) && self.clean(b),
                Op::Shr => self.clean(a),
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => true,
                Op::LogicalAnd | Op::LogicalOr => true,
                Op::Add | Op::Sub | Op::Mul | Op::Shl => self.constant(e),
            },
            E::Unary(Unary::All | Unary::Any | Unary::Xor, _) => true,
            E::Unary(Unary::Not | Unary::Neg, _) => false,
            E::IndexReplace(base, _, _) => self.clean(base),
        }
    }

    /// The width that Rust gives an expression; unknown for literals, which adapt.
    fn width(&self, e: &E) -> Option<usize> {
        match e {
            E::Signal(name) => self.declared_width(name),
            E::Literal(_) => None,
            E::Cast(_, width) | E::Slice(_, width, _) => Some(*width),
            E::Index(..) | E::Unary(Unary::All | Unary::Any | Unary::Xor, _) => Some(1),
            E::Unary(Unary::Not | Unary::Neg, inner)
            | E::Paren(inner)
            | E::Signed(inner)
            | E::Unsigned(inner)
            | E::IndexReplace(inner, _, _) => self.width(inner),
            E::Binary(a, op, b) => match op {
                Op::Add | Op::Sub | Op::BitAnd | Op::BitOr | Op::BitXor => {
                    self.width(a).max(self.width(b))
                }
                Op::Mul => Some(self.width(a)? + self.width(b)?),
                Op::Shl | Op::Shr => self.width(a),
                _ => Some(1),
            },
        }
    }

    fn narrower(&self, e: &E, than: Option<usize>) -> bool {
        matches!((self.width(e), than), (Some(own), Some(other)) if own < other)
    }
}

/// Verilog's binding strength; Rust differs in that its comparisons bind weaker than `& ^ |`.
fn precedence(op: &Op) -> u8 {
    match op {
        Op::LogicalOr => 1,
        Op::LogicalAnd => 2,
        Op::BitOr => 3,
        Op::BitXor => 4,
        Op::BitAnd => 5,
        Op::Eq | Op::Ne => 6,
        Op::Lt | Op::Le | Op::Gt | Op::Ge => 7,
        Op::Shl | Op::Shr => 8,
        Op::Add | Op::Sub => 9,
        Op::Mul => 10,
    }
}

fn symbol(op: &Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
        Op::BitXor => "^",
        Op::BitAnd => "&",
        Op::BitOr => "|",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Eq => "==",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Ne => "!=",
        Op::Ge => ">=",
        Op::Gt => ">",
    }
}

/// The expression as its author wrote it, near enough to find it.
fn render(e: &E) -> String {
    match e {
        E::Signal(name) => name.replace('$', "."),
        E::Literal(value) => value.to_string(),
        E::Cast(inner, width) => format!("bit_cast::<{width}, _>({})", render(inner)),
        E::Signed(inner) => format!("signed_cast({})", render(inner)),
        E::Unsigned(inner) => format!("unsigned_cast({})", render(inner)),
        E::Paren(inner) => format!("({})", render(inner)),
        E::Binary(a, op, b) => format!("{} {} {}", render(a), symbol(op), render(b)),
        E::Unary(Unary::Not, inner) => format!("!{}", render(inner)),
        E::Unary(Unary::Neg, inner) => format!("-{}", render(inner)),
        E::Unary(Unary::All, inner) => format!("{}.all()", render(inner)),
        E::Unary(Unary::Any, inner) => format!("{}.any()", render(inner)),
        E::Unary(Unary::Xor, inner) => format!("{}.xor()", render(inner)),
        E::Index(base, index) => format!("{}.get_bit({})", render(base), render(index)),
        E::Slice(base, width, offset) => {
            format!("{}.get_bits::<{width}>({})", render(base), render(offset))
        }
        E::IndexReplace(base, index, value) => format!(
            "{}.replace_bit({}, {})",
            render(base),
            render(index),
            render(value)
        ),
    }
}
