//! Property tests whose runner is compiled once for all of them, not for each: `proptest!` makes a runner of each test's own
//! types.

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner, contextualize_config};
use std::fmt;

/// [`proptest!`](proptest::proptest), for arguments with a strategy each.
macro_rules! properties {
    (
        #![proptest_config($config:expr)]
        $($(#[$meta:meta])* fn $name:ident($($argument:pat in $strategy:expr),+ $(,)?) $body:block)*
    ) => {
        $($(#[$meta])*
        fn $name() {
            let config = proptest::test_runner::Config {
                test_name: Some(concat!(module_path!(), "::", stringify!($name))),
                source_file: Some(file!()),
                ..$config
            };
            let strategy = ($($strategy,)+);
            $crate::common::properties::hold(config, strategy, |($($argument,)+)| {
                $body
                Ok(())
            });
        })*
    };
}

pub(crate) use properties;

/// A drawn value, with the test that it must pass.
trait Drawn: fmt::Debug {
    fn passes(self: Box<Self>) -> TestCaseResult;
}

struct Case<T> {
    value: T,
    test: fn(T) -> TestCaseResult,
}

impl<T: fmt::Debug> fmt::Debug for Case<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T: fmt::Debug> Drawn for Case<T> {
    fn passes(self: Box<Self>) -> TestCaseResult {
        (self.test)(self.value)
    }
}

/// Draws values and tests them; panics at the first that fails, with the least value found that does.
pub(crate) fn hold<S: Strategy + 'static>(
    config: ProptestConfig,
    strategy: S,
    test: fn(S::Value) -> TestCaseResult,
) {
    let case = move |value| -> Box<dyn Drawn> { Box::new(Case { value, test }) };
    hold_of_any(config, &strategy.prop_map(case).boxed());
}

fn hold_of_any(config: ProptestConfig, cases: &BoxedStrategy<Box<dyn Drawn>>) {
    let mut runner = TestRunner::new(contextualize_config(config));
    if let Err(error) = runner.run(cases, |case| case.passes()) {
        panic!("{error}\n{runner}");
    }
}
