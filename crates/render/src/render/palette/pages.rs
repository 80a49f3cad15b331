//! Splits a palette into pages that fit the buffer texture limit.

use crate::render::error::RenderError;
use rigview_core::palette::{MatrixFormat, PaletteLayout, PrimitiveDraw};
use smallvec::SmallVec;
use std::ops::Range;

/// Split of a palette into pages.
///
/// A page holds as many whole blocks as fit. If one block does not fit, its matrix ranges and morph weights are split over several
/// pages, each a contiguous part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    /// Texels per block.
    stride: usize,
    /// 1 if a block takes several pages.
    blocks_per_page: usize,
    /// Parts of a block, in texels from its first; a single part if it is not split.
    parts: SmallVec<[Range<usize>; 1]>,
}

/// Position within the pages of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageLocation {
    pub(crate) part: usize,
    /// Texels from the start of the part.
    pub(crate) texel: usize,
}

impl PageLayout {
    /// Splits palettes of `layout` into pages of at most `limit` texels.
    ///
    /// # Errors
    /// When a single matrix range, or the weights of a single mesh, exceed the limit.
    pub(crate) fn new(layout: &PaletteLayout, format: MatrixFormat, limit: usize) -> Result<Self, RenderError> {
        let per_matrix = format.texels_per_matrix();
        let matrices = layout.matrix_count as usize * per_matrix;
        let stride = matrices + layout.morph_weight_texels() as usize;
        if stride <= limit {
            let blocks_per_page = limit.checked_div(stride).unwrap_or(usize::MAX);
            return Ok(Self { stride, blocks_per_page, parts: std::iter::once(0..stride).collect() });
        }
        let mut parts: SmallVec<[Range<usize>; 1]> = SmallVec::new();
        let mut add = |len: usize| {
            let end = parts.last().map_or(0, |part| part.end);
            match parts.last_mut().filter(|part| part.len() + len <= limit) {
                Some(part) => part.end += len,
                None => parts.push(end..end + len),
            }
        };
        for matrix_range in &layout.matrix_ranges {
            let (joints, texels) = (matrix_range.len as usize, matrix_range.len as usize * per_matrix);
            if texels > limit {
                return Err(RenderError::SkinTooLarge { joints, texels, limit });
            }
            add(texels);
        }
        let ends = layout.morph_weights.iter().skip(1).map(|(_, first)| *first).chain([layout.morph_weight_count]);
        for ((_, first), end) in layout.morph_weights.iter().zip(ends) {
            let (targets, texels) = ((end - first) as usize, (end - first) as usize / 4);
            if texels > limit {
                return Err(RenderError::TooManyTargets { targets, texels, limit });
            }
            add(texels);
        }
        Ok(Self { stride, blocks_per_page: 1, parts })
    }

    pub(crate) fn fits_one_page(&self) -> bool {
        self.parts.len() == 1
    }

    /// Returns the texels per block.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the range of texels in each page of a palette of `blocks`.
    pub(crate) fn pages(&self, blocks: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let (whole, in_parts) = if self.parts.len() == 1 { (blocks, 0) } else { (0, blocks) };
        let pages = self.batches(0..whole).map(|batch| batch.start * self.stride..batch.end * self.stride);
        let parts = (0..in_parts).flat_map(|block| self.parts.iter().map(move |part| (block, part)));
        pages.chain(parts.map(|(block, part)| {
            let first = block * self.stride;
            first + part.start..first + part.end
        }))
    }

    /// Splits `blocks` at page boundaries.
    pub(crate) fn batches(&self, blocks: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let per_page = self.blocks_per_page;
        let mut next = blocks.start;
        std::iter::from_fn(move || {
            let page_end = (next / per_page).saturating_add(1).saturating_mul(per_page);
            let batch = next..page_end.min(blocks.end);
            next = batch.end;
            (!batch.is_empty()).then_some(batch)
        })
    }

    pub(crate) fn page(&self, block: usize, part: usize) -> usize {
        block / self.blocks_per_page * self.parts.len() + part
    }

    pub(crate) fn index_in_page(&self, block: usize) -> usize {
        block % self.blocks_per_page
    }

    /// Locates the matrices and the morph weights of `draw`.
    pub(crate) fn locate(
        &self,
        layout: &PaletteLayout,
        format: MatrixFormat,
        draw: &PrimitiveDraw,
    ) -> (PageLocation, PageLocation) {
        let per_matrix = format.texels_per_matrix();
        let matrices = layout.matrix_ranges[draw.matrix_range].first_matrix as usize * per_matrix;
        let weights = draw
            .first_morph_weight
            .map_or(matrices, |first| layout.matrix_count as usize * per_matrix + first as usize / 4);
        (self.location(matrices), self.location(weights))
    }

