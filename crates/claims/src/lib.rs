//! The book's claims, each with its command: run again with seeds that no page used, and compared.
//!
//! A claim is a sentence of a page with a number or a comparison. `docs/claims.toml` lists claims under the command whose results show
//! them; a claim names the row, the column and what must be found there. Each command runs once, with fresh seeds.
//!
//! ```text
//!  docs/claims.toml ──▶ Claims ──▶ a command's JSON ──▶ Claim::judge ──▶ holds, doesn't hold, isn't found
//!    as written          checked       (main.rs)            (rules)
//! ```
//!
//! | a claim | holds if |
//! |---|---|
//! | `value`, with the page's `half_width` | the fresh mean differs from it by at most both half widths, added in quadrature, and half of what the page rounded to |
//! | `at_least`, `at_most` | the fresh mean keeps the bounds |
//! | `more_than` another row | the fresh mean is more than that row's |
//! | `count` of `of` seeds | Fisher's exact test doesn't tell the fresh count from it at 5 % |
//!
//! Of bounds and comparisons it is said whether they hold, or don't, by more than the interval.
//!
//! May depend on files and on intervals: what it knows of results is the JSON that the program prints. Must never know how they are made.
//!
//! ```
//! use flitwork_claims::{Claims, Verdict};
//!
//! let claims: Claims = "
//!     [[command]]
//!     run = 'study crossing --axes edges'
//!     [[command.claim]]
//!     page = 'studies/crossing.md'
//!     says = 'Chaos loses a quarter'
//!     where = { router = 'chaos' }
//!     column = 'lost_part'
//!     value = 0.25
//!     half_width = 0.03
//! ".parse().unwrap();
//! let command = &claims.commands[0];
//! let rows = r#"{"rows": [{"router": "chaos", "lost_part": 0.27, "lost_part_half_width": 0.02}]}"#;
//! let rows = serde_json::from_str(rows).unwrap();
//! let found = command.claims[0].judge(&rows, command.seeds).unwrap();
//! assert_eq!(found.verdict, Verdict::Holds);
//! ```

mod claim;
mod figure;
mod fisher;
mod found;
mod rows;
#[cfg(test)]
mod tests;
mod written;

pub use claim::{Cells, Claim, Claims, Command, Expected, Seeds};
pub use figure::Figure;
pub use fisher::two_sided as fisher_two_sided;
pub use found::{Found, Fresh, Verdict};
pub use rows::Missing;
pub use written::Bad;
