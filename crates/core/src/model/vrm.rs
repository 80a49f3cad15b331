//! Human bones and expressions of VRM avatars.

use super::JointIndex;
use std::collections::BTreeMap;

/// A joint to which VRM assigns a bone of the human body.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanBoneJoint {
    /// The joint.
    pub joint: JointIndex,
    /// Name of the bone in VRM, such as `leftUpperArm`.
    pub bone: String,
}

/// Expressions that a program generates, and that other expressions suppress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionGroup {
    /// Lip sync.
    Mouth,
    /// Blinking.
    Blink,
    /// Gaze.
    LookAt,
}

/// The effect of an expression on a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpressionOverride {
    /// None.
    #[default]
    None,
    /// The group is off while the value is above 0.
    Block,
    /// The group fades out as the value grows.
    Blend,
}

/// Expression: morph weights that one value from 0 to 1 drives (VRM 0.x: blend shape group).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// Name in the file.
    pub name: String,
    /// Values above 0.5 are 1, others 0.
    pub is_binary: bool,
    /// The group of a preset.
    pub group: Option<ExpressionGroup>,
    /// The effects on [`ExpressionGroup`], in the order of its variants.
    pub overrides: [ExpressionOverride; 3],
    /// Indices among the skeleton's morph weights, with the weights at value 1.
    pub morph_weights: Vec<(usize, f32)>,
}

impl Expression {
    fn output(&self, value: f32) -> f32 {
        if self.is_binary { f32::from(value > 0.5) } else { value.clamp(0.0, 1.0) }
    }

    /// Returns the morph weights of all expressions of `all` at `values`, which are pairs of index and value.
    ///
    /// The weights of several expressions are added. A weight of a suppressed expression is 0. Sorted by index.
    pub fn combined_weights(all: &[Self], values: &[(usize, f32)]) -> Vec<(usize, f32)> {
        let active = || values.iter().filter_map(|(index, value)| Some((all.get(*index)?, *value)));
        let mut suppression = [0.0_f32; 3];
        for (expression, value) in active() {
            let output = expression.output(value);
            for (group, amount) in suppression.iter_mut().enumerate() {
                // An expression does not suppress its own group.
                if expression.group.is_some_and(|own| own as usize == group) {
                    continue;
                }
                *amount += match expression.overrides[group] {
                    ExpressionOverride::None => 0.0,
                    ExpressionOverride::Block => f32::from(output > 0.0),
                    ExpressionOverride::Blend => output,
                };
            }
        }
        let mut weights = BTreeMap::new();
        for (expression, value) in active() {
            let amount = expression.group.map_or(0.0, |group| suppression[group as usize].min(1.0));
            let factor = if expression.is_binary && amount > 0.0 { 0.0 } else { 1.0 - amount };
            for (index, weight) in &expression.morph_weights {
                *weights.entry(*index).or_insert(0.0) += weight * expression.output(value) * factor;
            }
        }
        weights.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(group: Option<ExpressionGroup>, morph_weights: &[(usize, f32)]) -> Expression {
        Expression { group, morph_weights: morph_weights.to_vec(), ..Expression::default() }
    }

    #[test]
    fn weights_of_expressions_add_up() {
        let all = [expression(None, &[(3, 1.0), (1, 0.5)]), expression(None, &[(3, 0.25)])];
        assert_eq!(Expression::combined_weights(&all, &[(0, 0.5), (1, 1.0), (9, 1.0)]), [(1, 0.25), (3, 0.75)]);
        assert_eq!(Expression::combined_weights(&all, &[(1, 7.0)]), [(3, 0.25)]);
    }

    #[test]
    fn overrides_suppress_groups() {
        let blink = expression(Some(ExpressionGroup::Blink), &[(0, 1.0)]);
        let blink_weight = |happy_override, is_binary: [bool; 2], happy_value| {
            let mut overrides = [ExpressionOverride::None; 3];
            overrides[ExpressionGroup::Blink as usize] = happy_override;
            let happy = Expression { overrides, is_binary: is_binary[0], ..Expression::default() };
            let all = [happy, Expression { is_binary: is_binary[1], ..blink.clone() }];
            Expression::combined_weights(&all, &[(0, happy_value), (1, 0.8)])[0].1
        };
        use ExpressionOverride::{Blend, Block, None};
        assert_eq!(blink_weight(None, [false, false], 1.0), 0.8);
        assert_eq!(blink_weight(Block, [false, false], 0.1), 0.0);
        assert_eq!(blink_weight(Blend, [false, false], 0.25), 0.8 * 0.75);
        // The binary value of `happy` suppresses, and a binary `blink` is suppressed completely.
        assert_eq!(blink_weight(Blend, [true, false], 0.4), 0.8);
        assert_eq!(blink_weight(Blend, [true, false], 0.6), 0.0);
        assert_eq!(blink_weight(Blend, [false, true], 0.0), 1.0);
        assert_eq!(blink_weight(Blend, [false, true], 0.01), 0.0);
    }

    #[test]
    fn expressions_do_not_suppress_their_own_group() {
        let mut blink = expression(Some(ExpressionGroup::Blink), &[(0, 1.0)]);
        blink.overrides[ExpressionGroup::Blink as usize] = ExpressionOverride::Block;
        assert_eq!(Expression::combined_weights(&[blink], &[(0, 1.0)]), [(0, 1.0)]);
    }
}
