//! Modes TRIANGLES and INDICES, versions 0 and 1: vertex numbers as places among those that came last.

const CUT: &str = "the stream ends in its middle";
const LEFT_OVER: &str = "something is left over at its end";

/// The last 16 things that were put into it.
struct Recent<T> {
    things: [T; 16],
    next: usize,
}

impl<T: Copy> Recent<T> {
    fn new(empty: T) -> Self {
        Self { things: [empty; 16], next: 0 }
    }

    fn push(&mut self, thing: T) {
        self.things[self.next] = thing;
        self.next = (self.next + 1) % 16;
    }

    /// The thing that was put in `back` steps ago, 1 for the last one.
    fn get(&self, back: usize) -> T {
        self.things[self.next.wrapping_sub(back) % 16]
    }
}

/// A number in groups of seven bits, the lowest first.
fn variable(data: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for group in 0..5 {
        let byte = *data.split_off_first()?;
        number |= u32::from(byte & 0x7f).wrapping_shl(7 * group);
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}

/// The difference that `number` stands for: 0, -1, 1, -2 and so on.
fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// The vertex numbers of `count / 3` triangles.
pub(super) fn triangles(stream: &[u8], count: usize) -> Result<Vec<u32>, &'static str> {
    let (&header, rest) = stream.split_first().ok_or(CUT)?;
    let version = header & 0x0f;
    if header & 0xf0 != 0xe0 || version > 1 {
        return Err("it begins unlike any stream of triangles");
    }
    let (codes, rest) = rest.split_at_checked(count / 3).ok_or(CUT)?;
    let table_at = rest.len().checked_sub(16).ok_or(CUT)?;
    let (mut data, table) = rest.split_at(table_at);
    let mut state = State { edges: Recent::new([!0; 2]), vertices: Recent::new(!0), next: 0, last: 0, version };
    let mut numbers = Vec::with_capacity(count);
    for &code in codes {
        let corners =
            if code < 0xf0 { state.beside_an_edge(code, &mut data) } else { state.on_its_own(code, table, &mut data) };
        numbers.extend(corners.ok_or(CUT)?);
    }
    if data.is_empty() { Ok(numbers) } else { Err(LEFT_OVER) }
}

/// What both sides know while a stream of triangles is read.
struct State {
    edges: Recent<[u32; 2]>,
    vertices: Recent<u32>,
    /// The first vertex that has not been seen.
    next: u32,
    /// The last vertex that was told by its difference.
    last: u32,
    version: u8,
}

impl State {
    fn take_next(&mut self) -> u32 {
        let next = self.next;
        self.next = next.wrapping_add(1);
        next
    }

    fn take_difference(&mut self, data: &mut &[u8]) -> Option<u32> {
        self.last = self.last.wrapping_add(unzigzag(variable(data)?));
        Some(self.last)
    }

    /// A triangle that shares an edge with a recent one.
    fn beside_an_edge(&mut self, code: u8, data: &mut &[u8]) -> Option<[u32; 3]> {
        let [a, b] = self.edges.get(1 + usize::from(code >> 4));
        let back = code & 15;
        let c = match back {
            0 => {
                let next = self.take_next();
                self.vertices.push(next);
                next
            }
            13 | 14 if self.version >= 1 => {
                self.last = if back == 13 { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                self.vertices.push(self.last);
                self.last
            }
            15 => {
                let vertex = self.take_difference(data)?;
                self.vertices.push(vertex);
                vertex
            }
            _ => self.vertices.get(1 + usize::from(back)),
        };
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Some([a, b, c])
    }

    /// A triangle that does not.
    fn on_its_own(&mut self, code: u8, table: &[u8], data: &mut &[u8]) -> Option<[u32; 3]> {
        let (first, others) = match code {
            0xfe | 0xff => (if code == 0xfe { 0 } else { 15 }, *data.split_off_first()?),
            _ => (0, *table.get(usize::from(code & 15))?),
        };
        if code >= 0xfe && others == 0 {
            self.next = 0;
        }
        let backs = [first, others >> 4, others & 15];
        // What is new or recent is settled first, then what is told by its difference.
        let corners = backs.map(|back| match back {
            0 => self.take_next(),
            back => self.vertices.get(usize::from(back)),
        });
        let told = |back: u8| back == 15 && code >= 0xfe;
        let mut told_corners = corners;
        for (corner, back) in told_corners.iter_mut().zip(backs) {
            if told(back) {
                *corner = self.take_difference(data)?;
            }
        }
        let [a, b, c] = told_corners;
        for (i, (corner, back)) in told_corners.into_iter().zip(backs).enumerate() {
            if i == 0 || back == 0 || told(back) {
                self.vertices.push(corner);
            }
        }
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Some([a, b, c])
    }
}

/// `count` vertex numbers, each told by its difference from one of two that came before.
pub(super) fn sequence(stream: &[u8], count: usize) -> Result<Vec<u32>, &'static str> {
    let (&header, rest) = stream.split_first().ok_or(CUT)?;
    if header & 0xf0 != 0xd0 || header & 0x0f > 1 {
        return Err("it begins unlike any stream of indices");
    }
    let mut data = rest.get(..rest.len().checked_sub(4).ok_or(CUT)?).ok_or(CUT)?;
    let mut last = [0_u32; 2];
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let number = variable(&mut data).ok_or(CUT)?;
        let last = &mut last[(number & 1) as usize];
        *last = last.wrapping_add(unzigzag(number >> 1));
        numbers.push(*last);
    }
    if data.is_empty() { Ok(numbers) } else { Err(LEFT_OVER) }
}
