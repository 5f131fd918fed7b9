//! ELFs that cannot be used are refused by what they are; unusual ones give a right window.

use lookback_firmware::folder;
use lookback_replay::{Error, Image};

const RAM: std::ops::Range<u64> = 0x8000_0000..0x8001_0000;
const PROGRAM_HEADER_LEN: usize = 32;
/// Numbers of the program headers; number 0 holds attributes.
const TEXT: usize = 1;
const DATA: usize = 2;

fn hello() -> Vec<u8> {
    std::fs::read(folder().join("prebuilt/hello.elf")).unwrap()
}

fn word(file: &[u8], at: usize) -> usize {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize
}

fn set_word(file: &mut [u8], at: usize, value: u32) {
    file[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Where field `field` (in words) of program header `number` is.
fn program_field(file: &[u8], number: usize, field: usize) -> usize {
    word(file, 28) + number * PROGRAM_HEADER_LEN + 4 * field
}

fn refused(change: impl Fn(&mut Vec<u8>)) -> Error {
    let mut file = hello();
    change(&mut file);
    match Image::parse(&file).and_then(|image| image.segments(RAM)) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error,
    }
}

#[test]
fn wrong_files_are_refused_by_what_they_are() {
    let error = refused(|file| file[0] = b'#');
    assert!(matches!(error, Error::NotElf), "{error}");
    let error = refused(|file| file.clear());
    assert!(matches!(error, Error::NotElf), "{error}");
    let error = refused(|file| file[4] = 2);
    assert!(matches!(error, Error::Elf64), "{error}");
    let error = refused(|file| file[5] = 2);
    assert!(matches!(error, Error::BigEndian), "{error}");
    let error = refused(|file| file[18] = 40);
    assert!(matches!(error, Error::WrongMachine(40)), "{error}");
    let error = refused(|file| file[16] = 1);
    assert!(matches!(error, Error::NotExecutable(1)), "{error}");
    let error = refused(|file| file.truncate(2000));
    assert!(matches!(error, Error::BadElf(_)), "{error}");
    let error = refused(|file| file.truncate(30));
    assert!(matches!(error, Error::BadElf(_)), "{error}");
    let error = refused(|file| file[44] = 0);
    assert!(matches!(error, Error::NothingToLoad), "{error}");
}

#[test]
fn segments_must_fit_and_not_overlap() {
    let error = refused(|file| {
        let at = program_field(file, DATA, 3);
        set_word(file, at, 0x8000_0010);
    });
    assert!(matches!(error, Error::Overlap { .. }), "{error}");
    let error = refused(|file| {
        let at = program_field(file, DATA, 3);
        set_word(file, at, 0x9000_0000);
    });
    assert!(matches!(error, Error::OutsideRam { .. }), "{error}");
    let error = refused(|file| {
        let at = program_field(file, DATA, 5);
        set_word(file, at, 0x7fff_0000);
    });
    assert!(matches!(error, Error::OutsideRam { .. }), "{error}");
    let error = refused(|file| {
        let at = program_field(file, DATA, 5);
        set_word(file, at, 0xffff_0000);
    });
    assert!(matches!(error, Error::BadElf(_)), "{error}");
}

#[test]
fn segments_are_the_files_bytes_and_zeros() {
    let file = hello();
    let image = Image::parse(&file).unwrap();
    assert_eq!(image.entry(), 0x8000_0000);
    for segment in image.segments(RAM).unwrap() {
        for (addr, &byte) in (segment.addr..).zip(&segment.bytes) {
            assert_eq!(image.byte(addr), Some(byte));
            if !image.in_file(addr) {
                assert_eq!(byte, 0);
            }
        }
    }
    let mut words = [0; 1024];
    assert!(image.page(0x8_0000, &mut words));
    let offset = word(&file, program_field(&file, TEXT, 1));
    assert_eq!(words[0], word(&file, offset) as u32);
    assert!(!image.page(0x9_0000, &mut words));
}

#[test]
fn the_window_does_not_depend_on_how_the_linker_flags_it() {
    let usual = Image::parse(&hello()).unwrap().window();
    assert!(usual.end - usual.start > 1000);

    // One writable and executable segment, as small linker scripts make it: sections decide.
    let mut writable = hello();
    let flags = program_field(&writable, TEXT, 6);
    writable[flags] = 7;
    assert_eq!(Image::parse(&writable).unwrap().window(), usual);

    // Without section headers the segment that is executable but not writable.
    let mut bare = hello();
    set_word(&mut bare, 32, 0);
    let window = Image::parse(&bare).unwrap().window();
    assert_eq!(window, usual);

    // Neither: whatever is executable. Writes into it are noticed, so this is right as well.
    let flags = program_field(&bare, TEXT, 6);
    bare[flags] = 7;
    let window = Image::parse(&bare).unwrap().window();
    assert_eq!(window, usual);
}

#[test]
fn the_window_follows_the_load_address() {
    let mut moved = hello();
    let load = program_field(&moved, TEXT, 3);
    set_word(&mut moved, load, 0x2000_0020);
    let image = Image::parse(&moved).unwrap();
    // 0x20000020 is not the start of a block: what is before it is not in the file.
    assert_eq!(image.window().start, 0x2000_0040);
    assert!(image.window().all(|addr| image.in_file(addr)));
}
