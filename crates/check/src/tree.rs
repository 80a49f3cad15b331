//! The node hierarchy: parents, roots and loops, computed without recursion.

use super::checked_file::CheckedFile;
use super::json_values::{array, index};
use serde_json::Value;

/// Parents and roots of nodes.
pub(super) struct Tree {
    /// The last node that lists each node as a child.
    pub(super) parents: Vec<Option<usize>>,
    /// Nodes that are their own ancestors.
    pub(super) in_loop: Vec<bool>,
    /// The root of each node, which may be itself; for a loop, one of its nodes.
    pub(super) roots: Vec<usize>,
    /// Nodes, parents before children, without those in and below loops.
    pub(super) order: Vec<usize>,
    /// Range of each node's subtree in `order`; `None` in and below loops.
    spans: Vec<Option<(usize, usize)>>,
}

impl Tree {
    pub(super) fn new(file: &CheckedFile<'_>) -> Self {
        let nodes = file.array("nodes");
        let count = nodes.len();
        let mut parents = vec![None; count];
        for (i, node) in nodes.iter().enumerate() {
            for child in children(node).filter(|child| file.element("nodes", Some(*child)).is_some()) {
                parents[child] = Some(i);
            }
        }
        // A node that several nodes list as a child belongs to the last of them.
        let mut children_of: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (i, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children_of[*parent].push(i);
            }
        }
        let mut spans = vec![None; count];
        let (mut order, mut roots): (Vec<usize>, Vec<usize>) = (Vec::with_capacity(count), (0..count).collect());
        for root in (0..count).filter(|i| parents[*i].is_none()) {
            let mut stack = vec![(root, 0)];
            while let Some((node, next)) = stack.pop() {
                if next == 0 {
                    spans[node] = Some((order.len(), order.len()));
                    roots[node] = root;
                    order.push(node);
                }
                if let Some(child) = children_of[node].get(next) {
                    stack.push((node, next + 1));
                    stack.push((*child, 0));
                } else if let Some((_, end)) = &mut spans[node] {
                    *end = order.len();
                }
            }
        }
        // Nodes that no root reaches are in a loop or below one.
        let mut in_loop = vec![false; count];
        // The node from which each node was first visited.
        let mut visited_from = vec![usize::MAX; count];
        for start in (0..count).filter(|i| spans[*i].is_none()) {
            let mut node = start;
            while visited_from[node] == usize::MAX {
                visited_from[node] = start;
                node = parents[node].unwrap_or(node);
            }
            if visited_from[node] == start && !in_loop[node] {
                let first = node;
                loop {
                    in_loop[node] = true;
                    roots[node] = first;
                    node = parents[node].unwrap_or(first);
                    if node == first {
                        break;
                    }
                }
            }
            let root = roots[node];
            let mut below = start;
            while below != node && !in_loop[below] {
                roots[below] = root;
                below = parents[below].unwrap_or(node);
            }
        }
        Self { parents, in_loop, roots, order, spans }
    }

    /// Returns the first and the last of some nodes in depth-first order, by their places there; `None` without nodes, and if one is
    /// in or below a loop.
    pub(super) fn ends(&self, nodes: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
        let mut ends = None;
        for node in nodes {
            let (start, _) = self.spans.get(node).copied()??;
            let (first, last) = ends.unwrap_or((start, start));
            ends = Some((start.min(first), start.max(last)));
        }
        ends
    }

    /// Returns `true` if all nodes between these [ends](Self::ends) are `ancestor` or its descendants.
    pub(super) fn are_below(&self, (first, last): (usize, usize), ancestor: usize) -> bool {
        self.spans.get(ancestor).copied().flatten().is_some_and(|(from, to)| from <= first && last < to)
    }

    /// Returns `true` if `node` is `ancestor` or its descendant; `None` in and below loops.
    pub(super) fn is_below(&self, node: usize, ancestor: usize) -> Option<bool> {
        let ((start, _), (from, to)) = self.spans.get(node).copied()?.zip(self.spans.get(ancestor).copied()?)?;
        Some((from..to).contains(&start))
    }
}

/// Indices of a node's children, which need not exist.
fn children(node: &Value) -> impl Iterator<Item = usize> + '_ {
    array(node, "children").iter().filter_map(index)
}
