//! Draco-compressed primitives (KHR_draco_mesh_compression).

use super::accessor::AccessorReader;
use super::diagnostic::JsonLocation;
use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::ImportError;
use super::limits::Limit;
use super::source::GltfFile;
use crate::gltf_format::{ComponentType, ElementFormat};
use crate::util::panic_guard::catch_silently;
use crate::util::parallel::*;
use crate::util::text::quoted;
use draco_core::{DataType, DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointAttribute, PointIndex};
use gltf::json::mesh::Mode;
use gltf::json::validation::Checked;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const NAME: &str = "KHR_draco_mesh_compression";

/// The stream of a primitive, and the accessors that it fills.
struct CompressedPrimitive<'a> {
    at: JsonLocation,
    stream: &'a [u8],
    is_strip: bool,
    indices: TargetAccessor,
    /// Accessors by the unique attribute ID in the stream.
    attributes: Vec<(u32, TargetAccessor)>,
}

struct TargetAccessor {
    accessor: usize,
    format: ElementFormat,
    count: usize,
}

impl TargetAccessor {
    fn size_bytes(&self) -> u64 {
        (self.count as u64).saturating_mul(self.format.padded_size() as u64)
    }
}

/// Decodes all Draco streams into [`GltfFile::decoded_accessors`]. The decoder returns triangles for strips, too, so that these become
/// primitives of triangles.
pub(super) fn decode_accessors(gltf_file: &mut GltfFile, diagnostics: &mut Diagnostics) -> Result<(), ImportError> {
    let (decoded, strips) = decode_streams(gltf_file, diagnostics)?;
    for Strip { mesh, primitive, indices } in strips {
        let document = &mut gltf_file.document;
        // Without the stream, the primitive remains a strip.
        let Some(Some(elements)) = decoded.get(&indices) else { continue };
        document.meshes[mesh].primitives[primitive].mode = Checked::Valid(Mode::Triangles);
        if let Some(accessor) = document.accessors.get_mut(indices)
            && let Checked::Valid(component) = accessor.component_type
        {
            accessor.count = (elements.len() / component.0.size()).into();
        }
    }
    gltf_file.decoded_accessors = decoded;
    Ok(())
}

/// A compressed primitive of mode TRIANGLE_STRIP.
struct Strip {
    mesh: usize,
    primitive: usize,
    /// Accessor of its indices.
    indices: usize,
}

/// Tightly packed elements by accessor index; `None` if they cannot be decoded.
type DecodedAccessors = BTreeMap<usize, Option<Vec<u8>>>;

/// Returns the elements of all streams, and the strips among their primitives.
fn decode_streams(
    gltf_file: &GltfFile,
    diagnostics: &mut Diagnostics,
) -> Result<(DecodedAccessors, Vec<Strip>), ImportError> {
    let mut strips = Vec::new();
    let document = &gltf_file.document;
    let mut jobs = Vec::new();
    let mut decoded = BTreeMap::new();
    let (mut planned, mut total) = (BTreeSet::new(), 0_u64);
    let max = gltf_file.policy.limits.get(Limit::Decompressed);
    let mut failed: Vec<(ImportError, Vec<usize>)> = Vec::new();
    for (m, mesh) in document.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let extension = primitive.extensions.as_ref().and_then(|extensions| extensions.others.get(NAME));
            let Some(extension) = extension.filter(|extension| extension.is_object()) else { continue };
            let at = document.location("meshes", m).child(format!("primitives/{p}"), format!("primitive {p}"));
            let job = match CompressedPrimitive::read(gltf_file, extension, primitive, at) {
                Ok(job) => job,
                Err(error) => {
                    let all = primitive.attributes.values().chain(&primitive.indices);
                    failed.push((error, all.map(|accessor| accessor.value()).collect()));
                    continue;
                }
            };
            if job.is_strip {
                strips.push(Strip { mesh: m, primitive: p, indices: job.indices.accessor });
            }
            // Primitives may share all of their accessors.
            if job.accessors().all(|accessor| planned.contains(&accessor)) {
                continue;
            }
            planned.extend(job.accessors());
            total = job.targets().fold(total, |total, target| total.saturating_add(target.size_bytes()));
            if total > max {
                let what = format!("{}: bytes of all decompressed meshes", job.at);
                let (pointer, limit) = (job.at.pointer, Limit::Decompressed);
                return Err(ImportError::Limit { pointer, what, count: total, limit, max });
            }
            jobs.push(job);
        }
    }
    let results: Vec<_> = match jobs.as_slice() {
        [] => Vec::new(),
        [job] => vec![job.decode_caught()],
        jobs => jobs.par_iter().map(CompressedPrimitive::decode_caught).collect(),
    };
    for (job, result) in jobs.iter().zip(results) {
        match result {
            Ok(accessors) => decoded.extend(accessors.into_iter().map(|(accessor, bytes)| (accessor, Some(bytes)))),
            Err(error) => failed.push((error, job.accessors().collect())),
        }
    }
    for (error, accessors) in failed {
        diagnostics.leave_out_geometry(error, LEFT_OUT)?;
        for accessor in accessors {
            decoded.entry(accessor).or_insert(None);
        }
    }
    Ok((decoded, strips))
}

