//! Human bones, expressions and gaze of VRM avatars, and joints of VRM animations that drive them.

use super::{ExpressionIndex, JointIndex, MaterialIndex, MaterialProperty};
use std::collections::{BTreeMap, HashMap};

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

/// A change of a material property, in its components. Unused components are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialChange {
    /// The material.
    pub material: MaterialIndex,
    /// A property that the material has.
    pub property: MaterialProperty,
    /// Difference from the value of the material.
    pub difference: [f32; 4],
}

/// Expression: morph weights and material properties that one value from 0 to 1 drives (VRM 0.x: blend shape group).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// Name in the file.
    pub name: String,
    /// Names of the preset in VRM 0.x and 1.0 that differ from the name, such as `joy` and `happy`.
    pub preset_names: Vec<String>,
    /// Values above 0.5 are 1, others 0.
    pub is_binary: bool,
    /// The group of a preset.
    pub group: Option<ExpressionGroup>,
    /// The effects on [`ExpressionGroup`], in the order of its variants.
    pub overrides: [ExpressionOverride; 3],
    /// Indices among the skeleton's morph weights, with the weights at value 1.
    pub morph_weights: Vec<(usize, f32)>,
    /// Changes of materials at value 1.
    pub materials: Vec<MaterialChange>,
}

impl Expression {
    /// Returns `true` if the expression changes something that can be drawn.
    pub fn has_effect(&self) -> bool {
        !self.morph_weights.is_empty() || !self.materials.is_empty()
    }

    /// Returns the name with the names of the preset, such as `Smile (joy, happy)`.
    pub fn label(&self) -> String {
        match &self.preset_names[..] {
            [] => self.name.clone(),
            presets => format!("{} ({})", self.name, presets.join(", ")),
        }
    }

    fn output(&self, value: f32) -> f32 {
        if self.is_binary { f32::from(value > 0.5) } else { value.clamp(0.0, 1.0) }
    }

    /// Returns by how much each group is suppressed at `values`, from 0 to 1.
    ///
    /// `all` and `values` are those of [`combined_weights`](Self::combined_weights). Expressions do not suppress their own group.
    pub fn suppression(all: &[Self], values: &[(ExpressionIndex, f32)]) -> [f32; 3] {
        let mut suppression = [0.0_f32; 3];
        for (expression, value) in active(all, values) {
            let output = expression.output(value);
            for (group, amount) in suppression.iter_mut().enumerate() {
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
        suppression.map(|amount| amount.min(1.0))
    }

    /// Returns the expressions of `values` with the factors of their effects.
    fn outputs<'a>(all: &'a [Self], values: &'a [(ExpressionIndex, f32)]) -> impl Iterator<Item = (&'a Self, f32)> {
        let suppression = Self::suppression(all, values);
        active(all, values).map(move |(expression, value)| {
            let amount = expression.group.map_or(0.0, |group| suppression[group as usize]);
            let factor = if expression.is_binary && amount > 0.0 { 0.0 } else { 1.0 - amount };
            (expression, expression.output(value) * factor)
        })
    }

    /// Returns the morph weights of all expressions of `all` at `values`, which are pairs of expression and value.
    ///
    /// The weights of several expressions are added. A weight of a suppressed expression is 0. Sorted by index.
    pub fn combined_weights(all: &[Self], values: &[(ExpressionIndex, f32)]) -> Vec<(usize, f32)> {
        let mut weights = BTreeMap::new();
        for (expression, factor) in Self::outputs(all, values) {
            for (index, weight) in &expression.morph_weights {
                *weights.entry(*index).or_insert(0.0) += weight * factor;
            }
        }
        weights.into_iter().collect()
    }

    /// Returns the material changes of all expressions of `all` at `values`, like [`combined_weights`](Self::combined_weights).
    ///
    /// Each property occurs once.
    pub fn combined_materials(all: &[Self], values: &[(ExpressionIndex, f32)]) -> Vec<MaterialChange> {
        let (mut changes, mut found) = (Vec::<MaterialChange>::new(), HashMap::new());
        for (expression, factor) in Self::outputs(all, values) {
            for change in &expression.materials {
                let at = *found.entry((change.material, change.property)).or_insert_with(|| {
                    changes.push(MaterialChange { difference: [0.0; 4], ..*change });
                    changes.len() - 1
                });
                for (sum, x) in changes[at].difference.iter_mut().zip(change.difference) {
                    *sum += x * factor;
                }
            }
        }
        changes
    }
}

fn active<'a>(
    all: &'a [Expression],
    values: &'a [(ExpressionIndex, f32)],
) -> impl Iterator<Item = (&'a Expression, f32)> {
    values.iter().filter_map(|(index, value)| Some((all.get(index.get())?, *value)))
}

/// The part of an avatar that shows the direction of its gaze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GazeKind {
    /// The eyes rotate. Outputs of the ranges are degrees.
    Bones,
    /// Expressions such as `lookUp`. Outputs of the ranges are values.
    Expressions,
}

/// A linear map of an angle of the gaze.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GazeRange {
    /// The angle of the largest output, in degrees; at least 0.
    pub max_degrees: f32,
    /// The output at that angle, and beyond.
    pub max_output: f32,
}

impl GazeRange {
    /// Returns the output at an angle of at least 0.
    pub fn output(&self, degrees: f64) -> f64 {
        let max = f64::from(self.max_degrees);
        let part = if max > 0.0 { (degrees / max).min(1.0) } else { f64::from(u8::from(degrees > 0.0)) };
        part * f64::from(self.max_output)
    }
}

/// How an avatar looks in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaze {
    /// What shows the direction.
    pub kind: GazeKind,
    /// Toward the nose.
    pub inner: GazeRange,
    /// Away from the nose. Expressions have this one for both horizontal directions.
    pub outer: GazeRange,
    /// Downward.
    pub down: GazeRange,
    /// Upward.
    pub up: GazeRange,
}

/// Meaning of a joint of a VRM animation that is no part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaceDriver {
    /// The X translation is the value of this expression: a preset of VRM 1.0, or a name.
    Expression(String),
    /// The rotation takes +Z to the direction of the gaze, relative to the head.
    Gaze,
}

/// A joint of a VRM animation that is no part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceJoint {
    /// The joint.
    pub joint: JointIndex,
    /// Its meaning.
    pub driver: FaceDriver,
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
        assert_eq!(
            Expression::combined_weights(&all, &[(0.into(), 0.5), (1.into(), 1.0), (9.into(), 1.0)]),
            [(1, 0.25), (3, 0.75)]
        );
        assert_eq!(Expression::combined_weights(&all, &[(1.into(), 7.0)]), [(3, 0.25)]);
    }

    #[test]
    fn overrides_suppress_groups() {
        let blink = expression(Some(ExpressionGroup::Blink), &[(0, 1.0)]);
        let blink_weight = |happy_override, is_binary: [bool; 2], happy_value| {
            let mut overrides = [ExpressionOverride::None; 3];
            overrides[ExpressionGroup::Blink as usize] = happy_override;
            let happy = Expression { overrides, is_binary: is_binary[0], ..Expression::default() };
            let all = [happy, Expression { is_binary: is_binary[1], ..blink.clone() }];
            Expression::combined_weights(&all, &[(0.into(), happy_value), (1.into(), 0.8)])[0].1
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
        assert_eq!(Expression::combined_weights(&[blink], &[(0.into(), 1.0)]), [(0, 1.0)]);
    }
}