    fn location(&self, texel: usize) -> PageLocation {
        let part = self.parts.partition_point(|part| part.end <= texel).min(self.parts.len() - 1);
        PageLocation { part, texel: texel - self.parts[part].start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use rigview_core::model::{JointIndex, MeshIndex, SkinIndex};
    use rigview_core::palette::{MatrixRange, RangeJoints};

    fn pages(page_layout: &PageLayout, blocks: usize) -> Vec<Range<usize>> {
        page_layout.pages(blocks).collect()
    }

    /// Skins of 4, 10 and 2 joints, and two meshes of 4 and 8 (padded) morph targets: 48 texels of matrices, 3 of weights.
    fn layout() -> PaletteLayout {
        let mut layout = PaletteLayout { morph_weight_count: 12, ..PaletteLayout::default() };
        for (number, len) in [4, 10, 2].into_iter().enumerate() {
            let joints = RangeJoints::Skin(SkinIndex(number as u32));
            layout.matrix_ranges.push(MatrixRange {
                joints,
                first_matrix: layout.matrix_count,
                len,
                position_offset: [0.0; 3],
                max_distance_over_diagonal: 1.0,
            });
            layout.matrix_count += len;
        }
        layout.morph_weights = vec![(JointIndex(0), 0), (JointIndex(1), 4)];
        layout
    }

    fn draw(matrix_range: u32, first_morph_weight: Option<u32>) -> PrimitiveDraw {
        PrimitiveDraw {
            joint: JointIndex(0),
            mesh: MeshIndex(0),
            primitive: 0,
            matrix_range: matrix_range.into(),
            skinned: true,
            first_morph_weight,
        }
    }

    #[test]
    fn page_holds_as_many_blocks_as_fit() {
        let page_layout = PageLayout::new(&layout(), MatrixFormat::Mat3x4, 1000).unwrap();
        assert_eq!(pages(&page_layout, 19).as_slice(), std::slice::from_ref(&(0..19 * 51)));
        assert_eq!(pages(&page_layout, 20), [0..19 * 51, 19 * 51..20 * 51]);
        assert_eq!(page_layout.batches(0..40).collect::<Vec<_>>(), [0..19, 19..38, 38..40]);
        assert_eq!(page_layout.batches(18..20).collect::<Vec<_>>(), [18..19, 19..20]);
        assert_eq!((page_layout.page(19, 0), page_layout.index_in_page(20)), (1, 1));
        let (matrices, weights) = page_layout.locate(&layout(), MatrixFormat::Mat3x4, &draw(2, Some(4)));
        assert_eq!((matrices, weights), (PageLocation { part: 0, texel: 42 }, PageLocation { part: 0, texel: 49 }));
    }

    #[test]
    fn oversized_instance_is_split_between_ranges() {
        let page_layout = PageLayout::new(&layout(), MatrixFormat::Mat3x4, 37).unwrap();
        // First skin; second and third skin with the first weights; remaining weights.
        assert_eq!(page_layout.parts.as_slice(), [0..12, 12..49, 49..51]);
        assert_eq!(pages(&page_layout, 2), [0..12, 12..49, 49..51, 51..63, 63..100, 100..102]);
        assert_eq!(page_layout.page(1, 2), 5);
        let (matrices, weights) = page_layout.locate(&layout(), MatrixFormat::Mat3x4, &draw(2, Some(4)));
        assert_eq!((matrices, weights), (PageLocation { part: 1, texel: 30 }, PageLocation { part: 2, texel: 0 }));
        for limit in 30..60 {
            let page_layout = PageLayout::new(&layout(), MatrixFormat::Mat3x4, limit).unwrap();
            assert!(pages(&page_layout, 3).iter().all(|page| page.len() <= limit));
            assert_eq!(pages(&page_layout, 3).iter().map(ExactSizeIterator::len).sum::<usize>(), 3 * 51);
        }
    }

    #[test]
    fn oversized_range_is_an_error() {
        let error = PageLayout::new(&layout(), MatrixFormat::Mat3x4, 29).unwrap_err().to_string();
        assert!(error.contains("10 joints takes 30 texels") && error.contains("hold 29"), "{error}");
        let weights = PaletteLayout {
            morph_weight_count: 400,
            morph_weights: vec![(JointIndex(0), 0)],
            ..PaletteLayout::default()
        };
        assert!(
            PageLayout::new(&weights, MatrixFormat::Mat3x4, 99).unwrap_err().to_string().contains("400 morph targets")
        );
    }

    #[test]
    fn empty_layout_has_no_texels() {
        let page_layout = PageLayout::new(&PaletteLayout::default(), MatrixFormat::Mat3x4, 8).unwrap();
        assert_eq!(pages(&page_layout, 3).as_slice(), std::slice::from_ref(&(0..0)));
    }
}
