//! Names without `$`: rust-hdl joins paths with it. Verilog allows that, but scripts and some tools of
//! the users do not.

/// What stands for a `$`.
const JOINT: &str = "__";

/// The same Verilog with [`JOINT`] for each `$` inside a name; system tasks such as `$signed` begin
/// with theirs and stay. The error is a name that has a joint already and might become another's.
pub fn without_dollars(verilog: &str) -> Result<String, String> {
    let mut out = String::with_capacity(verilog.len() + verilog.len() / 16);
    for line in verilog.split_inclusive('\n') {
        let mut rest = line;
        while let Some(start) = rest.find(is_name) {
            let length = rest[start..]
                .find(|c| !is_name(c))
                .unwrap_or(rest.len() - start);
            let (before, from_name) = rest.split_at(start);
            let (name, after) = from_name.split_at(length);
            if name.contains(JOINT) {
                return Err(name.to_owned());
            }
            out.push_str(before);
            let (task, body) = match name.strip_prefix('$') {
                Some(body) => ("$", body),
                None => ("", name),
            };
            out.push_str(task);
            out.push_str(&body.replace('$', JOINT));
            rest = after;
        }
        out.push_str(rest);
    }
    Ok(out)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_dollars_and_tasks_do_not() {
        assert_eq!(
            without_dollars("module a$b$c(x); assign y = $signed(a$z) + 4'hf;").as_deref(),
            Ok("module a__b__c(x); assign y = $signed(a__z) + 4'hf;")
        );
    }

    #[test]
    fn a_name_that_could_be_another_is_refused() {
        assert_eq!(without_dollars("wire a__b;"), Err("a__b".to_owned()));
    }
}
