//! Values of properties, and their differences.

use super::names::Names;
use super::tolerances::{Quantity, Tolerances};
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};
use rigview_core::util::text::escaped;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

/// Items of one kind that were added, removed or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Changes {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<Change>,
}

/// A changed property of an item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) name: String,
    pub(crate) what: String,
    /// The value; of large data, the element with the largest difference, or the number of elements if that differs.
    pub(crate) before: String,
    pub(crate) after: String,
    /// The extent of a change of large data with an unchanged number of elements.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) extent: Option<Extent>,
}

/// Extent of a change of large data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Extent {
    /// Number of elements.
    pub(crate) elements: usize,
    /// Number of elements that differ.
    pub(crate) differing: usize,
    /// Largest difference: a distance, an angle in degrees, or that of a component.
    pub(crate) largest: f64,
    /// Index of the element with the largest difference.
    pub(crate) index: usize,
}

/// Names and values of the properties of an item.
pub(crate) type Properties<'a> = Vec<(String, Value<'a>)>;

/// Value of a property.
pub(crate) enum Value<'a> {
    /// Compared exactly.
    Text(String),
    /// Few numbers.
    Numbers(Quantity, Vec<f64>),
    /// Large data.
    Array(Array<'a>),
}

/// Elements of a number of components.
#[derive(Clone, Copy)]
pub(crate) struct Array<'a> {
    pub(crate) quantity: Quantity,
    pub(crate) components: Components<'a>,
    /// Components per element; not 0.
    pub(crate) width: usize,
    /// Name of the elements.
    pub(crate) noun: &'static str,
}

/// Numbers of large data, as the model stores them.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Components<'a> {
    F32(&'a [f32]),
    U32(&'a [u32]),
    U8(&'a [u8]),
    Vec3(&'a [Vector3<f32>]),
    Vec4(&'a [Vector4<f32>]),
}

impl Components<'_> {
    fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U8(values) => values.len(),
            Self::Vec3(values) => 3 * values.len(),
            Self::Vec4(values) => 4 * values.len(),
        }
    }

    fn get(&self, i: usize) -> f64 {
        match self {
            Self::F32(values) => f64::from(values[i]),
            Self::U32(values) => f64::from(values[i]),
            Self::U8(values) => f64::from(values[i]),
            Self::Vec3(values) => f64::from(values[i / 3][i % 3]),
            Self::Vec4(values) => f64::from(values[i / 4][i % 4]),
        }
    }

    fn address(&self) -> usize {
        match self {
            Self::F32(values) => values.as_ptr() as usize,
            Self::U32(values) => values.as_ptr() as usize,
            Self::U8(values) => values.as_ptr() as usize,
            Self::Vec3(values) => values.as_ptr() as usize,
            Self::Vec4(values) => values.as_ptr() as usize,
        }
    }
}

impl Array<'_> {
    /// Returns the number of elements.
    pub(crate) fn count(&self) -> usize {
        self.components.len() / self.width
    }

    fn element(&self, i: usize) -> String {
        let components: Vec<f64> = (0..self.width).map(|k| self.components.get(i * self.width + k)).collect();
        list(&components, &components).0
    }

    /// Returns the difference of two elements.
    fn difference(&self, other: &Self, i: usize) -> f64 {
        let start = i * self.width;
        let pairs = (start..start + self.width).map(|k| (self.components.get(k), other.components.get(k)));
        if pairs.clone().all(|(a, b)| a == b) {
            return 0.0;
        }
        match self.quantity {
            Quantity::Distance => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
            Quantity::Rotation => {
                let [a, b] = [self, other].map(|array| {
                    let component = |k: usize| array.components.get(start + k);
                    UnitQuaternion::from_quaternion(Quaternion::new(
                        component(3),
                        component(0),
                        component(1),
                        component(2),
                    ))
                });
                degrees_between(&a, &b)
            }
            quantity => pairs.map(|(a, b)| difference(quantity, a, b)).fold(0.0, f64::max),
        }
    }
}

/// Returns the difference of two numbers: relative for [`Quantity::Value`] above 1.
fn difference(quantity: Quantity, a: f64, b: f64) -> f64 {
    if a == b {
        return 0.0;
    }
    match quantity {
        Quantity::Value if a.is_finite() && b.is_finite() => (a - b).abs() / a.abs().max(1.0),
        _ => (a - b).abs(),
    }
}

/// Returns the angle between two rotations, independent of the signs of the quaternions.
pub(crate) fn degrees_between(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    if a == b {
        return 0.0;
    }
    let between = a.inverse() * b;
    2.0 * libm::atan2(between.imag().norm(), between.w.abs()).to_degrees()
}

/// Comparison of values with tolerances.
pub(crate) struct Comparer {
    pub(crate) tolerances: Tolerances,
    /// Extents by the addresses and lengths of the arrays, since files share data: each pair is compared once.
    extents: HashMap<([usize; 4], Quantity), Option<Extent>>,
}

impl Comparer {
    pub(crate) fn new(tolerances: Tolerances) -> Self {
        Self { tolerances, extents: HashMap::new() }
    }

