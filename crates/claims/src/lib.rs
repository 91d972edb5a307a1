//! The book's claims, each with its command: run again with seeds that no page used, and compared.
//!
//! A claim is a sentence of a page with a number or a comparison. `docs/claims.toml` lists claims under the command whose rows show them; a
//! claim names the row, the column and what must be found there. Each command runs once, with fresh seeds.
//!
//! May depend on nothing else here: what it knows of results are the JSON that the program prints. Must never know how they are made.
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
//! let rows = r#"{"rows": [{"router": "chaos", "lost_part": 0.27, "lost_part_half_width": 0.02}]}"#;
//! let rows = serde_json::from_str(rows).unwrap();
//! let found = claims.command[0].claim[0].judge(&rows).unwrap();
//! assert_eq!(found.verdict, Verdict::Holds);
//! ```

mod claim;
mod found;
#[cfg(test)]
mod tests;

pub use claim::{Claim, Claims, Listed};
pub use found::{Found, Missing, Verdict};
