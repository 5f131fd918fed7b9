//! The order within a strata region: writes come after the other harts' reads of the same bytes.
//!
//! No recorder lets a region have an access to a byte after another hart's write of it. So of a read
//! and a write of the same byte by different harts the read was first, and nothing else has to be known.

use super::cursor::Touch;
use std::collections::HashMap;

/// Why a region has no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoOrder {
    /// Two harts write the same byte: a stratum is missing between them. The second one's access.
    TwoWriters {
        /// Hart and number of its access in the region.
        at: (usize, usize),
        /// The other hart.
        other: usize,
    },
    /// Each waits for a read of the other: the access that cannot be placed.
    Circle {
        /// Hart and number of its access in the region.
        at: (usize, usize),
    },
}

/// What the harts do to one byte: how many accesses each makes up to its last read, and who writes.
#[derive(Clone, Copy)]
struct Byte<const N: usize> {
    last_read: [u32; N],
    writer: Option<u8>,
}

/// The most harts that there are.
const MOST: usize = 8;

/// The order of all accesses of a region, as hart and how many of its next ones.
pub fn order(harts: &[Vec<Touch>]) -> Result<Vec<(usize, usize)>, NoOrder> {
    let busy: Vec<usize> = (0..harts.len()).filter(|&h| !harts[h].is_empty()).collect();
    if let [] | [_] = busy[..] {
        return Ok(busy.iter().map(|&hart| (hart, harts[hart].len())).collect());
    }
    let bytes = bytes(harts)?;
    let mut done = vec![0; harts.len()];
    let mut runs = Vec::new();
    loop {
        let mut moved = false;
        for &hart in &busy {
            let start = done[hart];
            while let Some(touch) = harts[hart].get(done[hart]) {
                if !may_go(&bytes, touch, hart, &done) {
                    break;
                }
                done[hart] += 1;
            }
            if done[hart] > start {
                moved = true;
                runs.push((hart, done[hart] - start));
            }
        }
        let waiting = busy.iter().find(|&&hart| done[hart] < harts[hart].len());
        match waiting {
            None => return Ok(runs),
            Some(&hart) if !moved => {
                return Err(NoOrder::Circle {
                    at: (hart, done[hart]),
                })
            }
            Some(_) => {}
        }
    }
}

fn lanes(mask: u8) -> impl Iterator<Item = u32> {
    (0..4u32).filter(move |lane| mask >> lane & 1 == 1)
}

fn bytes(harts: &[Vec<Touch>]) -> Result<HashMap<u32, Byte<MOST>>, NoOrder> {
    let mut bytes: HashMap<u32, Byte<MOST>> = HashMap::new();
    for (hart, touches) in harts.iter().enumerate() {
        for (number, touch) in touches.iter().enumerate() {
            for lane in lanes(touch.rmask | touch.wmask) {
                let byte = bytes.entry(touch.addr.wrapping_add(lane)).or_insert(Byte {
                    last_read: [0; MOST],
                    writer: None,
                });
                if touch.rmask >> lane & 1 == 1 {
                    byte.last_read[hart] = number as u32 + 1;
                }
                if touch.wmask >> lane & 1 == 1 {
                    let other = byte.writer.replace(hart as u8).map(usize::from);
                    if let Some(other) = other.filter(|&other| other != hart) {
                        let at = (hart, number);
                        return Err(NoOrder::TwoWriters { at, other });
                    }
                }
            }
        }
    }
    Ok(bytes)
}

/// Whether all reads are done that an access comes after.
fn may_go(bytes: &HashMap<u32, Byte<MOST>>, touch: &Touch, hart: usize, done: &[usize]) -> bool {
    lanes(touch.wmask).all(|lane| {
        let byte = bytes.get(&touch.addr.wrapping_add(lane));
        byte.is_none_or(|byte| {
            let others = done.iter().enumerate().filter(|(other, _)| *other != hart);
            others
                .into_iter()
                .all(|(other, &done)| done >= byte.last_read[other] as usize)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(addr: u32, rmask: u8, wmask: u8) -> Touch {
        Touch {
            addr,
            rmask,
            wmask,
            rdata: 0,
            wdata: 0,
            retired: 0,
            pc: 0,
            interval: 0,
            position: 0,
        }
    }

    #[test]
    fn a_write_waits_for_the_others_reads() {
        let (read, write) = (touch(4, 15, 0), touch(4, 0, 15));
        let elsewhere = touch(8, 0, 15);
        let harts = [vec![elsewhere, write], vec![read, read], vec![]];
        assert_eq!(order(&harts), Ok(vec![(0, 1), (1, 2), (0, 1)]));
        // Other bytes of the word are something else.
        let harts = [vec![touch(4, 0, 3)], vec![touch(4, 12, 0)]];
        assert_eq!(order(&harts), Ok(vec![(0, 1), (1, 1)]));
    }

    #[test]
    fn a_missing_stratum_shows() {
        let (read_a, write_a) = (touch(4, 15, 0), touch(4, 0, 15));
        let (read_b, write_b) = (touch(8, 15, 0), touch(8, 0, 15));
        let at = (1, 0);
        assert_eq!(
            order(&[vec![write_a], vec![write_a]]),
            Err(NoOrder::TwoWriters { at, other: 0 })
        );
        let harts = [vec![write_a, read_b], vec![write_b, read_a]];
        assert_eq!(order(&harts), Err(NoOrder::Circle { at: (0, 0) }));
    }
}
