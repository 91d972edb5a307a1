//! Which paths are tried from a stage.

/// Declares the selections: each with its name and the paths that it tries.
macro_rules! selections {
    ($($selection:ident = $name:literal, $says:literal;)+) => {
        /// A packet's path is the first that is free, from stage 0 on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Selection {
            $(
                #[doc = $says]
                $selection,
            )+
        }

        impl Selection {
            /// All of them, by what users call them.
            pub const ALL: &[(&str, Selection)] = &[$(($name, Selection::$selection)),+];

            /// What users call it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Selection::$selection => $name,)+
                }
            }

            /// The first word of its name, which users may say for short.
            pub fn short_name(self) -> &'static str {
                self.name().split('-').next().unwrap_or_default()
            }
        }
    };
}

selections! {
    HorizontalFirst = "horizontal-first",
        "Along the row, then along the column (Symvonis and Tidswell 1994, `Horizontal_First_Path_Selection`).";
    PathSelection = "path-selection",
        "At each stage horizontal first, and if that isn't free, vertical first (Symvonis and Tidswell 1994, `Path_Selection`).";
    VerticalFirst = "vertical-first",
        "Along the column, then along the row (Symvonis and Tidswell 1994, `Vertical_First_Path_Selection`).";
}

impl Selection {
    /// The one of that name, or of that short name.
    pub fn find(name: &str) -> Option<Selection> {
        let found = Selection::ALL
            .iter()
            .find(|(its, selection)| [its, selection.short_name()].contains(&name));
        found.map(|(_, selection)| *selection)
    }
}
