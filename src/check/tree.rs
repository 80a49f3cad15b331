//! The hierarchy of nodes: parents, roots and loops, found without recursion.

use super::file::{CheckedFile, list};
use super::schema::index;
use serde_json::Value;

/// Who is whose child. Where nodes run in a loop, nothing is known of the order below it.
pub(super) struct Tree {
    /// The last node that names each as a child.
    pub(super) parents: Vec<Option<usize>>,
    /// Nodes that are their own ancestors.
    pub(super) in_loop: Vec<bool>,
    /// The topmost ancestor, or the node itself; of a loop, one of its nodes.
    pub(super) roots: Vec<usize>,
    /// Nodes, parents before children; those in and below loops are missing.
    pub(super) order: Vec<usize>,
    /// Where the subtree of each node begins and ends in a walk, depth first.
    spans: Vec<Option<(usize, usize)>>,
}

impl Tree {
    pub(super) fn new(file: &CheckedFile<'_>) -> Self {
        let nodes = file.list("nodes");
        let count = nodes.len();
        let mut parents = vec![None; count];
        for (i, node) in nodes.iter().enumerate() {
            for child in children(node).filter(|child| file.element("nodes", Some(*child)).is_some()) {
                parents[child] = Some(i);
            }
        }
        let mut own_children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (i, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                own_children[*parent].push(i);
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
                if let Some(child) = own_children[node].get(next) {
                    stack.push((node, next + 1));
                    stack.push((*child, 0));
                } else if let Some((_, end)) = &mut spans[node] {
                    *end = order.len();
                }
            }
        }
        // What no root reaches is in a loop or hangs on one.
        let mut in_loop = vec![false; count];
        let mut seen_from = vec![usize::MAX; count];
        for start in (0..count).filter(|i| spans[*i].is_none()) {
            let mut at = start;
            while seen_from[at] == usize::MAX {
                seen_from[at] = start;
                at = parents[at].unwrap_or(at);
            }
            if seen_from[at] == start && !in_loop[at] {
                let first = at;
                loop {
                    in_loop[at] = true;
                    roots[at] = first;
                    at = parents[at].unwrap_or(first);
                    if at == first {
                        break;
                    }
                }
            }
            let root = roots[at];
            let mut below = start;
            while below != at && !in_loop[below] {
                roots[below] = root;
                below = parents[below].unwrap_or(at);
            }
        }
        Self { parents, in_loop, roots, order, spans }
    }

    /// Whether `node` is `ancestor` or below it; unknown around loops.
    pub(super) fn is_below(&self, node: usize, ancestor: usize) -> Option<bool> {
        let ((start, _), (from, to)) = self.spans.get(node).copied()?.zip(self.spans.get(ancestor).copied()?)?;
        Some((from..to).contains(&start))
    }
}

/// The numbers of a node's children, whether they exist or not.
pub(super) fn children(node: &Value) -> impl Iterator<Item = usize> + '_ {
    list(node, "children").iter().filter_map(index)
}
