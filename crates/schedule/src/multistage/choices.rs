//! What users choose by a name, or by a short one.

/// Declares a choice: what users may say for short, and for each variant its name and what it is.
macro_rules! choices {
    ($(#[$doc:meta])* $kind:ident, $short:expr; $($variant:ident = $name:literal, $summary:literal;)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind {
            $(
                #[doc = $summary]
                $variant,
            )+
        }

        impl $kind {
            /// All of them, by what users call them.
            pub const ALL: &[(&str, $kind)] = &[$(($name, $kind::$variant)),+];

            /// What users call it.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)+
                }
            }

            /// What users may say for short.
            pub fn short_name(self) -> &'static str {
                let short: fn(&'static str) -> &'static str = $short;
                short(self.name())
            }

            /// The one of that name, or of that short name.
            pub fn find(name: &str) -> Option<$kind> {
                let mut all = $kind::ALL.iter();
                let found = all.find(|(its, it)| [its, it.short_name()].contains(&name));
                found.map(|(_, it)| *it)
            }
        }
    };
}
pub(super) use choices;
