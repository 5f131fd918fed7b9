//! The head of a program's C file: what it is, how it is built, what goes in, what must come out.
//!
//! The head is the run of lines at the top of the file that start with `// `; each is
//! `// key: value`. `firmware/README.md` lists the keys for those who write programs.

use crate::target::target;

/// What a program's head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// One line about the program.
    pub summary: String,
    /// How a run ends.
    pub expect: Expect,
    /// The call stack at a crash, innermost function first, inlined ones included.
    pub stack: Vec<String>,
    /// The function that holds the mistake, for a crash.
    pub bug: Option<String>,
    /// Retired instructions that a run does not exceed.
    pub limit: u64,
    /// Compiler options in place of the usual optimisation level.
    pub build: Vec<String>,
    /// Whether the program runs on the project's own board.
    pub board: bool,
    /// Whether the program runs on QEMU's `virt` machine too.
    pub virt: bool,
    /// Other cores that it is built for.
    pub cores: Vec<String>,
    /// Numbers of harts that it is built for; empty for one that runs on hart 0 alone.
    pub harts: Vec<u8>,
    /// Bytes for the console's input.
    pub stdin: Vec<u8>,
    /// The whole console output, line by line, as patterns: see [`Header::console_matches`].
    pub console: Vec<String>,
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// The finisher says "pass".
    Pass,
    /// The finisher says "fail" with this code.
    Fail(u16),
    /// The last exception has this cause and its pc lies in this function.
    CrashIn(Cause, String),
    /// The last exception has this cause and its pc lies in no function; the instruction before it
    /// was in this function.
    CrashFrom(Cause, String),
    /// The trap handler itself cannot run.
    Lockup,
}

impl Expect {
    /// The word that the test finisher must have been given, `0xdead_0000` for a lockup.
    pub fn finish_code(&self) -> u32 {
        let fail = |code: u32| 0x3333 | code << 16;
        match self {
            Expect::Pass => 0x5555,
            Expect::Fail(code) => fail(u32::from(*code)),
            Expect::CrashIn(cause, _) | Expect::CrashFrom(cause, _) => fail(128 + cause.number()),
            Expect::Lockup => 0xdead_0000,
        }
    }
}

/// An exception that ends a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A jump to an address that is not a multiple of 4.
    InstructionMisaligned,
    /// A fetch from where nothing is.
    InstructionAccessFault,
    /// A word that is no instruction.
    IllegalInstruction,
    /// `ebreak`.
    Breakpoint,
    /// A load from a misaligned address.
    LoadMisaligned,
    /// A load from where nothing is.
    LoadAccessFault,
    /// A store to a misaligned address.
    StoreMisaligned,
    /// A store to where nothing is.
    StoreAccessFault,
}

impl Cause {
    const NAMES: [(Cause, &'static str); 8] = [
        (Cause::InstructionMisaligned, "instruction-misaligned"),
        (Cause::InstructionAccessFault, "instruction-access-fault"),
        (Cause::IllegalInstruction, "illegal-instruction"),
        (Cause::Breakpoint, "breakpoint"),
        (Cause::LoadMisaligned, "load-misaligned"),
        (Cause::LoadAccessFault, "load-access-fault"),
        (Cause::StoreMisaligned, "store-misaligned"),
        (Cause::StoreAccessFault, "store-access-fault"),
    ];

    /// The value of `mcause`.
    pub fn number(self) -> u32 {
        self as u32
    }

    fn named(name: &str) -> Option<Cause> {
        Self::NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(cause, _)| *cause)
    }
}

impl Header {
    /// Reads the head of a C file; an error is a line number, from 1, and what is wrong there.
    pub fn parse(source: &str) -> Result<Header, (usize, String)> {
        let mut summary = None;
        let mut expect = None;
        let mut limit = None;
        let mut header = Header {
            summary: String::new(),
            expect: Expect::Pass,
            stack: Vec::new(),
            bug: None,
            limit: 0,
            build: Vec::new(),
            board: true,
            virt: true,
            cores: Vec::new(),
            harts: Vec::new(),
            stdin: Vec::new(),
            console: Vec::new(),
        };
        let mut lines = 0;
        for (index, line) in source.lines().enumerate() {
            let Some(line) = line.strip_prefix("// ") else {
                break;
            };
            lines = index + 1;
            let wrong = |problem: &str| (lines, problem.to_owned());
            // Exactly one space parts key and value: a console line may start with spaces.
            let (key, value) = line
                .split_once(':')
                .ok_or(wrong("expected `// key: value`"))?;
            let value = value.strip_prefix(' ').unwrap_or(value);
            let words = || value.split_whitespace().map(str::to_owned);
            match key {
                "summary" => summary = Some(value.to_owned()),
                "expect" => expect = Some(parse_expect(value).map_err(|p| wrong(&p))?),
                "stack" => header.stack = words().collect(),
                "bug" => header.bug = Some(value.to_owned()),
                "limit" => {
                    limit = Some(value.parse().map_err(|_| wrong("limit is not a number"))?);
                }
                "build" => header.build = words().collect(),
                "runs-on" => {
                    (header.board, header.virt) = match value {
                        "board" => (true, false),
                        "board virt" => (true, true),
                        "cores" => (false, false),
                        _ => return Err(wrong("runs-on is `board`, `board virt` or `cores`")),
                    }
                }
                "cores" => {
                    header.cores = words().collect();
                    if let Some(name) = header.cores.iter().find(|name| target(name).is_none()) {
                        return Err(wrong(&format!(
                            "`{name}` is no core that programs are built for"
                        )));
                    }
                }
                "harts" => {
                    let counts = words().map(|word| match word.as_str() {
                        "2" => Ok(2),
                        "4" => Ok(4),
                        _ => Err(wrong("harts are `2`, `4` or `2 4`")),
                    });
                    header.harts = counts.collect::<Result<_, _>>()?;
                }
                "stdin" => header.stdin.extend(unescape(value).map_err(|p| wrong(&p))?),
                "console" => header.console.push(value.to_owned()),
                _ => return Err((lines, format!("unknown key `{key}`"))),
            }
        }
        let missing = |key: &str| (lines + 1, format!("the head has no `{key}`"));
        header.summary = summary.ok_or_else(|| missing("summary"))?;
        header.expect = expect.ok_or_else(|| missing("expect"))?;
        header.limit = limit.ok_or_else(|| missing("limit"))?;
        Ok(header)
    }

