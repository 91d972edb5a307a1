//! `flitwork reference`.

use crate::exit::{Code, Exit, FINE, print};
use flitwork_config::Catalogue;

pub(crate) fn run(catalogue: &Catalogue) -> Result<Code, Exit> {
    let mut text = String::from(
        "# Configuration reference\n\n| key | allowed | default | meaning |\n|---|---|---|---|\n",
    );
    for key in catalogue.describe_keys() {
        text += &format!(
            "| `{}` | {} | {} | {} |\n",
            key.key, key.allowed, key.default, key.meaning
        );
    }
    print(&text)?;
    Ok(Code(FINE))
}
