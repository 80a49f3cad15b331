//! Which options belong to one file, and which to the view, which stays when another file opens.

/// A request of which a part belongs to one file.
pub(crate) trait OfView {
    /// Returns the options of the view. Those of a file have their defaults.
    #[must_use]
    fn of_view(&self) -> Self;
}

/// Declares for each field of a request whether it belongs to one `file`, to the `view`, or has fields of both kinds (`parts`).
///
/// Options that name a file, or an item of a file, belong to the file: another file need not have the item.
macro_rules! ownership {
    ($request:ident { file: [$($file:ident),*], view: [$($view:ident),*], parts: [$($part:ident),*] }) => {
        impl $crate::request::OfView for $request {
            fn of_view(&self) -> Self {
                // Without `..`, so that a new field has to be declared.
                let Self { $($file: _,)* $($view,)* $($part,)* } = self;
                Self {
                    $($file: Default::default(),)*
                    $($view: $view.clone(),)*
                    $($part: $crate::request::OfView::of_view($part),)*
                }
            }
        }
    };
}

pub(super) use ownership;
