//! A primitive's vertices and their order, as the GPU reads them.
//!
//! What is drawn is the file's; in which order, and under which numbers, is free where nothing shows it.

use super::morphs::MorphRuns;
use super::tangents::TangentSpaces;
use super::variant::attribute;
use crate::gpu::{AttributeType, Buffer, Gpu, GpuError, IndexType, VertexArray};
use crate::model::{Influences, Primitive, Topology};
use meshopt_rs::vertex::cache::{analyze_vertex_cache, optimize_vertex_cache};
use meshopt_rs::vertex::fetch::{analyze_vertex_fetch, optimize_vertex_fetch_remap};
use std::borrow::Cow;
use std::rc::Rc;

/// One primitive on the GPU.
pub(crate) struct GpuPrimitive {
    /// What its vertices make.
    pub(crate) topology: Topology,
    /// Number of vertices of the file.
    pub(crate) vertex_count: usize,
    /// Number of vertices on the GPU: the file's, and copies that only drawing needs.
    pub(crate) drawn_count: usize,
    /// The numbers that the GPU's vertices have in the file, those of copies being larger than any of the file's; none where they are the
    /// same.
    renumbered: Option<Vec<u32>>,
    /// Number and type of indices; `None` draws the vertices in their own order.
    pub(crate) indices: Option<(usize, IndexType)>,
    /// Matrices that each vertex blends; 0 without influences.
    pub(crate) influences: usize,
    /// Texels of one target's deltas for one vertex; 0 without morph targets.
    pub(crate) morph_texels: usize,
    /// Whether vertices have normals.
    pub(crate) normals: bool,
    /// Whether vertices have tangents in the file.
    pub(crate) tangents: bool,
    /// Whether they have some to be drawn with: those of the file, or generated ones.
    pub(crate) drawn_tangents: bool,
    /// Whether vertices have colors.
    pub(crate) colors: bool,
    /// The sets of texture coordinates that are there, by their numbers in the file.
    pub(crate) tex_coord_sets: Vec<u32>,
    /// Whether the file has a first set of them; a set that it lacks is all zeros.
    pub(crate) has_first_tex_coords: bool,
    // In drop order: the array refers to the buffers.
    vertex_array: VertexArray,
    _vertex_buffer: Buffer,
    _index_buffer: Option<Buffer>,
}

/// Whether triangles may be drawn in another order than the file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriangleOrder {
    /// They may: each hides what lies behind it, whichever is drawn first.
    Free,
    /// They may not: they are blended.
    OfFile,
}

/// Location; type and count of numbers; first byte and bytes from a vertex to the next.
type Attribute = (u32, (AttributeType, usize), (usize, usize));

/// Attributes one after another, each a run of all its vertices.
#[derive(Default)]
struct Runs {
    bytes: Vec<u8>,
    attributes: Vec<Attribute>,
    /// Vertices of the file that are there once more, numbered after all others.
    copies: Vec<u32>,
    /// For each vertex of a run the number of the one that is written there; none where each has its own place.
    renumbered: Option<Vec<u32>>,
}

impl Runs {
    /// Adds an attribute of the file's vertices, and of the copies.
    fn add<T: bytemuck::Pod>(&mut self, location: u32, format: (AttributeType, usize), items: &[T]) {
        if self.copies.is_empty() {
            self.add_whole(location, format, items);
        } else {
            let copies = self.copies.iter().map(|&copy| items[copy as usize]);
            let items: Vec<T> = items.iter().copied().chain(copies).collect();
            self.add_whole(location, format, &items);
        }
    }