impl<'a> CompressedPrimitive<'a> {
    fn read(
        gltf_file: &'a GltfFile,
        extension: &Value,
        primitive: &gltf::json::mesh::Primitive,
        at: JsonLocation,
    ) -> Result<Self, ImportError> {
        let reader = AccessorReader::new(gltf_file);
        let target = |accessor: usize| -> Result<TargetAccessor, ImportError> {
            let (format, count) =
                reader.format(accessor).map_err(|problem| ImportError::Accessor { at: at.clone(), problem })?;
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            Ok(TargetAccessor { accessor, format, count })
        };
        let view = extension.get("bufferView").and_then(super::json::integer);
        let stream =
            view.and_then(|view| gltf_file.view(view)).ok_or_else(|| invalid(&at, "its buffer view has no data"))?;
        let is_strip = matches!(primitive.mode, Checked::Valid(Mode::TriangleStrip));
        if !is_strip && !matches!(primitive.mode, Checked::Valid(Mode::Triangles)) {
            return Err(invalid(&at, "its mode is neither TRIANGLES nor TRIANGLE_STRIP"));
        }
        let indices = primitive.indices.ok_or_else(|| invalid(&at, "the primitive has no indices to be filled"))?;
        let indices = target(indices.value())?;
        if !indices.format.is_integer() || indices.format.component_count() != 1 {
            return Err(invalid(&at, "the primitive's indices are not integers"));
        }
        let mut attributes = Vec::new();
        for (name, id) in extension.get("attributes").and_then(Value::as_object).into_iter().flatten() {
            let id = super::json::integer(id).and_then(|id| u32::try_from(id).ok());
            let id = id.ok_or_else(|| invalid(&at, "an attribute ID is not an integer"))?;
            let found = primitive.attributes.iter().find(|(key, _)| match key {
                Checked::Valid(semantic) => semantic.to_string() == *name,
                Checked::Invalid => false,
            });
            // Attributes that the primitive does not use are skipped.
            if let Some((_, accessor)) = found {
                attributes.push((id, target(accessor.value())?));
            }
        }
        Ok(Self { at, stream, is_strip, indices, attributes })
    }

    fn targets(&self) -> impl Iterator<Item = &TargetAccessor> {
        self.attributes.iter().map(|(_, target)| target).chain([&self.indices])
    }

    fn accessors(&self) -> impl Iterator<Item = usize> {
        self.targets().map(|target| target.accessor)
    }

    /// Decodes the stream. Returns elements by accessor index.
    fn decode_caught(&self) -> Result<Vec<(usize, Vec<u8>)>, ImportError> {
        let decoded = catch_silently(|| self.decode()).unwrap_or_else(|| Err("the stream is broken".into()));
        decoded.map_err(|problem| invalid(&self.at, &problem))
    }

