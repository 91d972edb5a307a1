//! Fields of parameters that keys set.

use crate::{Datum, Value};
use flitwork_types::{NodeId, TerminalId};

/// A field that a key's value sets, and that returns the value.
///
/// Values are checked against what their key allows before they are set, so setting never fails: a value that the
/// field can't hold is a bug in the key's declaration.
pub trait Field {
    /// Takes a value that the key allows.
    fn set(&mut self, value: &Value);

    /// The value, or `None` if the key isn't to be written.
    fn get(&self) -> Option<Datum>;
}

/// The key's declaration allows a value that the field can't hold.
fn unfit(value: &Value) -> ! {
    panic!("a key allows {value:?}, which its field can't hold")
}

macro_rules! whole_fields {
    ($($whole:ty),*) => {
        $(impl Field for $whole {
            fn set(&mut self, value: &Value) {
                *self = match value.datum {
                    Datum::Whole(number) => number.try_into().unwrap_or_else(|_| unfit(value)),
                    _ => unfit(value),
                };
            }

            fn get(&self) -> Option<Datum> {
                // No platform has more than 64 bits.
                Some(Datum::Whole(*self as i128))
            }
        })*
    };
}

whole_fields!(u8, u16, u32, u64, usize);

/// A whole number, or what lies between two of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Between {
    /// The least.
    pub least: u64,
    /// The most; the least where there is only one number.
    pub most: u64,
}

impl Field for Between {
    fn set(&mut self, value: &Value) {
        let mut both = [0, 0];
        match value.datum {
            Datum::Whole(_) => {
                both[0].set(value);
                both[1] = both[0];
            }
            _ => both.set(value),
        }
        let [least, most] = both;
        *self = Between { least, most };
    }

    fn get(&self) -> Option<Datum> {
        match self.least == self.most {
            true => self.least.get(),
            false => [self.least, self.most].get(),
        }
    }
}

impl Field for f64 {
    fn set(&mut self, value: &Value) {
        // Adding zero removes the sign of -0.
        *self = 0.0
            + match value.datum {
                Datum::Real(number) => number,
                Datum::Whole(number) => number as f64,
                _ => unfit(value),
            };
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::Real(*self))
    }
}

impl Field for bool {
    fn set(&mut self, value: &Value) {
        *self = match value.datum {
            Datum::Truth(truth) => truth,
            _ => unfit(value),
        };
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::Truth(*self))
    }
}

impl Field for String {
    fn set(&mut self, value: &Value) {
        *self = match &value.datum {
            Datum::Text(text) => text.clone(),
            _ => unfit(value),
        };
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::Text(self.clone()))
    }
}

impl Field for NodeId {
    fn set(&mut self, value: &Value) {
        self.0.set(value);
    }

    fn get(&self) -> Option<Datum> {
        self.0.get()
    }
}

impl Field for TerminalId {
    fn set(&mut self, value: &Value) {
        self.0.set(value);
    }

    fn get(&self) -> Option<Datum> {
        self.0.get()
    }
}

impl<T: Field + Default> Field for Option<T> {
    fn set(&mut self, value: &Value) {
        let mut inner = T::default();
        inner.set(value);
        *self = Some(inner);
    }

    fn get(&self) -> Option<Datum> {
        self.as_ref()?.get()
    }
}

impl<T: Field + Default> Field for Vec<T> {
    fn set(&mut self, value: &Value) {
        let Some(values) = value.datum.as_list() else {
            unfit(value)
        };
        let each = values.iter().map(|value| {
            let mut inner = T::default();
            inner.set(value);
            inner
        });
        *self = each.collect();
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::list(self.iter().filter_map(Field::get)))
    }
}

impl<T: Field + Default + Copy, const N: usize> Field for [T; N] {
    fn set(&mut self, value: &Value) {
        let mut all = Vec::<T>::new();
        all.set(value);
        *self = all.try_into().unwrap_or_else(|_| unfit(value));
    }

    fn get(&self) -> Option<Datum> {
        Some(Datum::list(self.iter().filter_map(Field::get)))
    }
}

/// Gives the variants of an enumeration their names in configurations: `NAMES`, `ALL`, `name`, `of_name` and [`Field`].
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Delivery {
///     Frame,
///     Vanish,
/// }
///
/// flitwork_schema::named!(Delivery { Frame = "frame", Vanish = "vanish" });
///
/// assert_eq!(Delivery::NAMES, ["frame", "vanish"]);
/// assert_eq!(Delivery::ALL, [Delivery::Frame, Delivery::Vanish]);
/// assert_eq!(Delivery::Vanish.name(), "vanish");
/// assert_eq!(Delivery::of_name("frame"), Some(Delivery::Frame));
/// ```
#[macro_export]
macro_rules! named {
    ($kind:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $kind {
            /// The names of all variants in configurations.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// All variants, in the same order.
            pub const ALL: [$kind; $kind::NAMES.len()] = [$($kind::$variant),+];

            /// Its name in configurations.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name),+
                }
            }

            /// The variant of a name in configurations.
            pub fn of_name(name: &str) -> Option<$kind> {
                $kind::ALL.into_iter().find(|it| it.name() == name)
            }
        }

        impl $crate::Field for $kind {
            fn set(&mut self, value: &$crate::Value) {
                let text = value.datum.as_text();
                let named = text.and_then($kind::of_name);
                *self = named.unwrap_or_else(|| panic!("a key allows {text:?}, which its field can't hold"));
            }

            fn get(&self) -> Option<$crate::Datum> {
                Some($crate::Datum::text(self.name()))
            }
        }
    };
}
