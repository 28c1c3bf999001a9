//! A choice of a few, stated once: its ids, what a person calls each, and how they are read.

/// The options of a choice: what a query calls each, and what a person does, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List {
    /// The names in a query string.
    pub ids: &'static [&'static str],
    /// What a person reads.
    pub labels: &'static [&'static str],
}

/// A type whose values are options of a choice. [`crate::options!`] states it.
pub trait Options: Copy + PartialEq + 'static {
    /// All of them.
    const LIST: List;

    /// The name in a query string.
    fn id(self) -> &'static str;

    /// The option with this name.
    fn find(id: &str) -> Option<Self>;
}

/// States the options of an enum: for each variant its name in a query string and what a person calls it. A variant that is left out
/// does not compile.
///
/// ```
/// use ringside_core::options;
///
/// /// What stays on.
/// #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
/// pub enum Light {
///     /// None.
///     #[default]
///     Off,
///     /// All of them.
///     On,
/// }
///
/// options!(Light {
///     Off: "off", "nothing";
///     On: "on", "everything";
/// });
///
/// assert_eq!(Light::ALL, [Light::Off, Light::On]);
/// assert_eq!(Light::find("on"), Some(Light::On));
/// assert_eq!((Light::On.id(), Light::On.label()), ("on", "everything"));
/// ```
#[macro_export]
macro_rules! options {
    ($type:ident { $($variant:ident: $id:literal, $label:literal;)+ }) => {
        impl $type {
            /// All of them.
            pub const ALL: [Self; [$($id),+].len()] = [$(Self::$variant),+];

            /// Their names in a query string and what a person reads.
            pub const LIST: $crate::declare::List =
                $crate::declare::List { ids: &[$($id),+], labels: &[$($label),+] };

            /// The name in a query string.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id,)+
                }
            }

            /// What a person reads.
            #[allow(dead_code)]
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)+
                }
            }

            /// The one with this name.
            pub fn find(id: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|option| option.id() == id)
            }
        }

        impl $crate::declare::Options for $type {
            const LIST: $crate::declare::List = Self::LIST;

            fn id(self) -> &'static str {
                self.id()
            }

            fn find(id: &str) -> Option<Self> {
                Self::find(id)
            }
        }
    };
}