    fn decode(&self) -> Result<Vec<(usize, Vec<u8>)>, String> {
        let all: u64 = self.attributes.iter().map(|(_, target)| target.size_bytes()).sum();
        // Intermediate values are larger than in the file: a byte may become a word.
        let limits = DecodeLimits::default()
            .with_max_points(self.attributes.iter().map(|(_, target)| target.count as u64).max().unwrap_or(0))
            .with_max_faces(self.indices.count as u64)
            .with_max_decoded_bytes(all.saturating_mul(4).saturating_add(1 << 16));
        let mut mesh = Mesh::new();
        let mut buffer = DecoderBuffer::new(self.stream).with_limits(limits);
        let broken = |error: draco_core::DracoError| quoted(&error.to_string()).trim_matches('"').to_owned();
        MeshDecoder::new().decode(&mut buffer, &mut mesh).map_err(broken)?;

        let mut decoded = Vec::with_capacity(self.attributes.len() + 1);
        let indices: Vec<u32> = mesh.faces().iter().flatten().map(|point| point.0).collect();
        if !self.is_strip && indices.len() != self.indices.count {
            return Err(format!("it has {} indices, but the accessor has {}", indices.len(), self.indices.count));
        }
        let largest = indices.iter().max().map_or(0, |largest| u64::from(*largest));
        if largest >> (8 * self.indices.format.component.size()).min(63) > 0 {
            return Err(format!("its largest index {largest} does not fit the component type of the accessor"));
        }
        let size = self.indices.format.component.size();
        let bytes = indices.iter().flat_map(|index| index.to_le_bytes().into_iter().take(size)).collect();
        decoded.push((self.indices.accessor, bytes));
        for (id, target) in &self.attributes {
            let attribute = mesh.attribute_by_unique_id(*id).ok_or_else(|| format!("it has no attribute {id}"))?;
            let (points, format) = (mesh.num_points(), target.format);
            if points != target.count {
                return Err(format!("it has {points} vertices, but the accessor has {}", target.count));
            }
            if usize::from(attribute.num_components()) != format.component_count() {
                let (found, expected) = (attribute.num_components(), format.component_count());
                return Err(format!(
                    "its attribute {id} has {found} components per vertex, but the accessor has {expected}"
                ));
            }
            let elements = convert(attribute, points, format).ok_or("an attribute is truncated")?;
            decoded.push((target.accessor, elements));
        }
        Ok(decoded)
    }
}

fn invalid(at: &JsonLocation, problem: &str) -> ImportError {
    let problem = format!("its {NAME} cannot be read: {problem}; copy or export the file again");
    ImportError::InvalidData { at: at.clone(), problem }
}

/// Converts an attribute to the accessor's format. Returns `None` if it has too few elements.
fn convert(attribute: &PointAttribute, points: usize, format: ElementFormat) -> Option<Vec<u8>> {
    let (stride, components) = (usize::try_from(attribute.byte_stride()).ok()?, format.component_count());
    let (kind, size) = (attribute.data_type(), attribute.data_type().byte_length());
    let data = attribute.buffer().data();
    let mut bytes = Vec::with_capacity(points * format.padded_size());
    for point in 0..points {
        let value = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
        let start = value.checked_mul(stride)?;
        let item = data.get(start..start.checked_add(components * size)?)?;
        if is_same(kind, format.component) {
            bytes.extend_from_slice(item);
        } else {
            for number in item.chunks_exact(size.max(1)) {
                write(read(number, kind)?, format.component, &mut bytes);
            }
        }
    }
    Some(bytes)
}

fn is_same(kind: DataType, component: ComponentType) -> bool {
    matches!(
        (kind, component),
        (DataType::Int8, ComponentType::I8)
            | (DataType::Uint8, ComponentType::U8)
            | (DataType::Int16, ComponentType::I16)
            | (DataType::Uint16, ComponentType::U16)
            | (DataType::Uint32, ComponentType::U32)
            | (DataType::Float32, ComponentType::F32)
    )
}

/// Reads a component. All but the largest integers are exact in double precision.
fn read(bytes: &[u8], kind: DataType) -> Option<f64> {
    Some(match (kind, bytes) {
        (DataType::Int8, &[a]) => f64::from(a as i8),
        (DataType::Uint8 | DataType::Bool, &[a]) => f64::from(a),
        (DataType::Int16, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
        (DataType::Uint16, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
        (DataType::Int32, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
        (DataType::Uint32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
        (DataType::Float32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        (DataType::Int64, bytes) => i64::from_le_bytes(bytes.try_into().ok()?) as f64,
        (DataType::Uint64, bytes) => u64::from_le_bytes(bytes.try_into().ok()?) as f64,
        (DataType::Float64, bytes) => f64::from_le_bytes(bytes.try_into().ok()?),
        _ => return None,
    })
}

/// Appends `number` as the nearest value of the component type.
fn write(number: f64, component: ComponentType, bytes: &mut Vec<u8>) {
    match component {
        ComponentType::I8 => bytes.extend((number as i8).to_le_bytes()),
        ComponentType::U8 => bytes.extend((number as u8).to_le_bytes()),
        ComponentType::I16 => bytes.extend((number as i16).to_le_bytes()),
        ComponentType::U16 => bytes.extend((number as u16).to_le_bytes()),
        ComponentType::U32 => bytes.extend((number as u32).to_le_bytes()),
        ComponentType::F32 => bytes.extend((number as f32).to_le_bytes()),
    }
}