    /// Compares matched items, and lists those without a match.
    pub(crate) fn compare<'a, T>(
        &mut self,
        names: &Names,
        items: [&'a [T]; 2],
        properties: impl Fn(usize, &'a T) -> Properties<'a>,
    ) -> Changes {
        let mut changed = Vec::new();
        for &(i, j) in &names.pairs {
            let properties = [properties(0, &items[0][i]), properties(1, &items[1][j])];
            changed.extend(self.properties(&names.shown[1][j], properties));
        }
        Changes { added: names.added.clone(), removed: names.removed.clone(), changed }
    }

    /// Returns the properties that differ. One that an item lacks is `none`.
    pub(crate) fn properties(&mut self, name: &str, [before, after]: [Properties<'_>; 2]) -> Vec<Change> {
        // Several properties with one name, such as of joints with one cut path, are matched in their order.
        let mut rest: HashMap<String, VecDeque<(usize, Value<'_>)>> = HashMap::new();
        for (i, (what, value)) in after.into_iter().enumerate() {
            rest.entry(what).or_default().push_back((i, value));
        }
        let none = || Value::Text("none".to_owned());
        let mut changes = Vec::new();
        for (what, value) in before {
            let other = rest.get_mut(&what).and_then(VecDeque::pop_front).map_or_else(none, |(_, value)| value);
            changes.extend(self.change(name, what, &value, &other));
        }
        let left =
            rest.into_iter().flat_map(|(what, values)| values.into_iter().map(move |value| (value, what.clone())));
        let mut left: Vec<_> = left.collect();
        left.sort_by_key(|((i, _), _)| *i);
        for ((_, value), what) in left {
            changes.extend(self.change(name, what, &none(), &value));
        }
        changes
    }

    pub(crate) fn change(&mut self, name: &str, what: String, a: &Value<'_>, b: &Value<'_>) -> Option<Change> {
        let (before, after, extent) = match (a, b) {
            (Value::Text(a), Value::Text(b)) if a == b => return None,
            (Value::Numbers(quantity, a), Value::Numbers(_, b)) if a.len() == b.len() => {
                let size = a.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
                let tolerance = self.tolerances.of(*quantity, size);
                if a.iter().zip(b).all(|(a, b)| difference(*quantity, *a, *b) <= tolerance) {
                    return None;
                }
                let (a, b) = list(a, b);
                (a, b, None)
            }
            (Value::Array(a), Value::Array(b)) if a.count() == b.count() => {
                let extent = self.extent(a, b)?;
                (a.element(extent.index), b.element(extent.index), Some(extent))
            }
            _ => (a.summary(), b.summary(), None),
        };
        Some(Change { name: name.to_owned(), what, before, after, extent })
    }

    /// Returns the difference of two arrays with one count; `None` within the tolerance.
    pub(crate) fn extent(&mut self, a: &Array<'_>, b: &Array<'_>) -> Option<Extent> {
        let addresses = [a.components.address(), b.components.address(), a.components.len(), a.width];
        let tolerances = self.tolerances;
        *self.extents.entry((addresses, a.quantity)).or_insert_with(|| {
            if a.components == b.components {
                return None;
            }
            let size = match a.quantity {
                Quantity::Distance => (0..a.components.len()).map(|i| a.components.get(i).abs()).fold(0.0, f64::max),
                _ => 0.0,
            };
            let tolerance = tolerances.of(a.quantity, size);
            let mut extent = Extent { elements: a.count(), differing: 0, largest: 0.0, index: 0 };
            for i in 0..a.count() {
                let difference = a.difference(b, i);
                // Also counts NaN.
                if difference <= tolerance {
                    continue;
                }
                extent.differing += 1;
                if difference > extent.largest {
                    (extent.largest, extent.index) = (difference, i);
                }
            }
            (extent.differing > 0).then_some(extent)
        })
    }
}

/// Maximum length of a value in a report, in characters.
const MAX_CHARS: usize = 200;

impl Value<'_> {
    fn summary(&self) -> String {
        match self {
            Self::Text(text) => escaped(text, MAX_CHARS),
            Self::Numbers(_, numbers) => list(numbers, numbers).0,
            Self::Array(array) => format!("{} {}", array.count(), array.noun),
        }
    }
}

/// Maximum number of numbers in a report.
const MAX_NUMBERS: usize = 16;

/// Formats two lists of numbers, so that they differ if the numbers differ.
fn list(a: &[f64], b: &[f64]) -> (String, String) {
    let start = a.iter().zip(b).position(|(a, b)| a != b).filter(|_| a.len() > MAX_NUMBERS).unwrap_or(0);
    let join = |numbers: &[f64], format: fn(f64) -> String| {
        let shown = numbers.iter().skip(start).take(MAX_NUMBERS);
        let mut text = shown.map(|x| format(*x)).collect::<Vec<_>>().join(", ");
        if start > 0 {
            text = format!("…, {text}");
        }
        if numbers.len() > start + MAX_NUMBERS {
            text += ", …";
        }
        text
    };
    let short = (join(a, number), join(b, number));
    if short.0 == short.1 && a != b { (join(a, |x| x.to_string()), join(b, |x| x.to_string())) } else { short }
}

/// Formats a number with the digits of single precision.
fn number(x: f64) -> String {
    let single = x as f32;
    match x.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e7 => single.to_string(),
        _ => format!("{single:e}"),
    }
}

/// A property with a text that is compared exactly.
pub(crate) fn text<'a>(what: impl Into<String>, value: impl ToString) -> (String, Value<'a>) {
    (what.into(), Value::Text(value.to_string()))
}

/// A property of few numbers.
pub(crate) fn numbers<'a>(
    what: impl Into<String>,
    quantity: Quantity,
    values: impl IntoIterator<Item = impl Into<f64>>,
) -> (String, Value<'a>) {
    (what.into(), Value::Numbers(quantity, values.into_iter().map(Into::into).collect()))
}
