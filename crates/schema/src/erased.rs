//! Parameters of any kind behind one type.

/// Declares a type that holds parameters of any kind that implements a trait, and passes the trait's methods on.
///
/// Parameters can be copied and compared and have no common type; an object of their trait can do neither. The type
/// declared here can: it has `From` for all parameters, `Clone`, `PartialEq` and `Debug`, `is`, `get` and `get_mut` for
/// who knows their kind, and the methods that are listed, with what they return made `into()` what is declared. Methods
/// behind `object` are of the object only (`self.0`), for a method of the same name that does more. Copies share the
/// parameters until one of them changes.
///
/// ```
/// trait Shape: Clone + PartialEq + std::fmt::Debug + Send + Sync + 'static {
///     fn area(&self) -> f64;
/// }
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Square(f64);
///
/// impl Shape for Square {
///     fn area(&self) -> f64 {
///         self.0 * self.0
///     }
/// }
///
/// flitwork_schema::erased! {
///     /// Any shape.
///     struct AnyShape: Shape;
///
///     /// In square metres.
///     fn area(&self) -> f64;
/// }
///
/// let mut any = AnyShape::from(Square(2.0));
/// let copy = any.clone();
/// any.get_mut::<Square>().unwrap().0 = 3.0;
/// assert_eq!((any.area(), copy.area()), (9.0, 4.0));
/// assert_ne!(any, copy);
/// ```
#[macro_export]
macro_rules! erased {
    (
        $(#[$meta:meta])*
        $vis:vis struct $any:ident: $parameters:ident;

        $(
            $(#[$doc:meta])*
            fn $name:ident(&$($this:ident)+ $(, $arg:ident: $of:ty)* $(,)?) $(-> $answer:ty)?;
        )*

        $(object {
            $(fn $inner:ident(&self $(, $inner_arg:ident: $inner_of:ty)* $(,)?) -> $inner_answer:ty;)*
        })?
    ) => {
        $(#[$meta])*
        #[derive(Clone)]
        $vis struct $any(::std::sync::Arc<dyn Erased>);

        #[doc = concat!("[`", stringify!($parameters), "`] as an object.")]
        trait Erased: ::std::any::Any + ::std::fmt::Debug + Send + Sync {
            fn copy(&self) -> ::std::sync::Arc<dyn Erased>;
            fn equals(&self, other: &dyn Erased) -> bool;
            $(fn $name(&$($this)+ $(, $arg: $of)*) $(-> $answer)?;)*
            $($(fn $inner(&self $(, $inner_arg: $inner_of)*) -> $inner_answer;)*)?
        }

        impl<P: $parameters> Erased for P {
            fn copy(&self) -> ::std::sync::Arc<dyn Erased> {
                ::std::sync::Arc::new(self.clone())
            }

            fn equals(&self, other: &dyn Erased) -> bool {
                let other: &dyn ::std::any::Any = other;
                other.downcast_ref() == Some(self)
            }

            $(fn $name(&$($this)+ $(, $arg: $of)*) $(-> $answer)? {
                <P as $parameters>::$name($crate::erased!(@self $($this)+) $(, $arg)*).into()
            })*

            $($(fn $inner(&self $(, $inner_arg: $inner_of)*) -> $inner_answer {
                <P as $parameters>::$inner(self $(, $inner_arg)*).into()
            })*)?
        }

        impl<P: $parameters> From<P> for $any {
            fn from(parameters: P) -> $any {
                $any(::std::sync::Arc::new(parameters))
            }
        }

        impl PartialEq for $any {
            fn eq(&self, other: &$any) -> bool {
                self.0.equals(&*other.0)
            }
        }

        impl ::std::fmt::Debug for $any {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $any {
            $(
                $(#[$doc])*
                pub fn $name(&$($this)+ $(, $arg: $of)*) $(-> $answer)? {
                    $crate::erased!(@object $($this)+).$name($($arg),*)
                }
            )*

            /// Whether the parameters are of a kind.
            pub fn is<P: $parameters>(&self) -> bool {
                self.get::<P>().is_some()
            }

            /// The parameters, where they are of a kind.
            pub fn get<P: $parameters>(&self) -> Option<&P> {
                let parameters: &dyn ::std::any::Any = &*self.0;
                parameters.downcast_ref()
            }

            /// The parameters to be changed, where they are of a kind.
            pub fn get_mut<P: $parameters>(&mut self) -> Option<&mut P> {
                let parameters: &mut dyn ::std::any::Any = self.changed();
                parameters.downcast_mut()
            }

            /// The parameters, shared with no copy.
            fn changed(&mut self) -> &mut dyn Erased {
                if ::std::sync::Arc::get_mut(&mut self.0).is_none() {
                    self.0 = self.0.copy();
                }
                ::std::sync::Arc::get_mut(&mut self.0).expect("a copy of its own")
            }
        }
    };
    (@self mut $this:ident) => { $this };
    (@self $this:ident) => { $this };
    (@object mut $this:ident) => { $this.changed() };
    (@object $this:ident) => { $this.0 };
}
