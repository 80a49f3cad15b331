//! Modes TRIANGLES and INDICES, versions 0 and 1: vertex indices as references to recent ones or as deltas.

const TRUNCATED: &str = "the stream is truncated";
const TRAILING_BYTES: &str = "it has bytes after its end";

/// A FIFO of the last 16 entries.
struct Fifo<T> {
    entries: [T; 16],
    next: usize,
}

impl<T: Copy> Fifo<T> {
    fn new(empty: T) -> Self {
        Self { entries: [empty; 16], next: 0 }
    }

    fn push(&mut self, entry: T) {
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % 16;
    }

    /// Returns the entry pushed `back` pushes ago, 1 for the last one.
    fn get(&self, back: usize) -> T {
        self.entries[self.next.wrapping_sub(back) % 16]
    }
}

/// Decodes a variable-length integer: seven bits per byte, the lowest first.
fn decode_vbyte(data: &mut &[u8]) -> Option<u32> {
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

/// Decodes a zigzag integer: 0, -1, 1, -2 and so on.
fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Decodes the `count` vertex indices of `count / 3` triangles.
pub(super) fn decode_triangles(stream: &[u8], count: usize) -> Result<Vec<u32>, &'static str> {
    let (&header, rest) = stream.split_first().ok_or(TRUNCATED)?;
    let version = header & 0x0f;
    if header & 0xf0 != 0xe0 || version > 1 {
        return Err("its header is not that of a triangle stream");
    }
    let (codes, rest) = rest.split_at_checked(count / 3).ok_or(TRUNCATED)?;
    let table_at = rest.len().checked_sub(16).ok_or(TRUNCATED)?;
    let (mut data, table) = rest.split_at(table_at);
    let mut state = TriangleDecoder { edges: Fifo::new([!0; 2]), vertices: Fifo::new(!0), next: 0, last: 0, version };
    let mut indices = Vec::with_capacity(count);
    for &code in codes {
        let corners = if code < 0xf0 {
            state.decode_edge_triangle(code, &mut data)
        } else {
            state.decode_free_triangle(code, table, &mut data)
        };
        indices.extend(corners.ok_or(TRUNCATED)?);
    }
    if data.is_empty() { Ok(indices) } else { Err(TRAILING_BYTES) }
}

/// State of the triangle decoder.
struct TriangleDecoder {
    edges: Fifo<[u32; 2]>,
    vertices: Fifo<u32>,
    /// The first unused vertex index.
    next: u32,
    /// The last vertex index decoded from a delta.
    last: u32,
    version: u8,
}

impl TriangleDecoder {
    fn next_vertex(&mut self) -> u32 {
        let next = self.next;
        self.next = next.wrapping_add(1);
        next
    }

    fn decode_delta(&mut self, data: &mut &[u8]) -> Option<u32> {
        self.last = self.last.wrapping_add(unzigzag(decode_vbyte(data)?));
        Some(self.last)
    }

    /// Decodes a triangle that shares an edge with a recent one.
    fn decode_edge_triangle(&mut self, code: u8, data: &mut &[u8]) -> Option<[u32; 3]> {
        let [a, b] = self.edges.get(1 + usize::from(code >> 4));
        let back = code & 15;
        let c = match back {
            0 => {
                let next = self.next_vertex();
                self.vertices.push(next);
                next
            }
            13 | 14 if self.version >= 1 => {
                self.last = if back == 13 { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                self.vertices.push(self.last);
                self.last
            }
            15 => {
                let vertex = self.decode_delta(data)?;
                self.vertices.push(vertex);
                vertex
            }
            _ => self.vertices.get(1 + usize::from(back)),
        };
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Some([a, b, c])
    }

    /// Decodes a triangle without a recent edge.
    fn decode_free_triangle(&mut self, code: u8, table: &[u8], data: &mut &[u8]) -> Option<[u32; 3]> {
        let (first, others) = match code {
            0xfe | 0xff => (if code == 0xfe { 0 } else { 15 }, *data.split_off_first()?),
            _ => (0, *table.get(usize::from(code & 15))?),
        };
        if code >= 0xfe && others == 0 {
            self.next = 0;
        }
        let backs = [first, others >> 4, others & 15];
        // New and recent vertices come before those decoded from deltas.
        let mut corners = backs.map(|back| match back {
            0 => self.next_vertex(),
            back => self.vertices.get(usize::from(back)),
        });
        let is_delta = |back: u8| back == 15 && code >= 0xfe;
        for (corner, back) in corners.iter_mut().zip(backs) {
            if is_delta(back) {
                *corner = self.decode_delta(data)?;
            }
        }
        let [a, b, c] = corners;
        for (i, (corner, back)) in corners.into_iter().zip(backs).enumerate() {
            if i == 0 || back == 0 || is_delta(back) {
                self.vertices.push(corner);
            }
        }
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Some([a, b, c])
    }
}

/// Decodes `count` vertex indices, each a delta to one of two previous ones.
pub(super) fn decode_sequence(stream: &[u8], count: usize) -> Result<Vec<u32>, &'static str> {
    let (&header, rest) = stream.split_first().ok_or(TRUNCATED)?;
    if header & 0xf0 != 0xd0 || header & 0x0f > 1 {
        return Err("its header is not that of an index stream");
    }
    let mut data = rest.get(..rest.len().checked_sub(4).ok_or(TRUNCATED)?).ok_or(TRUNCATED)?;
    let mut last = [0_u32; 2];
    let mut indices = Vec::with_capacity(count);
    for _ in 0..count {
        let number = decode_vbyte(&mut data).ok_or(TRUNCATED)?;
        let last = &mut last[(number & 1) as usize];
        *last = last.wrapping_add(unzigzag(number >> 1));
        indices.push(*last);
    }
    if data.is_empty() { Ok(indices) } else { Err(TRAILING_BYTES) }
}