    /// Whether this is the console output that the head asks for: exactly its lines, each ended by
    /// a line feed, where `{*}` stands for any characters of one line.
    pub fn console_matches(&self, output: &[u8]) -> bool {
        let output = String::from_utf8_lossy(output);
        let mut lines: Vec<&str> = output.split('\n').collect();
        lines.pop() == Some("")
            && lines.len() == self.console.len()
            && lines
                .iter()
                .zip(&self.console)
                .all(|(line, pattern)| line_matches(line, pattern))
    }
}

fn parse_expect(value: &str) -> Result<Expect, String> {
    let words: Vec<&str> = value.split_whitespace().collect();
    match words[..] {
        ["exit", "pass"] => Ok(Expect::Pass),
        ["exit", "fail", code] => match code.parse() {
            Ok(code) if code != 0 => Ok(Expect::Fail(code)),
            _ => Err(format!("`{code}` is not an exit code from 1 to 65535")),
        },
        ["crash", cause, place @ ("in" | "from"), function] => {
            let cause = Cause::named(cause).ok_or(format!("unknown cause `{cause}`"))?;
            let function = function.to_owned();
            Ok(match place {
                "in" => Expect::CrashIn(cause, function),
                _ => Expect::CrashFrom(cause, function),
            })
        }
        ["lockup"] => Ok(Expect::Lockup),
        _ => Err(format!("cannot read the expectation `{value}`")),
    }
}

/// Bytes of a text with `\n`, `\\` and `\xHH`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let hex = escape.strip_prefix('x').and_then(|digits| digits.get(..2));
        let (byte, length) = match (escape.chars().next(), hex) {
            (Some('n'), _) => (b'\n', 1),
            (Some('\\'), _) => (b'\\', 1),
            (_, Some(hex)) => match u8::from_str_radix(hex, 16) {
                Ok(byte) => (byte, 3),
                Err(_) => return Err(format!("`\\x{hex}` is not a byte")),
            },
            _ => return Err("only \\n, \\\\ and \\xHH are known after a backslash".to_owned()),
        };
        bytes.push(byte);
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

fn line_matches(line: &str, pattern: &str) -> bool {
    match pattern.split_once("{*}") {
        None => line == pattern,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|tail| {
            tail.char_indices()
                .map(|(at, _)| at)
                .chain([tail.len()])
                .any(|at| line_matches(&tail[at..], rest))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "// summary: a test\n// expect: crash load-access-fault in f\n\
        // stack: f main\n// limit: 100\n// stdin: a\\n\\x04\n// console:   two\n\
        // console: at {*}, {*}\n\n// not: the head\n";

    #[test]
    fn reads_a_head() {
        let header = Header::parse(HEAD).unwrap();
        assert_eq!(
            header.expect,
            Expect::CrashIn(Cause::LoadAccessFault, "f".into())
        );
        assert_eq!(header.expect.finish_code(), 0x0085_3333);
        assert_eq!(header.stack, ["f", "main"]);
        assert_eq!(header.stdin, b"a\n\x04");
        assert!(header.virt);
    }

    #[test]
    fn matches_the_whole_console() {
        let header = Header::parse(HEAD).unwrap();
        assert!(header.console_matches(b"  two\nat 80000000, 0\n"));
        assert!(!header.console_matches(b"two\nat 80000000, 0\n"));
        assert!(!header.console_matches(b"  two\nat 80000000, 0"));
        assert!(!header.console_matches(b"  two\nat 80000000, 0\nmore\n"));
    }

    #[test]
    fn names_the_line_of_a_mistake() {
        assert_eq!(
            Header::parse("// summary: x\n// expect: crash boom in f\n")
                .unwrap_err()
                .0,
            2
        );
        assert_eq!(
            Header::parse("// summary: x\n// limit: 5\n").unwrap_err().0,
            3
        );
        assert!(Header::parse("// sumary: x\n")
            .unwrap_err()
            .1
            .contains("sumary"));
        for stdin in ["\\", "\\x4", "\\xzz", "\\q"] {
            assert!(Header::parse(&format!("// stdin: {stdin}\n")).is_err());
        }
    }
}
