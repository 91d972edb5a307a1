//! Parameters of any kind behind one type.

/// Declares a type that holds parameters of any kind that implements a trait, and passes the trait's methods on.
///
/// Parameters of different kinds have no type in common, and an object of their trait can't be copied or compared. The
/// declared type can: it implements `Clone`, `PartialEq`, `Debug` and `From` for parameters of every kind, has `is`, `get`
/// and `get_mut` for callers that know the kind, and the listed methods, which convert what the trait's methods return by
/// `into()`. Methods in the block `object` are called on the object (`self.0`) only, so that the type can have a method of
/// the same name that does more. Copies share the parameters until one of them is changed.
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

            /// Whether the parameters are of this kind.
            pub fn is<P: $parameters>(&self) -> bool {
                self.get::<P>().is_some()
            }

            /// The parameters, if they are of this kind.
            pub fn get<P: $parameters>(&self) -> Option<&P> {
                let parameters: &dyn ::std::any::Any = &*self.0;
                parameters.downcast_ref()
            }

            /// The parameters, mutably, if they are of this kind.
            pub fn get_mut<P: $parameters>(&mut self) -> Option<&mut P> {
                let parameters: &mut dyn ::std::any::Any = self.changed();
                parameters.downcast_mut()
            }

            /// The parameters, no longer shared with copies.
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
