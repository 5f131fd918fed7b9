//! Numbers as people read them.

/// A count with its thousands apart: 1 234 567.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: 1 interval, 12 intervals.
pub fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(number))
}

/// A rate in three figures: 12.3 k.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e6 => format!("{:.1} M", r / 1e6),
        r if r >= 1e3 => format!("{:.1} k", r / 1e3),
        r => format!("{r:.0}"),
    }
}

/// A size such as `64K` or `16M`, in bytes.
pub fn parse_size(text: &str) -> Result<u32, String> {
    let (digits, unit) = match text.to_ascii_uppercase().trim_end_matches(['B', 'I']) {
        t if t.ends_with('K') => (t[..t.len() - 1].to_string(), 1 << 10),
        t if t.ends_with('M') => (t[..t.len() - 1].to_string(), 1 << 20),
        t => (t.to_string(), 1),
    };
    digits
        .trim()
        .parse::<u32>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| format!("`{text}` is no size; write it like 64K or 16M"))
}

/// A number as C writes it: decimal, or hexadecimal after `0x`.
pub fn parse_number(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    match lower.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => lower.parse().ok(),
    }
}

/// An amount of this machine's memory, such as `512M` or `2G`, in bytes.
pub fn parse_memory(text: &str) -> Result<usize, String> {
    let upper = text.to_ascii_uppercase();
    let gigabytes = upper.trim_end_matches(['B', 'I']).strip_suffix('G');
    let bytes = match gigabytes {
        Some(digits) => digits.trim().parse::<usize>().ok(),
        None => return parse_size(text).map(|bytes| bytes as usize),
    };
    bytes
        .and_then(|number| number.checked_mul(1 << 30))
        .ok_or_else(|| format!("`{text}` is no size; write it like 512M or 2G"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1 234 567");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(plural(1, "interval"), "1 interval");
        assert_eq!(plural(0, "interval"), "0 intervals");
        assert_eq!(plural(1000, "interval"), "1 000 intervals");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("64K"), Ok(64 << 10));
        assert_eq!(parse_size("16m"), Ok(16 << 20));
        assert_eq!(parse_size("1MiB"), Ok(1 << 20));
        assert_eq!(parse_size("4096"), Ok(4096));
        assert!(parse_size("5000M").is_err());
        assert!(parse_size("many").is_err());
        assert_eq!(parse_memory("2G"), Ok(2 << 30));
        assert_eq!(parse_memory("512M"), Ok(512 << 20));
        assert!(parse_memory("much").is_err());
    }
}