    /// Adds an attribute that has the copies already.
    fn add_whole<T: bytemuck::Pod>(&mut self, location: u32, (ty, count): (AttributeType, usize), items: &[T]) {
        self.attributes.push((location, (ty, count), (self.bytes.len(), size_of::<T>())));
        match &self.renumbered {
            None => self.bytes.extend_from_slice(bytemuck::cast_slice(items)),
            Some(numbers) => {
                for &number in numbers {
                    self.bytes.extend_from_slice(bytemuck::bytes_of(&items[number as usize]));
                }
            }
        }
        // Every run begins at a multiple of four bytes: items are no multiple of it only when they are last.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

impl GpuPrimitive {
    /// Uploads a primitive, its positions as the palette's matrices take them, with those sets of texture coordinates that its material takes.
    pub(crate) fn new(
        gpu: &Rc<Gpu>,
        (primitive, positions, spaces): (&Primitive, &[[f32; 3]], Option<&TangentSpaces>),
        tex_coord_sets: Vec<u32>,
        morph: Option<&MorphRuns>,
        order: TriangleOrder,
    ) -> Result<Self, GpuError> {
        let vertices = &primitive.vertices;
        let copies = spaces.map_or(Vec::new(), |spaces| spaces.copies.clone());
        let drawn_count = vertices.positions.len() + copies.len();
        let topology = if spaces.is_some() { Topology::Triangles } else { primitive.topology };
        let mut indices = spaces.map(|spaces| &spaces.indices).or(primitive.indices.as_ref()).map(Cow::from);
        let mut renumbered = None;
        if let Some(indices) = indices.as_mut().filter(|_| topology == Topology::Triangles) {
            if order == TriangleOrder::Free
                && let Some(reordered) = reordered(indices, drawn_count)
            {
                *indices = reordered.into();
            }
            if let Some((numbers, renamed)) = by_first_use(indices, drawn_count) {
                renumbered = Some(numbers);
                *indices = renamed.into();
            }
        }
        let mut runs = Runs { copies, renumbered, ..Runs::default() };
        runs.add(attribute::POSITION, (AttributeType::F32, 3), positions);
        if let Some(normals) = &vertices.normals {
            runs.add(attribute::NORMAL, (AttributeType::F32, 3), normals);
        }
        if let Some(spaces) = spaces {
            runs.add_whole(attribute::TANGENT, (AttributeType::F32, 4), &spaces.tangents);
        } else if let Some(tangents) = &vertices.tangents {
            runs.add(attribute::TANGENT, (AttributeType::F32, 4), tangents);
        }
        if let Some(colors) = &vertices.colors {
            add_shares(&mut runs, attribute::COLOR, 4, colors);
        }
        for (location, set) in (attribute::TEX_COORDS..).zip(&tex_coord_sets) {
            match vertices.tex_coords.get(*set as usize) {
                Some(coords) => runs.add(location, (AttributeType::F32, 2), coords),
                // A set that the primitive lacks is all zeros.
                None => runs.add(location, (AttributeType::F32, 2), &vec![[0.0_f32; 2]; vertices.positions.len()]),
            }
        }
        if let Some(influences) = &vertices.influences {
            add_influences(&mut runs, influences);
        }
        if !vertices.unnormalized_weights.is_empty() {
            let mut excess = vec![0.0_f32; vertices.positions.len()];
            for &(vertex, sum) in &vertices.unnormalized_weights {
                excess[vertex as usize] = sum - 1.0;
            }
            runs.add(attribute::WEIGHT_EXCESS, (AttributeType::F32, 1), &excess);
        }
        if let Some(morph) = morph {
            runs.add(attribute::MORPH_RUN, (AttributeType::U32, 2), &morph.runs);
        }

        let vertex_buffer = Buffer::with_bytes(gpu, &runs.bytes)?;
        let mut vertex_array = VertexArray::new(gpu)?;
        for (location, format, place) in runs.attributes {
            vertex_array.attribute(location, format, &vertex_buffer, place);
        }
        let (index_buffer, indices) = match indices {
            None => (None, None),
            Some(indices) => {
                let (buffer, ty) = upload_indices(gpu, &indices)?;
                vertex_array.indices(&buffer);
                (Some(buffer), Some((indices.len(), ty)))
            }
        };
        Ok(Self {
            topology,
            vertex_count: vertices.positions.len(),
            drawn_count,
            renumbered: runs.renumbered,
            indices,
            influences: vertices.influences.as_ref().map_or(0, |influences| influences.per_vertex),
            morph_texels: morph.map_or(0, |morph| morph.texels_per_entry),
            normals: vertices.normals.is_some(),
            tangents: vertices.tangents.is_some(),
            drawn_tangents: vertices.tangents.is_some() || spaces.is_some(),
            colors: vertices.colors.is_some(),
            tex_coord_sets,
            has_first_tex_coords: vertices.tex_coords.first().is_some_and(|coords| !coords.is_empty()),
            vertex_array,
            _vertex_buffer: vertex_buffer,
            _index_buffer: index_buffer,
        })
    }

    /// The place among the file's vertices of each of those on the GPU; none of copies.
    pub(crate) fn places_in_file(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let number = |vertex: usize| self.renumbered.as_ref().map_or(vertex, |numbers| numbers[vertex] as usize);
        (0..self.drawn_count).map(number).map(|number| (number < self.vertex_count).then_some(number))
    }

    /// Makes draws read its vertices.
    pub(crate) fn bind(&self) {
        self.vertex_array.bind();
    }

    /// Draws it `instances` times with all that is bound.
    pub(crate) fn draw(&self, gpu: &Gpu, instances: usize) {
        match self.indices {
            Some(indices) => gpu.draw_indexed(self.topology, indices, instances),
            None => gpu.draw_arrays(self.topology, self.vertex_count, instances),
        }
    }
}

/// Slots and weights, up to four of each in an attribute.
fn add_influences(runs: &mut Runs, influences: &Influences) {
    let per_vertex = influences.per_vertex;
    let wide = influences.slots.iter().any(|slot| slot.0 > u16::from(u8::MAX));
    for (number, first) in (0..per_vertex).step_by(4).enumerate() {
        let count = (per_vertex - first).min(4);
        let vertices = influences.slots.chunks_exact(per_vertex).zip(influences.weights.chunks_exact(per_vertex));
        // Places that do not exist hold zeros, so that every item is a multiple of four bytes.
        let at = |i: usize| first + i;
        let slots = vertices.clone().map(|(slots, _)| [0, 1, 2, 3].map(|i| if i < count { slots[at(i)].0 } else { 0 }));
        let location = attribute::SLOTS + number as u32;
        if wide {
            runs.add(location, (AttributeType::U16, count), &slots.collect::<Vec<[u16; 4]>>());
        } else {
            let slots: Vec<[u8; 4]> = slots.map(|slots| slots.map(|slot| slot as u8)).collect();
            runs.add(location, (AttributeType::U8, count), &slots);
        }
        let weights: Vec<[f32; 4]> =
            vertices.map(|(_, weights)| [0, 1, 2, 3].map(|i| if i < count { weights[at(i)] } else { 0.0 })).collect();
        add_shares(runs, attribute::WEIGHTS + number as u32, count, &weights);
    }
}

/// Vertices of the cache that orders are compared by.
const CACHE_SIZE: usize = 32;

/// The share of its misses, or of its fetches, that another order must come down to.
const WORTH_IT: f64 = 0.9;

/// Triangles in an order in which a vertex is used again while its result is still at hand (Forsyth, "Linear-Speed Vertex
/// Cache Optimization", 2006, with meshoptimizer's weights), if that is worth it.
fn reordered(indices: &[u32], vertex_count: usize) -> Option<Vec<u32>> {
    let whole = indices.len() - indices.len() % 3;
    if whole < 6 || indices.iter().any(|&index| index as usize >= vertex_count) {
        return None;
    }
    let mut ordered = vec![0; whole];
    optimize_vertex_cache(&mut ordered, &indices[..whole], vertex_count);
    let misses = |indices| {
        let found = analyze_vertex_cache(indices, vertex_count, CACHE_SIZE, 0, 0).vertices_transformed;
        found as f64
    };
    // Whatever was put in order before stays as it is.
    let gains = misses(&ordered) < WORTH_IT * misses(&indices[..whole]);
    gains.then_some(ordered)
}

/// More indices than this are left as they are: what is counted of them would not fit.
const MOST_INDICES: usize = 1 << 24;

/// Vertices in the order in which triangles come to use them, so that what is fetched together is used together: their numbers, and the
/// indices with the new ones, if that is worth it.
fn by_first_use(indices: &[u32], vertex_count: usize) -> Option<(Vec<u32>, Vec<u32>)> {
    if indices.len() > MOST_INDICES
        || !indices.len().is_multiple_of(3)
        || indices.iter().any(|&i| i as usize >= vertex_count)
    {
        return None;
    }
    let mut places = vec![0; vertex_count];
    let used = optimize_vertex_fetch_remap(&mut places, indices);
    let renamed: Vec<u32> = indices.iter().map(|&index| places[index as usize]).collect();
    let fetched = |indices: &[u32]| analyze_vertex_fetch(indices, vertex_count, size_of::<[f32; 3]>()).bytes_fetched;
    if f64::from(fetched(&renamed)) >= WORTH_IT * f64::from(fetched(indices)) {
        return None;
    }
    // Those that no triangle uses come last.
    let mut numbers = vec![0; vertex_count];
    let mut last = used;
    for (number, &place) in places.iter().enumerate() {
        let place = if (place as usize) < used {
            place as usize
        } else {
            last += 1;
            last - 1
        };
        numbers[place] = number as u32;
    }
    Some((numbers, renamed))
}

/// Adds numbers from 0 to 1 in the fewest bytes that hold each of them as it is: most files have them as integers.
fn add_shares(runs: &mut Runs, location: u32, count: usize, items: &[[f32; 4]]) {
    if let Some(bytes) = as_shares::<u8>(items, 255.0) {
        runs.add(location, (AttributeType::U8Norm, count), &bytes);
    } else if let Some(shorts) = as_shares::<u16>(items, 65_535.0) {
        runs.add(location, (AttributeType::U16Norm, count), &shorts);
    } else {
        runs.add(location, (AttributeType::F32, count), items);
    }
}

/// The integers of which each number is the share of `most` (glTF 2.0, section 3.6.2.2), if all of them are such.
fn as_shares<T: TryFrom<u32> + Copy>(items: &[[f32; 4]], most: f32) -> Option<Vec<[T; 4]>> {
    let share = |x: f32| {
        let integer = (x * most).round();
        // The cast takes what is no number, or out of range, to one that is no match.
        let same = integer / most == x;
        T::try_from(integer as u32).ok().filter(|_| same)
    };
    let four = |item: &[f32; 4]| {
        let [a, b, c, d] = *item;
        Some([share(a)?, share(b)?, share(c)?, share(d)?])
    };
    items.iter().map(four).collect()
}

/// Indices in two bytes where they fit. The largest number of two bytes is left out: some drivers cut strips there.
fn upload_indices(gpu: &Rc<Gpu>, indices: &[u32]) -> Result<(Buffer, IndexType), GpuError> {
    let narrow: Option<Vec<u16>> =
        indices.iter().map(|&index| u16::try_from(index).ok().filter(|&index| index < u16::MAX)).collect();
    Ok(match narrow {
        Some(narrow) => (Buffer::with_bytes(gpu, bytemuck::cast_slice(&narrow))?, IndexType::U16),
        None => (Buffer::with_bytes(gpu, bytemuck::cast_slice(indices))?, IndexType::U32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_loses_nothing_becomes_integers() {
        let bytes = [[0.0, 1.0, 128.0 / 255.0, 3.0 / 255.0]];
        assert_eq!(as_shares::<u8>(&bytes, 255.0), Some(vec![[0, 255, 128, 3]]));
        // A byte's shares are those of shorts, too.
        assert_eq!(as_shares::<u16>(&bytes, 65_535.0), Some(vec![[0, 65_535, 32_896, 771]]));
        let shorts = [[1.0 / 65_535.0, 0.0, 1.0, 40_000.0 / 65_535.0]];
        assert_eq!(as_shares::<u8>(&shorts, 255.0), None);
        assert_eq!(as_shares::<u16>(&shorts, 65_535.0), Some(vec![[1, 0, 65_535, 40_000]]));
        for other in [0.3, -0.1, 1.5, f32::NAN, f32::INFINITY] {
            let item = [[other, 0.0, 0.0, 0.0]];
            assert_eq!((as_shares::<u8>(&item, 255.0), as_shares::<u16>(&item, 65_535.0)), (None, None), "{other}");
        }
    }

    #[test]
    fn triangles_in_another_order_are_the_same_triangles() {
        // A grid whose triangles come in an order that no cache likes.
        let (side, corner) = (20_u32, |x: u32, y: u32| y * 21 + x);
        let mut triangles: Vec<[u32; 3]> = (0..side * side)
            .map(|i| (i * 7919) % (side * side))
            .flat_map(|i| {
                let (x, y) = (i % side, i / side);
                let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
                [[a, b, d], [a, d, c]]
            })
            .collect();
        let indices = triangles.concat();
        let ordered = reordered(&indices, 21 * 21).unwrap();
        let misses = |indices: &[u32]| analyze_vertex_cache(indices, 21 * 21, 16, 0, 0).vertices_transformed;
        assert!(2 * misses(&ordered) < misses(&indices), "{} and {}", misses(&ordered), misses(&indices));
        // Each with its corners in the same order, whichever comes first.
        let turned = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
        let mut found: Vec<[u32; 3]> = ordered.as_chunks::<3>().0.iter().map(|triangle| turned(*triangle)).collect();
        triangles.iter_mut().for_each(|triangle| *triangle = turned(*triangle));
        found.sort_unstable();
        triangles.sort_unstable();
        assert_eq!(found, triangles);
        assert_eq!(reordered(&ordered, 21 * 21), None, "it is in order already");
        assert_eq!((reordered(&[0, 1, 9, 0, 1, 2], 9), reordered(&[0, 1, 2], 3)), (None, None));
    }

    #[test]
    fn vertices_under_new_numbers_are_the_same_vertices() {
        // As many as no cache holds, far from each other; every hundredth is used by nobody.
        let count = 200_000_u32;
        let indices: Vec<u32> = (0..count).map(|i| (i.wrapping_mul(7919)) % count).filter(|i| i % 100 > 0).collect();
        let indices = &indices[..indices.len() / 3 * 3];
        let (numbers, renamed) = by_first_use(indices, count as usize).unwrap();
        let back: Vec<u32> = renamed.iter().map(|&index| numbers[index as usize]).collect();
        assert_eq!(back, indices);
        let mut all = numbers.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..count), "each vertex once");
        assert_eq!(by_first_use(&renamed, count as usize), None, "it is in order already");
        assert_eq!((by_first_use(&[0, 1, 9], 9), by_first_use(&[0, 1], 2)), (None, None));

        let mut runs = Runs { copies: vec![1], renumbered: Some(vec![3, 0, 2, 1]), ..Runs::default() };
        runs.add(0, (AttributeType::U32, 1), &[10_u32, 11, 12]);
        runs.add_whole(1, (AttributeType::U32, 1), &[0_u32, 1, 2, 3]);
        assert_eq!(bytemuck::cast_slice::<u8, u32>(&runs.bytes), [11, 10, 12, 11, 3, 0, 2, 1]);
    }
}
